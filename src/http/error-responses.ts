import type { ErrorCode, ErrorExtras } from '../platform/errors.ts';

/** The one place where a code gets its HTTP status (contract "Errors", decisions §1); a code without one does not compile. */
export const STATUS_OF: Record<ErrorCode, number> = {
  VALIDATION_ERROR: 400,
  INVALID_JSON: 400,
  INVALID_API_KEY: 401,
  PARTNER_SUSPENDED: 403,
  UNAUTHORIZED: 403,
  VENUE_NOT_AUTHORIZED: 403,
  CSRF_REJECTED: 403,
  ROUTE_NOT_FOUND: 404,
  VENUE_NOT_FOUND: 404,
  RESOURCE_NOT_FOUND: 404,
  SLOT_NOT_FOUND: 404,
  HOLD_NOT_FOUND: 404,
  BOOKING_NOT_FOUND: 404,
  WEBHOOK_NOT_FOUND: 404,
  DELIVERY_NOT_FOUND: 404,
  PARTNER_NOT_FOUND: 404,
  KEY_NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  SLOT_NOT_AVAILABLE: 409,
  HOLD_LIMIT_REACHED: 409,
  HOLD_EXPIRED: 409,
  INVALID_HOLD_STATE: 409,
  DOUBLE_BOOKING_ATTEMPT: 409,
  IDEMPOTENCY_KEY_MISMATCH: 409,
  WEBHOOK_LIMIT_REACHED: 409,
  DELIVERY_IN_PROGRESS: 409,
  PARTNER_NOT_CERTIFIED: 409,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  RATE_LIMITED: 429,
  INTERNAL_ERROR: 500,
  SERVICE_UNAVAILABLE: 503,
};

export type ErrorBody = {
  success: false;
  error: { code: ErrorCode; message: string; request_id: string } & ErrorExtras;
};

/** The body of every error answer (decisions §1). */
export function errorBody(
  code: ErrorCode,
  message: string,
  requestId: string,
  extras: ErrorExtras = {},
): ErrorBody {
  return { success: false, error: { code, message, request_id: requestId, ...extras } };
}
