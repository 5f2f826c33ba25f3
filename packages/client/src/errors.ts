import type { Schemas } from './operation-types.ts';

type ErrorBody = Schemas['Error']['error'];

/** The codes known when this client was made, or any other string: decide by status, then by code. */
export type ErrorCode = ErrorBody['code'];

/** The service answered with anything but a success. What happened is for `status` and `code` to say. */
export class PartnerApiError extends Error {
  override readonly name = 'PartnerApiError';
  readonly status: number;
  /** `HTTP_<status>` where the response is not the service's own, such as a proxy's. */
  readonly code: ErrorCode;
  /** Quote it to the operator. */
  readonly requestId: string | undefined;
  /** The page about `code`, relative to the address of the service. */
  readonly docs: string | undefined;
  /** With VALIDATION_ERROR: every faulty field. */
  readonly details: NonNullable<ErrorBody['details']>;
  /** With SLOT_NOT_AVAILABLE: why, and which slots are free instead. With SUBSCRIPTION_EXISTS: `subscription_id` alone. */
  readonly conflict: (NonNullable<ErrorBody['conflict']> & { subscription_id?: string }) | undefined;
  /** With INVALID_HOLD_STATE, where the hold has been confirmed: the booking that it became. */
  readonly bookingId: string | undefined;
  /** With 429 and 503: when to ask again. */
  readonly retryAfterSeconds: number | undefined;

  /** `body` is the response's, parsed where it is JSON. */
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

/** No attempt of a call got a whole response in time: what happened is unknown. `cause` is why the last one got none. */
export class PartnerConnectionError extends Error {
  override readonly name = 'PartnerConnectionError';
}

/** The error of a body that is as the service makes them; of any other nothing, whatever is called `error` there. */
function errorIn(body: unknown): Partial<ErrorBody> {
  const { error } = (body ?? {}) as { error?: Partial<Record<keyof ErrorBody, unknown>> | null };
  const { code, message, request_id: requestId } = error ?? {};
  const isOurs = [code, message, requestId].every((each) => typeof each === 'string');
  return isOurs ? (error as ErrorBody) : {};
}
