import type { VerifyOptions, WebhookEvent, WebhookHeaders } from './verify.ts';
import { verifyWebhook, WebhookVerificationError } from './verify.ts';

/**
 * Takes a verified event over: puts it on a queue of your own, no more, since the service waits 10 s. Where it throws or rejects the
 * response is a 500, and the delivery comes again.
 */
export type OnEvent = (event: WebhookEvent) => unknown;

/** Verifies a delivery and hands it over; returns the status to respond with. Rejects where `onEvent` does. */
export async function receiveWebhook(
  rawBody: Uint8Array,
  headers: WebhookHeaders,
  secret: string,
  onEvent: OnEvent,
  options?: VerifyOptions,
): Promise<204 | 400 | 401> {
  try {
    await onEvent(await verifyWebhook(rawBody, headers, secret, options));
    return 204;
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    return error.reason === 'malformed_body' ? 400 : 401;
  }
}

/** The bytes that a framework put into the request's body; none where it put nothing there. @throws where that is parsed JSON. */
export function requireBytes(body: unknown): Uint8Array {
  if (body instanceof Uint8Array) return body;
  if (body === undefined || body === null) return new Uint8Array();
  throw new TypeError(
    'The body is not the raw bytes that came: a parser was in front of the webhook handler',
  );
}
