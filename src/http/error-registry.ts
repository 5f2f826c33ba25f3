import type { ErrorCode } from '../domain/errors.ts';

/** What a code means to whoever gets it. */
export type ErrorEntry = {
  status: number;
  /** The condition, as a sentence. */
  when: string;
  /** What the caller does about it, as a sentence. */
  remedy: string;
  /** Present where only the operator's listener has it. */
  audience?: 'operator';
};

/**
 * The only file where a code gets its HTTP status, its meaning and its remedy. Handlers
 * take the status from here, and the published interface and `docs/errors.md` are generated from it; a code without an
 * entry does not compile.
 */
export const ERRORS: Record<ErrorCode, ErrorEntry> = {
  VALIDATION_ERROR: {
    status: 400,
    when: 'A field of the body, the query or the path is missing, malformed or out of bounds, or a field of the query is not known.',
    remedy: 'Correct every field that error.details names, then send the request again.',
  },
  INVALID_JSON: {
    status: 400,
    when: 'The body is not one complete JSON document.',
    remedy: 'Send one JSON object, encoded as UTF-8.',
  },
  MALFORMED_REQUEST: {
    status: 400,
    when: 'What was sent is no HTTP/1.1 request: its first line, a header, the framing of its body or the Host header is at fault.',
    remedy: 'Send it with an HTTP library as it is; look for a proxy that changes it.',
  },
  INVALID_API_KEY: {
    status: 401,
    when: 'The x-api-key header is missing, or its key is malformed, unknown, expired, revoked or of another deployment (sandbox or production).',
    remedy: 'Send a key that is in force; ask the platform operator for one.',
  },
  PARTNER_SUSPENDED: {
    status: 403,
    when: 'The partner to which the key, or for operators the delivery, belongs is suspended.',
    remedy: 'Contact the platform operator; an operator reactivates the partner.',
  },
  UNAUTHORIZED: {
    status: 403,
    when: 'The booking to cancel or refund was made by another partner.',
    remedy: 'Leave it to the partner that made it; check the booking_id.',
  },
  VENUE_NOT_AUTHORIZED: {
    status: 403,
    when: 'The venue does not exist or is not granted to you; the two are not told apart.',
    remedy: 'Take venue_id from the list of your venues, or ask the platform operator for a grant.',
  },
  CSRF_REJECTED: {
    status: 403,
    when: 'A change was requested with a sign-in cookie from a page of another site.',
    remedy: 'Use the console itself, or send the operator key in x-api-key.',
    audience: 'operator',
  },
  ROUTE_NOT_FOUND: {
    status: 404,
    when: 'There is no such path, or it is a sandbox path of a production deployment.',
    remedy: 'Check the path and its prefix /api/v1; the reference at /docs has every path.',
  },
  VENUE_NOT_FOUND: {
    status: 404,
    when: 'The venue does not exist or is not granted to you; the two are not told apart.',
    remedy: 'Take venue_id from the list of venues.',
  },
  RESOURCE_NOT_FOUND: {
    status: 404,
    when: 'There is no resource with that id, or it belongs to another venue.',
    remedy: "Copy resource_id from the list of the venue's resources.",
  },
  SLOT_NOT_FOUND: {
    status: 404,
    when: 'slot_id is malformed or unknown, the schedule has no such slot, or its venue is not granted to you; the three are not told apart.',
    remedy:
      'Copy slot_id, or slot_start, from availability; ask the platform operator for a grant where your list of venues lacks the venue.',
  },
  HOLD_NOT_FOUND: {
    status: 404,
    when: 'You have no hold with that id; it is missing or belongs to another partner.',
    remedy: 'Use hold_id as returned when the hold was placed.',
  },
  BOOKING_NOT_FOUND: {
    status: 404,
    when: 'There is no booking with that id, or it is not yours to read.',
    remedy: 'Use booking_id as returned by confirm.',
  },
  PACKAGE_NOT_FOUND: {
    status: 404,
    when: 'You have no package on sale with that id; it is missing, withdrawn or belongs to another partner.',
    remedy: 'Take package_id from your catalogue, /api/v1/packages.',
  },
  PURCHASE_NOT_FOUND: {
    status: 404,
    when: 'You have no package purchase with that id; it is missing or belongs to another partner.',
    remedy: 'Use purchase.id as returned when the package was sold.',
  },
  WEBHOOK_NOT_FOUND: {
    status: 404,
    when: 'You have no webhook subscription with that id; it is missing or belongs to another partner.',
    remedy: 'Take the id from the list of your subscriptions.',
  },
  DELIVERY_NOT_FOUND: {
    status: 404,
    when: 'You have no delivery with that id; it is missing or went to another partner.',
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
    when: 'The partner has no API key with that id, or the key to replace has ended.',
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
    remedy: 'Use one of the methods that the Allow header names.',
  },
  REQUEST_TIMEOUT: {
    status: 408,
    when: 'The headers did not arrive within 10 s, or the whole request within 12 s. The connection is closed.',
    remedy: 'Repeat the call, with the same idempotency_key, over a new connection.',
  },
  SLOT_NOT_AVAILABLE: {
    status: 409,
    when: 'The slot is held, booked, blacked out, begun or beyond the booking horizon, or its venue is inactive.',
    remedy: 'Take one of error.conflict.alternatives, or read availability again.',
  },
  HOLD_LIMIT_REACHED: {
    status: 409,
    when: 'You have as many ACTIVE holds as a partner may have, or the hold would last longer than a hold may.',
    remedy: 'Confirm or cancel holds first, or ask for less time.',
  },
  HOLD_EXPIRED: {
    status: 409,
    when: 'The hold has reached its hold_expiry_at, so its slot is free again.',
    remedy: 'Place a new hold on the slot.',
  },
  INVALID_HOLD_STATE: {
    status: 409,
    when: 'The hold or booking is in a state in which this operation is impossible.',
    remedy: 'Read it; where you repeat an earlier call, repeat its idempotency_key too.',
  },
  DOUBLE_BOOKING_ATTEMPT: {
    status: 409,
    when: 'The venue gave the slot to another channel before the hold was confirmed.',
    remedy: 'Place a hold on another slot.',
  },
  CUSTOMER_HAS_UPCOMING_BOOKINGS: {
    status: 409,
    when: 'The customer to erase has a booking that is still to come, or package credit that can still be used.',
    remedy:
      'Cancel those bookings; end those purchases, have their credit used up, or wait until they have expired (the message says when). Then ask again.',
    audience: 'operator',
  },
  IDEMPOTENCY_KEY_MISMATCH: {
    status: 409,
    when: 'The idempotency_key was used before for something else.',
    remedy: 'Use a new key for each operation, and the same key only to repeat it.',
  },
  WEBHOOK_LIMIT_REACHED: {
    status: 409,
    when: 'You have 20 webhook subscriptions, the most that a partner may have.',
    remedy: 'Change one of them with PATCH, or ask the platform operator to stop deliveries to it.',
  },
  WEBHOOK_INACTIVE: {
    status: 409,
    when: 'The subscription has been deactivated, so nothing is delivered to it.',
    remedy: 'Ask the platform operator to activate it.',
  },
  DELIVERY_IN_PROGRESS: {
    status: 409,
    when: 'The delivery is in no state for this call.',
    remedy: 'Read its state. While an attempt is under way, repeat the call when that has ended.',
  },
  PARTNER_NOT_CERTIFIED: {
    status: 409,
    when: 'A production key was asked for before the partner was certified.',
    remedy: 'Certify the partner first.',
    audience: 'operator',
  },
  PAYLOAD_TOO_LARGE: {
    status: 413,
    when: 'The body is larger than 100 KB.',
    remedy: 'Send less.',
  },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    when: 'The body is not declared as JSON, or its charset or encoding is not supported.',
    remedy: 'Send Content-Type: application/json, encoded as UTF-8.',
  },
  RATE_LIMITED: {
    status: 429,
    when: 'You sent more requests than your share allows, or bad keys came too often from your address.',
    remedy: 'Wait for the seconds in Retry-After; the RateLimit header tells what is left.',
  },
  HEADERS_TOO_LARGE: {
    status: 431,
    when: 'The request line, with path and query, and the headers are larger than 16 KB together. The connection is closed.',
    remedy: 'Send less: no cookies, a shorter query.',
  },
  INTERNAL_ERROR: {
    status: 500,
    when: 'Something failed that should not.',
    remedy:
      'Repeat the call with the same idempotency_key; if it persists, quote request_id to the platform operator.',
  },
  SERVICE_UNAVAILABLE: {
    status: 503,
    when: 'The database cannot be reached or is not ready, or it is unknown whether the call took effect.',
    remedy: 'Repeat the call after the seconds in Retry-After, with the same idempotency_key.',
  },
};

/** The codes in the order of the registry, which is by status. */
export const ERROR_CODES = Object.keys(ERRORS) as ErrorCode[];
