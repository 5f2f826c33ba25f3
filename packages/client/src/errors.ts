import type { Schemas } from './operation-types.ts';

type ErrorBody = Schemas['Error']['error'];

/** A code known to this client version, or any other string: decide by status, then by code. */
export type ErrorCode = ErrorBody['code'];

/** An error response. Decide by `status`, then by `code`. */
export class PartnerApiError extends Error {
  override readonly name = 'PartnerApiError';
  readonly status: number;
  /** `HTTP_<status>` if another program responded, for example a proxy. */
  readonly code: ErrorCode;
  /** Send this id to the operator when you ask for help. */
  readonly requestId: string | undefined;
  /** The page about `code`, relative to the address of the service. */
  readonly docs: string | undefined;
  /** With VALIDATION_ERROR: every faulty field. */
  readonly details: NonNullable<ErrorBody['details']>;
  /**
   * With SLOT_NOT_AVAILABLE: the reason and free alternatives. With PRICE_CHANGED: both prices. With
   * SUBSCRIPTION_EXISTS: `subscription_id` only.
   */
  readonly conflict: (NonNullable<ErrorBody['conflict']> & { subscription_id?: string }) | undefined;
  /** With INVALID_HOLD_STATE of a confirmed hold: the id of its booking. */
  readonly bookingId: string | undefined;
  /** With 429 and 503: seconds to wait before you repeat the call. */
  readonly retryAfterSeconds: number | undefined;

  /** `body` is the response body, parsed if it is JSON. */
  constructor({ status, headers }: Pick<Response, 'status' | 'headers'>, body: unknown) {
    const error = errorIn(body);
    super(error.message ?? `The response has status ${status}`);
    this.status = status;
    this.code = error.code ?? `HTTP_${status}`;
    this.requestId = error.request_id ?? headers.get('x-request-id') ?? undefined;
    this.docs = error.docs;
    this.details = error.details ?? [];
    this.conflict = error.conflict;
    this.bookingId = error.booking_id;
    const retryAfter = headers.get('retry-after') ?? '';
    this.retryAfterSeconds = /^\d+$/.test(retryAfter) ? Number(retryAfter) : undefined;
  }
}

/**
 * The last attempt got no whole response in time, or a successful response that is not JSON. It is unknown whether the
 * call took effect. `cause` is the failure.
 */
export class PartnerConnectionError extends Error {
  override readonly name = 'PartnerConnectionError';
}

/** The `error` of a body in the service's form; `{}` for any other body. */
function errorIn(body: unknown): Partial<ErrorBody> {
  const { error } = (body ?? {}) as { error?: Partial<Record<keyof ErrorBody, unknown>> | null };
  const { code, message, request_id: requestId } = error ?? {};
  const isOurs = [code, message, requestId].every((each) => typeof each === 'string');
  return isOurs ? (error as ErrorBody) : {};
}
