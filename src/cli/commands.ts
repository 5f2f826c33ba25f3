type Noun = {
  about: string;
  verbs: Readonly<Record<string, string>>;
};

/** The commands, `<noun> <verb>`. Every operation of the operator API has one; a test compares them. */
export const NOUNS: Readonly<Record<string, Noun>> = {
  partner: {
    about: 'the partners that sell slots',
    verbs: {
      create: 'createPartner',
      list: 'listPartners',
      show: 'getPartner',
      update: 'updatePartner',
      certify: 'certifyPartner',
      report: 'getCertificationReport',
    },
  },
  key: {
    about: 'the API keys of a partner',
    verbs: { issue: 'issueApiKey', list: 'listApiKeys', rotate: 'rotateApiKey', revoke: 'revokeApiKey' },
  },
  grant: {
    about: 'the venues that a partner may sell',
    verbs: { add: 'grantVenue', remove: 'revokeVenue' },
  },
  venue: {
    about: 'the venues with their resources',
    verbs: {
      create: 'createVenue',
      list: 'listVenues',
      show: 'getVenue',
      update: 'updateVenue',
      preview: 'previewVenueChange',
    },
  },
  resource: {
    about: 'courts, turfs and fields',
    verbs: {
      create: 'createResource',
      list: 'listResources',
      show: 'getResource',
      update: 'updateResource',
    },
  },
  schedule: {
    about: 'the opening hours of a resource',
    verbs: { set: 'setSchedule', show: 'getSchedule', remove: 'removeSchedule' },
  },
  'price-rule': {
    about: 'prices that differ from the base price',
    verbs: { add: 'addPriceRule', list: 'listPriceRules', show: 'getPriceRule', remove: 'removePriceRule' },
  },
  blackout: {
    about: 'times in which a venue or resource sells nothing',
    verbs: { add: 'addBlackout', list: 'listBlackouts', show: 'getBlackout', withdraw: 'liftBlackout' },
  },
  'walk-in': { about: 'slots sold at the venue itself', verbs: { book: 'placeWalkIn' } },
  hold: { about: 'the holds of all partners', verbs: { release: 'releaseHold' } },
  booking: {
    about: 'the bookings of all partners',
    verbs: {
      list: 'listBookings',
      show: 'getBooking',
      timeline: 'getTimeline',
      cancel: 'cancelBooking',
      refund: 'refundBooking',
    },
  },
  package: {
    about: 'the prepaid packages that a partner may sell',
    verbs: { create: 'createPackage', list: 'listPackages', show: 'getPackage', update: 'updatePackage' },
  },
  purchase: {
    about: 'the packages that customers have bought',
    verbs: { list: 'listPurchases', show: 'getPurchaseOfPartner', end: 'endPurchase' },
  },
  webhook: {
    about: "the partners' subscriptions",
    verbs: {
      list: 'listSubscriptions',
      deactivate: 'deactivateSubscription',
      activate: 'activateSubscription',
    },
  },
  delivery: {
    about: 'webhooks sent to partners',
    verbs: { list: 'listDeliveries', show: 'getAnyDelivery' },
  },
  'dead-letter': {
    about: 'deliveries that failed after five attempts',
    verbs: {
      list: 'listDeadLetters',
      redeliver: 'redriveDeadLetter',
      'redeliver-all': 'redriveDeadLetters',
      discard: 'discardDeadLetter',
      'discard-all': 'discardDeadLetters',
    },
  },
  customer: { about: "the erasure of a customer's data", verbs: { erase: 'eraseCustomer' } },
  alert: { about: 'problems that need an operator', verbs: { list: 'listAlerts' } },
  audit: { about: 'what operators did', verbs: { list: 'listActions' } },
  api: { about: 'the description of the operator API', verbs: { describe: 'getDescription' } },
};

/** The columns of each listing by operation, most important first: a narrow terminal leaves out the last ones. */
export const COLUMNS: Readonly<Record<string, string>> = {
  listPartners: 'partner_id name status certified_at contact_email created_at',
  listApiKeys: 'key_id expires_at label revoked_at prefix created_at last_used_at',
  listVenues: 'venue_id name city status time_zone address',
  listResources:
    'resource_id name status price_rupees duration_minutes operating_hours_start operating_hours_end sport_category resource_type shares_space_with',
  listPriceRules:
    'price_rule_id name price_rupees multiplier start_time end_time days_of_week priority from_date to_date',
  listBlackouts: 'blackout_id starts_at ends_at reason resource_ids',
  listBookings: 'booking_id slot_start status customer_name price_rupees resource_id partner_id booked_at',
  getTimeline: 'at event_type actor deliveries reason partner_id event_id',
  listPackages: 'package_id name status credits price_rupees validity_days partner_id',
  listPurchases: 'id status credits_remaining credits_total expires_at ended_at package_id partner_id',
  listSubscriptions: 'id status endpoint_url consecutive_failures last_success_at partner_id event_types',
  listDeliveries: 'id event_type state attempts next_attempt_at created_at subscription_id endpoint_url',
  listDeadLetters: 'id event_type dead_lettered_at attempts subscription_id endpoint_url',
  listAlerts: 'raised_at status kind count message subject resolved_at id',
  listActions: 'at action status who path address attempts error_code request_id',
};
