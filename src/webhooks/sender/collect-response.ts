import type { IncomingMessage } from 'node:http';
import { parseUrl } from '../../platform/parse-url.ts';
import {
  type DeliveryError,
  type DeliveryErrorDetail,
  deliveryErrorOfStatus,
  type Failure,
} from './delivery-error.rules.ts';
import { responseExcerpt } from './response-excerpt.ts';

const MAX_RESPONSE_BYTES = 16 * 1024;
/** Interim responses (1xx) that a receiver may send first; more are rejected, so that none can occupy this process. */
const MAX_INTERIM_RESPONSES = 20;

/** Why an exchange failed; null if it did not. */
export type FailureCause = Failure | 'interrupted' | null;

/**
 * The outcome of one exchange. `interrupted` (the caller's signal, or a closed sender) says nothing about the receiver
 * and must not count as an attempt. `statusCode` is null if no head arrived; `redirectTo` is the origin of a redirect's
 * target. `responseExcerpt` holds no secret of this service: requests carry only a signature.
 */
export type SendOutcome = {
  ok: boolean;
  statusCode: number | null;
  error: DeliveryError | 'interrupted' | null;
  errorDetail: DeliveryErrorDetail | null;
  redirectTo: string | null;
  durationMs: number;
  responseExcerpt: string | null;
};

/** Collects one response up to the reading limit, and works out the outcome of the exchange. */
export function collectResponse() {
  const chunks: Buffer[] = [];
  let bytesLeft = MAX_RESPONSE_BYTES;
  let interimLeft = MAX_INTERIM_RESPONSES;
  let head: Pick<IncomingMessage, 'statusCode' | 'headers'> | undefined;
  return {
    isOneInterimTooMany(): boolean {
      interimLeft -= 1;
      return interimLeft < 0;
    },
    begin(response: Pick<IncomingMessage, 'statusCode' | 'headers'>): void {
      head = response;
    },
    isFullWith(chunk: Buffer): boolean {
      chunks.push(chunk.subarray(0, bytesLeft));
      bytesLeft -= chunk.length;
      return bytesLeft <= 0;
    },
    async outcome(url: string, cause: FailureCause): Promise<Omit<SendOutcome, 'durationMs'>> {
      const statusCode = head?.statusCode ?? null;
      const verdict = statusCode === null ? null : deliveryErrorOfStatus(statusCode);
      const failure = verdict === null && cause !== 'interrupted' ? cause : null;
      const error = verdict ?? (cause === 'interrupted' ? cause : (failure?.error ?? null));
      return {
        ok: error === null,
        statusCode,
        error,
        errorDetail: failure?.detail ?? null,
        redirectTo: error === 'redirect' ? originOf(head?.headers.location, url) : null,
        responseExcerpt: await responseExcerpt(Buffer.concat(chunks), head?.headers),
      };
    },
  };
}

/** The origin of a redirect's target, because path and query may hold secrets; null if it is no http or https URL. */
function originOf(location: string | undefined, from: string): string | null {
  const to = location === undefined ? undefined : parseUrl(location, from);
  return to?.protocol === 'https:' || to?.protocol === 'http:' ? to.origin : null;
}
