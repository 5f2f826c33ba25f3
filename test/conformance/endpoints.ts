const VALIDATION = '400 VALIDATION_ERROR';
const HOLD_404 = '404 HOLD_NOT_FOUND';
const PARTNER = '/api/v1/partner';

/**
 * Every endpoint of the partner interface and what it documents on its own: its success and each refusal that is not common
 * to all endpoints. Each of these answers needs a row.
 */
export const ENDPOINTS: Record<string, readonly string[]> = {
  [`GET ${PARTNER}/venues`]: ['200'],
  [`GET ${PARTNER}/venues/{venueId}`]: ['200', '404 VENUE_NOT_FOUND'],
  [`GET ${PARTNER}/venues/{venueId}/resources`]: ['200', '404 VENUE_NOT_FOUND'],

  'GET /api/v1/slots/availability': [
    '200',
    '304',
    VALIDATION,
    '403 VENUE_NOT_AUTHORIZED',
    '404 RESOURCE_NOT_FOUND',
  ],
  'GET /api/v1/slots/availability/range': [
    '200',
    VALIDATION,
    '403 VENUE_NOT_AUTHORIZED',
    '404 RESOURCE_NOT_FOUND',
  ],

  [`POST ${PARTNER}/holds`]: [
    '201',
    VALIDATION,
    '403 VENUE_NOT_AUTHORIZED',
    '404 RESOURCE_NOT_FOUND',
    '404 SLOT_NOT_FOUND',
    '409 SLOT_NOT_AVAILABLE',
    '409 HOLD_LIMIT_REACHED',
    '409 IDEMPOTENCY_KEY_MISMATCH',
  ],
  [`GET ${PARTNER}/holds`]: ['200', VALIDATION],
  [`GET ${PARTNER}/holds/{holdId}`]: ['200', HOLD_404],
  [`POST ${PARTNER}/holds/{holdId}/extend`]: [
    '200',
    VALIDATION,
    HOLD_404,
    '409 HOLD_EXPIRED',
    '409 INVALID_HOLD_STATE',
    '409 HOLD_LIMIT_REACHED',
  ],
  [`POST ${PARTNER}/holds/{holdId}/cancel`]: [
    '200',
    VALIDATION,
    HOLD_404,
    '409 HOLD_EXPIRED',
    '409 INVALID_HOLD_STATE',
  ],

  'POST /api/v1/bookings/confirm': [
    '201',
    VALIDATION,
    HOLD_404,
    '409 HOLD_EXPIRED',
    '409 INVALID_HOLD_STATE',
    '409 DOUBLE_BOOKING_ATTEMPT',
    '409 IDEMPOTENCY_KEY_MISMATCH',
  ],
  'GET /api/v1/bookings/{bookingId}': ['200', '404 BOOKING_NOT_FOUND'],
  'GET /api/v1/bookings': ['200', VALIDATION],
  ...Object.fromEntries(
    ['cancel', 'refund'].map((operation) => [
      `POST /api/v1/bookings/{bookingId}/${operation}`,
      [
        '200',
        VALIDATION,
        '403 UNAUTHORIZED',
        '404 BOOKING_NOT_FOUND',
        '409 INVALID_HOLD_STATE',
        '409 IDEMPOTENCY_KEY_MISMATCH',
      ],
    ]),
  ),

  'GET /api/v1/packages': ['200', VALIDATION],
  'POST /api/v1/packages/{packageId}/purchase': [
    '201',
    VALIDATION,
    '404 PACKAGE_NOT_FOUND',
    '409 IDEMPOTENCY_KEY_MISMATCH',
  ],
  'GET /api/v1/packages/purchases/{purchaseId}': ['200', '404 PURCHASE_NOT_FOUND'],
  'GET /api/v1/packages/active': ['200', VALIDATION, '403 VENUE_NOT_AUTHORIZED'],

  [`POST ${PARTNER}/webhooks`]: ['201', VALIDATION, '409 WEBHOOK_LIMIT_REACHED'],
  [`GET ${PARTNER}/webhooks`]: ['200'],
  [`POST ${PARTNER}/webhooks/{id}/rotate-secret`]: ['200', VALIDATION, '404 WEBHOOK_NOT_FOUND'],
  [`POST ${PARTNER}/webhooks/{id}/test`]: ['202', '404 WEBHOOK_NOT_FOUND'],
  [`POST ${PARTNER}/webhooks/{id}/recover`]: ['202', VALIDATION, '404 WEBHOOK_NOT_FOUND'],
  [`GET ${PARTNER}/events`]: ['200', VALIDATION],

  [`GET ${PARTNER}/observability`]: ['200', VALIDATION],
  [`GET ${PARTNER}/observability/deliveries/{id}`]: ['200', '404 DELIVERY_NOT_FOUND'],
  [`POST ${PARTNER}/observability/deliveries/{id}/redeliver`]: [
    '202',
    '404 DELIVERY_NOT_FOUND',
    '409 DELIVERY_IN_PROGRESS',
  ],

  'POST /api/v1/sandbox/holds/{holdId}/expire': [
    '200',
    HOLD_404,
    '409 HOLD_EXPIRED',
    '409 INVALID_HOLD_STATE',
  ],
  'POST /api/v1/sandbox/deliveries/{id}/advance': [
    '200',
    '404 DELIVERY_NOT_FOUND',
    '409 DELIVERY_IN_PROGRESS',
  ],
  'POST /api/v1/sandbox/slots/{slotId}/walk-in': ['2xx', '404 SLOT_NOT_FOUND', '409 SLOT_NOT_AVAILABLE'],
  'POST /api/v1/sandbox/slots/{slotId}/release': ['2xx', '404 SLOT_NOT_FOUND'],
};

/** Every endpoint with this outcome, as a row names them. */
export function everyEndpoint(outcome: string): string[] {
  return Object.keys(ENDPOINTS).map((endpoint) => `${endpoint} ${outcome}`);
}
