type ErrorEntry = {
  status: number;
  when: string;
  remedy: string;
  /** Only the operator's listener uses the code. */
  audience?: 'operator';
};

const ENTRIES = {
  VALIDATION_ERROR: {
    status: 400,
    when: 'A field of the body, the query or the path is missing, malformed or out of range, or the query has an unknown field.',
    remedy: 'Correct every field listed in error.details, then send the request again.',
  },
  INVALID_JSON: {
    status: 400,
    when: 'The body is not one complete JSON document in UTF-8, or cannot be decompressed.',
    remedy: 'Send one JSON object, encoded as UTF-8.',
  },
  MALFORMED_REQUEST: {
    status: 400,
    when: 'The request is not valid HTTP/1.1: its request line, a header or the framing of its body is malformed.',
    remedy: 'Send it with a standard HTTP library, and check whether a proxy changes it.',
  },
  INVALID_API_KEY: {
    status: 401,
    when: 'The x-api-key header is missing, or the key is malformed, unknown, expired, revoked or for another deployment (sandbox or production).',
    remedy: 'Send a valid key; ask the platform operator for one.',
  },
  PARTNER_SUSPENDED: {
    status: 403,
    when: 'The partner of the key is suspended. On the operator interface: the partner of the delivery is suspended.',
    remedy: 'Contact the platform operator, who can reactivate the partner.',
  },
  UNAUTHORIZED: {
    status: 403,
    when: 'The booking to cancel or refund was made by another partner.',
    remedy: 'Check the booking_id.',
  },
  VENUE_NOT_AUTHORIZED: {
    status: 403,
    when: 'The venue in the query or body does not exist or is not granted to you, or its grant was revoked.',
    remedy: 'Take venue_id from the list of your venues, or ask the platform operator for a grant.',
  },
  CSRF_REJECTED: {
    status: 403,
    when: 'A page of another site requested a change with a sign-in cookie.',
    remedy: 'Use the console itself, or send the operator key in x-api-key.',
    audience: 'operator',
  },
  ROUTE_NOT_FOUND: {
    status: 404,
    when: 'The path does not exist, or is a sandbox path in production.',
    remedy: 'Check the path; /openapi.json lists every path.',
  },
  VENUE_NOT_FOUND: {
    status: 404,
    when: 'There is no such venue, or the venue in the path is not granted to you.',
    remedy: 'Take venue_id from the list of venues.',
  },
  RESOURCE_NOT_FOUND: {
    status: 404,
    when: 'There is no resource with that id, or it belongs to another venue.',
    remedy: "Copy resource_id from the list of the venue's resources.",
  },
  SLOT_NOT_FOUND: {
    status: 404,
    when: 'slot_id is malformed or unknown, the schedule has no such slot, or the venue of the slot is not granted to you.',
    remedy: 'Copy slot_id or slot_start from availability of a venue in your list of venues.',
  },
  HOLD_NOT_FOUND: {
    status: 404,
    when: 'You have no hold with that id.',
    remedy: 'Use hold_id as returned when the hold was placed.',
  },
  BOOKING_NOT_FOUND: {
    status: 404,
    when: 'There is no booking with that id, or you may not read it.',
    remedy: 'Use booking_id as returned by confirm.',
  },
  PACKAGE_NOT_FOUND: {
    status: 404,
    when: 'You have no package on sale with that id.',
    remedy: 'Take package_id from your catalogue, /api/v1/packages.',
  },
  PURCHASE_NOT_FOUND: {
    status: 404,
    when: 'You have no package purchase with that id.',
    remedy: 'Use purchase.id as returned when the package was sold.',
  },
  WEBHOOK_NOT_FOUND: {
    status: 404,
    when: 'You have no webhook subscription with that id.',
    remedy: 'Take the id from the list of your subscriptions.',
  },
  DELIVERY_NOT_FOUND: {
    status: 404,
    when: 'You have no delivery with that id.',
    remedy: 'Take the id from /api/v1/partner/observability.',
  },
  PARTNER_NOT_FOUND: {
    status: 404,
    when: 'There is no partner with that id.',
    remedy: 'Take partner_id from the list of partners.',
    audience: 'operator',
  },
  KEY_NOT_FOUND: {
    status: 404,
    when: 'The partner has no API key with that id, or the key to replace is revoked or expired.',
    remedy: "Take key_id from the list of the partner's keys.",
    audience: 'operator',
  },
  PRICE_RULE_NOT_FOUND: {
    status: 404,
    when: 'There is no price rule with that id.',
    remedy: "Take price_rule_id from the list of the resource's price rules.",
    audience: 'operator',
  },
  BLACKOUT_NOT_FOUND: {
    status: 404,
    when: 'There is no blackout with that id.',
    remedy: "Take blackout_id from the list of the venue's blackouts.",
    audience: 'operator',
  },
  METHOD_NOT_ALLOWED: {
    status: 405,
    when: 'The path exists, but not with this method.',
    remedy: 'Use one of the methods in the Allow header.',
  },
  REQUEST_TIMEOUT: {
    status: 408,
    when: 'The headers did not arrive within 10 s, or the whole request within 12 s. The connection is closed.',
    remedy: 'Repeat the call, with the same idempotency_key, over a new connection.',
  },
  SLOT_NOT_AVAILABLE: {
    status: 409,
    when: 'The slot is held, booked or blacked out, has already begun, is beyond the booking horizon, or its venue or resource is inactive.',
    remedy: 'Choose one of error.conflict.alternatives, or read availability again.',
  },
  PRICE_CHANGED: {
    status: 409,
    when: 'The slot is free, but its price is not the expected_price_rupees that you sent. Nothing is held.',
    remedy: 'If the customer accepts the price in error.conflict, send this price as expected_price_rupees.',
  },
  HOLD_LIMIT_REACHED: {
    status: 409,
    when: 'You have the maximum number of ACTIVE holds, or the hold would exceed its maximum lifetime.',
    remedy: 'Confirm or release holds first, or send a smaller ttl_seconds.',
  },
  HOLD_EXPIRED: {
    status: 409,
    when: 'The hold expired at hold_expiry_at, so its slot is free again.',
    remedy: 'Place a new hold on the slot.',
  },
  INVALID_HOLD_STATE: {
    status: 409,
    when: 'The hold or booking is in a state that does not allow this operation.',
    remedy: 'Read its current state. To repeat an earlier call, send the same idempotency_key.',
  },
  DOUBLE_BOOKING_ATTEMPT: {
    status: 409,
    when: 'The venue sold the slot to another channel before the hold was confirmed.',
    remedy: 'Place a hold on another slot.',
  },
  NO_PACKAGE_CREDIT: {
    status: 409,
    when: 'use_package_credit is "required", and the customer has no credit at the venue. The hold stays ACTIVE.',
    remedy:
      'Sell a package first, or take a payment and confirm without use_package_credit (or with true, which needs no credit).',
  },
  CUSTOMER_HAS_UPCOMING_BOOKINGS: {
    status: 409,
    when: 'The customer to erase has an upcoming booking, or package credit that can still be used.',
    remedy:
      'Cancel the bookings, and end the purchases or wait until they expire (the message says when). Then repeat the call.',
    audience: 'operator',
  },
  IDEMPOTENCY_KEY_MISMATCH: {
    status: 409,
    when: 'The idempotency_key was used before for a different request.',
    remedy: 'Use a new key for each operation. Send the same key only to repeat a call.',
  },
  WEBHOOK_LIMIT_REACHED: {
    status: 409,
    when: 'You have 20 webhook subscriptions, which is the maximum.',
    remedy: 'Change one of them with PATCH.',
  },
  SUBSCRIPTION_EXISTS: {
    status: 409,
    when: 'You already have an active subscription with this endpoint_url, these event_types and these venue_ids.',
    remedy: 'Use the subscription in error.conflict.subscription_id. If you lost its secret, rotate it.',
  },
  WEBHOOK_INACTIVE: {
    status: 409,
    when: 'The subscription is deactivated, so nothing is delivered to it.',
    remedy: 'Ask the platform operator to activate it.',
  },
  DELIVERY_IN_PROGRESS: {
    status: 409,
    when: 'An attempt of the delivery is in progress, or the state of the delivery does not allow this call.',
    remedy: 'Read the delivery. If an attempt is in progress, repeat the call after it has ended.',
  },
  PARTNER_NOT_CERTIFIED: {
    status: 409,
    when: 'A production key was requested for a partner that is not certified.',
    remedy: 'Certify the partner first.',
    audience: 'operator',
  },
  PAYLOAD_TOO_LARGE: { status: 413, when: 'The body is larger than 100 KB.', remedy: 'Send a smaller body.' },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    when: 'The body is not declared as JSON, or its charset or encoding is not supported.',
    remedy: 'Send Content-Type: application/json, encoded as UTF-8.',
  },
  RATE_LIMITED: {
    status: 429,
    when: 'You sent more requests than your limit allows, or too many invalid keys came from your address.',
    remedy: 'Wait for the seconds in Retry-After. The RateLimit header shows how many requests are left.',
  },
  HEADERS_TOO_LARGE: {
    status: 431,
    when: 'The request line and the headers together are larger than 16 KB. The connection is closed.',
    remedy: 'Shorten the query and send no cookies.',
  },
  INTERNAL_ERROR: {
    status: 500,
    when: 'An unexpected error occurred.',
    remedy:
      'Repeat the call with the same idempotency_key. If it fails again, send request_id to the platform operator.',
  },
  SERVICE_UNAVAILABLE: {
    status: 503,
    when: 'The database is unavailable, so the call may or may not have taken effect.',
    remedy: 'Wait for the seconds in Retry-After, then repeat the call with the same idempotency_key.',
  },
} satisfies Record<string, ErrorEntry>;

/** Every code of an error response. */
export type ErrorCode = keyof typeof ENTRIES;

/** The status, meaning and remedy of every code. The published interface and `docs/errors.md` are generated from it. */
export const ERRORS: Readonly<Record<ErrorCode, ErrorEntry>> = ENTRIES;

export const ERROR_CODES = Object.keys(ERRORS) as ErrorCode[];
