import type { Schemas } from './operation-types.ts';

type ErrorBody = Schemas['Error']['error'];

/** The codes known to this release, or any other string: decide by status, then by code. */
export type ErrorCode = ErrorBody['code'];

/** Any response but a success: decide by `status` and `code`. */
export class PartnerApiError extends Error {
  override readonly name = 'PartnerApiError';
  readonly status: number;
  /** `HTTP_<status>` if the response is not the service's own, such as a proxy's. */
  readonly code: ErrorCode;
  /** Quote it to the operator. */
  readonly requestId: string | undefined;
  /** The page about `code`, relative to the address of the service. */
  readonly docs: string | undefined;
  /** With VALIDATION_ERROR: every faulty field. */
  readonly details: NonNullable<ErrorBody['details']>;
  /** With SLOT_NOT_AVAILABLE: the reason and free alternatives. With SUBSCRIPTION_EXISTS: only `subscription_id`. */
  readonly conflict: (NonNullable<ErrorBody['conflict']> & { subscription_id?: string }) | undefined;
  /** With INVALID_HOLD_STATE of a confirmed hold: its booking. */
  readonly bookingId: string | undefined;
  /** With 429 and 503: when to ask again. */
  readonly retryAfterSeconds: number | undefined;

  /** `body`: the response's, parsed if it is JSON. */
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

/** No attempt got a complete response in time, so the outcome is unknown. `cause`: why the last one failed. */
export class PartnerConnectionError extends Error {
  override readonly name = 'PartnerConnectionError';
}

/** The error of a body of the service; empty for any other body. */
function errorIn(body: unknown): Partial<ErrorBody> {
  const { error } = (body ?? {}) as { error?: Partial<Record<keyof ErrorBody, unknown>> | null };
  const { code, message, request_id: requestId } = error ?? {};
  const isOurs = [code, message, requestId].every((each) => typeof each === 'string');
  return isOurs ? (error as ErrorBody) : {};
}
