import type { DeliveryError } from './delivery-error.rules.ts';
import { deliveryErrorOfStatus } from './delivery-error.rules.ts';

const MAX_RESPONSE_BYTES = 16 * 1024;
/** A receiver has use for one or two 1xx before its response; reading them without end would cost this process its time. */
const MAX_INTERIM_RESPONSES = 20;
const MAX_EXCERPT_CHARACTERS = 1024;
// Line ends and tabs become spaces; other control characters and those that reorder text could disguise a log line.
const LINE_BREAKING = /[\t\n\r\u2028\u2029]+/g;
const INVISIBLE_CONTROLS = /[\p{Cc}\p{Bidi_Control}]/gu;

/** Why an exchange failed; null where it did not. */
export type FailureCause = DeliveryError | 'interrupted' | null;

/**
 * What came of one exchange. `interrupted` (the caller's signal, or a closed sender) says nothing about the receiver and
 * is not an attempt to count. `statusCode` is null when no head arrived; `responseExcerpt` is what `responseExcerpt()`
 * keeps of the response, which never holds a secret because no secret is ever sent.
 */
export type SendOutcome = {
  ok: boolean;
  statusCode: number | null;
  error: FailureCause;
  durationMs: number;
  responseExcerpt: string | null;
};

/** Collects what arrives of one response, up to the reading limit, and says what came of the exchange. */
export function collectResponse() {
  const chunks: Buffer[] = [];
  let bytesLeft = MAX_RESPONSE_BYTES;
  let interimLeft = MAX_INTERIM_RESPONSES;
  let statusCode: number | null = null;
  return {
    isInterimTooOftenWith(status: number): boolean {
      if (status >= 200) statusCode = status;
      else interimLeft -= 1;
      return interimLeft < 0;
    },
    isFullWith(chunk: Buffer): boolean {
      chunks.push(chunk.subarray(0, bytesLeft));
      bytesLeft -= chunk.length;
      return bytesLeft <= 0;
    },
    outcome(cause: FailureCause): Omit<SendOutcome, 'durationMs'> {
      const verdict = statusCode === null ? null : deliveryErrorOfStatus(statusCode);
      const error = verdict ?? cause;
      return {
        ok: error === null,
        statusCode,
        error,
        responseExcerpt: responseExcerpt(Buffer.concat(chunks)),
      };
    },
  };
}

/**
 * What is kept of a receiver's response for the partner to see: at most 1,024 characters (UTF-16 units) of well-formed
 * text on one line, without control characters; bytes that are not UTF-8 become U+FFFD. `null` when nothing is left.
 */
export function responseExcerpt(bytes: Buffer): string | null {
  // `stream` leaves out a last character that the reading limit cut in two.
  const text = new TextDecoder().decode(bytes, { stream: true });
  const excerpt = text
    .replace(LINE_BREAKING, ' ')
    .replace(INVISIBLE_CONTROLS, '')
    .slice(0, MAX_EXCERPT_CHARACTERS)
    .replace(/[\uD800-\uDBFF]$/, '');
  return excerpt === '' ? null : excerpt;
}
