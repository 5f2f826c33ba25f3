import type { Column } from './columns.ts';
import {
  actorOf,
  attemptsOf,
  computed,
  computedProse,
  deliveriesOf,
  endOf,
  instant,
  list,
  pathOf,
  plain,
  priceOf,
  prose,
  span,
} from './columns.ts';

/** A command of the operator's command line: which operation it calls, and how its response is shown. */
export type CommandRow = {
  noun: string;
  verb: string;
  /** Of the operator API's description; its parameters and fields become arguments and options. */
  operationId: string;
  /** Of a listing, the most important one first. */
  columns?: readonly Column[];
  /** What has happened where the response has no body. */
  done?: string;
  /** To be known of the response. */
  remark?: string;
};

const GRANT_REVOKED = 'The grant is revoked, and the holds of the partner at the venue are released.';
const SHOWN_ONCE = 'The api_key is shown only this once: store it now, where only its partner can read it.';

const DELIVERY_COLUMNS: readonly Column[] = [
  plain('id'),
  plain('event_type'),
  plain('state'),
  computedProse('attempts', attemptsOf),
  instant('next_attempt_at'),
  instant('created_at'),
  plain('subscription_id'),
  prose('endpoint_url'),
];

/** One row for each operation of the operator API; a test holds the two to each other. */
export const COMMANDS: readonly CommandRow[] = [
  { noun: 'partner', verb: 'create', operationId: 'createPartner' },
  {
    ...{ noun: 'partner', verb: 'list', operationId: 'listPartners' },
    columns: [
      ...[plain('partner_id'), prose('name'), plain('status'), instant('certified_at')],
      ...[prose('contact_email'), instant('created_at')],
    ],
  },
  { noun: 'partner', verb: 'show', operationId: 'getPartner' },
  { noun: 'partner', verb: 'update', operationId: 'updatePartner' },
  { noun: 'partner', verb: 'certify', operationId: 'certifyPartner' },
  { noun: 'partner', verb: 'report', operationId: 'getCertificationReport' },

  { noun: 'key', verb: 'issue', operationId: 'issueApiKey', remark: SHOWN_ONCE },
  {
    ...{ noun: 'key', verb: 'list', operationId: 'listApiKeys' },
    columns: [
      ...[
        plain('key_id'),
        computed('ends', endOf),
        prose('label'),
        plain('prefix'),
        instant('created_at'),
        instant('last_used_at'),
      ],
    ],
  },
  { noun: 'key', verb: 'rotate', operationId: 'rotateApiKey', remark: SHOWN_ONCE },
  { noun: 'key', verb: 'revoke', operationId: 'revokeApiKey', done: 'The key is revoked.' },

  { noun: 'grant', verb: 'add', operationId: 'grantVenue', done: 'The partner may operate the venue.' },
  { noun: 'grant', verb: 'remove', operationId: 'revokeVenue', remark: GRANT_REVOKED },

  { noun: 'venue', verb: 'create', operationId: 'createVenue' },
  {
    ...{ noun: 'venue', verb: 'list', operationId: 'listVenues' },
    columns: [
      ...[plain('venue_id'), prose('name'), prose('city'), plain('status'), plain('time_zone')],
      prose('address'),
    ],
  },
  { noun: 'venue', verb: 'show', operationId: 'getVenue' },
  { noun: 'venue', verb: 'update', operationId: 'updateVenue' },
  { noun: 'venue', verb: 'preview', operationId: 'previewVenueChange' },

  { noun: 'resource', verb: 'create', operationId: 'createResource' },
  {
    ...{ noun: 'resource', verb: 'list', operationId: 'listResources' },
    columns: [
      ...[plain('resource_id'), prose('name'), plain('status'), plain('duration_minutes', 'minutes')],
      plain('price_rupees', 'rupees'),
      computed('hours', (row) => span(row['operating_hours_start'], row['operating_hours_end'])),
      ...[prose('sport_category', 'sport'), prose('resource_type', 'type'), list('shares_space_with')],
    ],
  },
  { noun: 'resource', verb: 'show', operationId: 'getResource' },
  { noun: 'resource', verb: 'update', operationId: 'updateResource' },

  { noun: 'schedule', verb: 'set', operationId: 'setSchedule' },
  { noun: 'schedule', verb: 'show', operationId: 'getSchedule' },
  {
    ...{ noun: 'schedule', verb: 'remove', operationId: 'removeSchedule' },
    done: 'The resource is open in its operating hours on every day.',
  },

  { noun: 'price-rule', verb: 'add', operationId: 'addPriceRule' },
  {
    ...{ noun: 'price-rule', verb: 'list', operationId: 'listPriceRules' },
    columns: [
      ...[plain('price_rule_id'), prose('name'), computed('rupees', priceOf)],
      computed('times', (row) => span(row['start_time'], row['end_time'])),
      ...[list('days_of_week', 'days'), plain('priority')],
      computed('dates', (row) => span(row['from_date'], row['to_date'])),
    ],
  },
  { noun: 'price-rule', verb: 'show', operationId: 'getPriceRule' },
  { noun: 'price-rule', verb: 'remove', operationId: 'removePriceRule', done: 'The price rule is removed.' },

  { noun: 'blackout', verb: 'add', operationId: 'addBlackout' },
  {
    ...{ noun: 'blackout', verb: 'list', operationId: 'listBlackouts' },
    columns: [
      ...[plain('blackout_id'), instant('starts_at'), instant('ends_at')],
      ...[prose('reason'), list('resource_ids')],
    ],
  },
  { noun: 'blackout', verb: 'show', operationId: 'getBlackout' },
  { noun: 'blackout', verb: 'lift', operationId: 'liftBlackout', done: 'The blackout is lifted.' },

  { noun: 'walk-in', verb: 'book', operationId: 'placeWalkIn' },
  { noun: 'hold', verb: 'release', operationId: 'releaseHold' },

  {
    ...{ noun: 'booking', verb: 'list', operationId: 'listBookings' },
    columns: [
      ...[plain('booking_id'), instant('slot_start'), plain('status'), prose('customer_name', 'customer')],
      ...[plain('price_rupees', 'rupees'), plain('resource_id'), plain('partner_id'), instant('booked_at')],
    ],
  },
  { noun: 'booking', verb: 'show', operationId: 'getBooking' },
  {
    ...{ noun: 'booking', verb: 'timeline', operationId: 'getTimeline' },
    columns: [
      ...[instant('at'), plain('event_type'), computed('by', actorOf), computed('deliveries', deliveriesOf)],
      ...[prose('reason'), plain('partner_id'), plain('event_id')],
    ],
  },
  { noun: 'booking', verb: 'cancel', operationId: 'cancelBooking' },
  { noun: 'booking', verb: 'refund', operationId: 'refundBooking' },

  { noun: 'package', verb: 'create', operationId: 'createPackage' },
  {
    ...{ noun: 'package', verb: 'list', operationId: 'listPackages' },
    columns: [
      ...[plain('package_id'), prose('name'), plain('status'), plain('credits')],
      ...[plain('price_rupees', 'rupees'), plain('validity_days', 'days'), plain('partner_id')],
    ],
  },
  { noun: 'package', verb: 'show', operationId: 'getPackage' },
  { noun: 'package', verb: 'update', operationId: 'updatePackage' },

  {
    ...{ noun: 'purchase', verb: 'list', operationId: 'listPurchases' },
    columns: [
      ...[plain('id'), plain('status'), plain('credits_remaining', 'left'), plain('credits_total', 'of')],
      ...[instant('expires_at'), instant('ended_at'), plain('package_id'), plain('partner_id')],
    ],
  },
  { noun: 'purchase', verb: 'show', operationId: 'getPurchaseOfPartner' },
  { noun: 'purchase', verb: 'end', operationId: 'endPurchase' },

  {
    ...{ noun: 'webhook', verb: 'list', operationId: 'listSubscriptions' },
    columns: [
      ...[plain('id'), plain('status'), prose('endpoint_url'), plain('consecutive_failures', 'failures')],
      ...[instant('last_success_at'), plain('partner_id'), list('event_types')],
    ],
  },
  { noun: 'webhook', verb: 'deactivate', operationId: 'deactivateSubscription' },
  { noun: 'webhook', verb: 'activate', operationId: 'activateSubscription' },

  { noun: 'delivery', verb: 'list', operationId: 'listDeliveries', columns: DELIVERY_COLUMNS },
  { noun: 'delivery', verb: 'show', operationId: 'getAnyDelivery' },

  {
    ...{ noun: 'dead-letter', verb: 'list', operationId: 'listDeadLetters' },
    columns: [
      ...[
        plain('id'),
        plain('event_type'),
        instant('dead_lettered_at'),
        computedProse('attempts', attemptsOf),
      ],
      ...[plain('subscription_id'), prose('endpoint_url')],
    ],
  },
  { noun: 'dead-letter', verb: 'redrive', operationId: 'redriveDeadLetter' },
  { noun: 'dead-letter', verb: 'redrive-all', operationId: 'redriveDeadLetters' },
  { noun: 'dead-letter', verb: 'discard', operationId: 'discardDeadLetter' },
  { noun: 'dead-letter', verb: 'discard-all', operationId: 'discardDeadLetters' },

  { noun: 'customer', verb: 'erase', operationId: 'eraseCustomer' },

  {
    ...{ noun: 'alert', verb: 'list', operationId: 'listAlerts' },
    columns: [
      ...[instant('raised_at'), plain('status'), plain('kind'), plain('count')],
      ...[prose('message'), plain('subject'), instant('resolved_at'), plain('id')],
    ],
  },
  {
    ...{ noun: 'audit', verb: 'list', operationId: 'listActions' },
    columns: [
      ...[instant('at'), plain('action'), plain('status'), computedProse('path', pathOf), plain('who')],
      ...[plain('address'), plain('attempts'), plain('error_code'), plain('request_id')],
    ],
  },

  { noun: 'api', verb: 'describe', operationId: 'getDescription' },
];

/** What each noun is about, for the help of the whole. */
export const NOUNS: Readonly<Record<string, string>> = {
  partner: 'the third parties that sell',
  key: 'the API keys of a partner',
  grant: 'which venues a partner may operate',
  venue: 'where the resources are',
  resource: 'courts, turfs and fields',
  schedule: 'when a resource is open',
  'price-rule': 'when slots cost more or less than the base price',
  blackout: 'times in which nothing is sold',
  'walk-in': 'slots sold at the venue itself',
  hold: 'the holds of all partners',
  booking: 'the bookings of all partners',
  package: 'the prepaid packages that a partner may sell',
  purchase: 'the packages that customers have bought',
  webhook: "the partners' subscriptions",
  delivery: 'webhooks sent to partners',
  'dead-letter': 'deliveries that failed for good',
  customer: "the erasure of a customer's data",
  alert: 'problems that need an operator',
  audit: 'what operators did',
  api: 'the description of the operator API',
};
