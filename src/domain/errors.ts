/** Every code of an error response. Statuses and remedies: `domain/error-registry.ts`. */
export type ErrorCode =
  | 'VALIDATION_ERROR'
  | 'INVALID_JSON'
  | 'MALFORMED_REQUEST'
  | 'INVALID_API_KEY'
  | 'PARTNER_SUSPENDED'
  | 'UNAUTHORIZED'
  | 'VENUE_NOT_AUTHORIZED'
  | 'ROUTE_NOT_FOUND'
  | 'METHOD_NOT_ALLOWED'
  | 'REQUEST_TIMEOUT'
  | 'VENUE_NOT_FOUND'
  | 'RESOURCE_NOT_FOUND'
  | 'SLOT_NOT_FOUND'
  | 'HOLD_NOT_FOUND'
  | 'BOOKING_NOT_FOUND'
  | 'PACKAGE_NOT_FOUND'
  | 'PURCHASE_NOT_FOUND'
  | 'WEBHOOK_NOT_FOUND'
  | 'DELIVERY_NOT_FOUND'
  | 'PARTNER_NOT_FOUND'
  | 'KEY_NOT_FOUND'
  | 'PRICE_RULE_NOT_FOUND'
  | 'BLACKOUT_NOT_FOUND'
  | 'SLOT_NOT_AVAILABLE'
  | 'PRICE_CHANGED'
  | 'HOLD_LIMIT_REACHED'
  | 'HOLD_EXPIRED'
  | 'INVALID_HOLD_STATE'
  | 'DOUBLE_BOOKING_ATTEMPT'
  | 'CUSTOMER_HAS_UPCOMING_BOOKINGS'
  | 'NO_PACKAGE_CREDIT'
  | 'IDEMPOTENCY_KEY_MISMATCH'
  | 'WEBHOOK_LIMIT_REACHED'
  | 'SUBSCRIPTION_EXISTS'
  | 'WEBHOOK_INACTIVE'
  | 'DELIVERY_IN_PROGRESS'
  | 'PARTNER_NOT_CERTIFIED'
  | 'CSRF_REJECTED'
  | 'PAYLOAD_TOO_LARGE'
  | 'UNSUPPORTED_MEDIA_TYPE'
  | 'RATE_LIMITED'
  | 'HEADERS_TOO_LARGE'
  | 'INTERNAL_ERROR'
  | 'SERVICE_UNAVAILABLE';

/** The reader of a message: partners and operators have different interfaces. */
export type Audience = 'partner' | 'operator';

/** The audience of messages to a caller. A call without a partner id is an operator's. */
export function audienceOf(partnerId: string | undefined): Audience {
  return partnerId === undefined ? 'operator' : 'partner';
}

/** `path` is dotted (`customer.phone`); `message` is for the caller's developer. */
export type FieldFault = { path: string; message: string };

export type ErrorExtras = { details?: FieldFault[]; conflict?: Record<string, unknown>; booking_id?: string };

/** A rule rejected the call. The public `message` says what was wrong and what to do. */
export class DomainError extends Error {
  readonly code: ErrorCode;
  readonly extras: ErrorExtras;

  constructor(code: ErrorCode, publicMessage: string, extras: ErrorExtras = {}) {
    super(publicMessage);
    this.name = 'DomainError';
    this.code = code;
    this.extras = extras;
  }
}

/** Returns the value. @throws DomainError with `code` and `message` if `value` is null */
export function found<T>(value: T | null, code: ErrorCode, message: string): T {
  if (value === null) throw new DomainError(code, message);
  return value;
}

export function fieldError(path: string, message: string): DomainError {
  return new DomainError('VALIDATION_ERROR', `${path}: ${message}`, { details: [{ path, message }] });
}
