import type { VerifyOptions, WebhookEvent, WebhookHeaders } from './verify.ts';
import { verifyWebhook, WebhookVerificationError } from './verify.ts';

/**
 * Called with a verified event. Only put the event on a queue: the service waits 10 s for the response. If `onEvent`
 * throws or rejects, the response is 500 and the service retries the delivery.
 */
export type OnEvent = (event: WebhookEvent) => unknown;

export type ReceiveOptions = VerifyOptions & {
  /** Called for each rejected delivery with the reason, for your log. */
  onRefused?: (error: WebhookVerificationError) => unknown;
};

/** The response to send. A rejection has a body such as `{"reason": "signature_mismatch"}`. */
export type Received = { status: 204 } | { status: 400 | 401; body: { reason: string } };

/** Verifies a delivery and passes its event to `onEvent`. Resolves to the response; rejects if a callback fails. */
export async function receiveWebhook(
  rawBody: Uint8Array | string,
  headers: WebhookHeaders,
  secret: string,
  onEvent: OnEvent,
  { onRefused, ...options }: ReceiveOptions = {},
): Promise<Received> {
  let event: WebhookEvent;
  try {
    event = await verifyWebhook(rawBody, headers, secret, options);
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    await onRefused?.(error);
    return { status: error.reason === 'malformed_body' ? 400 : 401, body: { reason: error.reason } };
  }
  await onEvent(event);
  return { status: 204 };
}

type FrameworkRequest = {
  /** Set by platforms that read the body: Google Cloud Functions, Firebase, NestJS, `express.json({ verify })`. */
  rawBody?: unknown;
  body?: unknown;
  headers: Exclude<WebhookHeaders, { get: unknown }>;
};

/** The raw bytes of a framework's request. @throws TypeError if a parser has consumed them */
export function rawBodyOf({ rawBody, body, headers }: FrameworkRequest): Uint8Array | string {
  const raw = rawBody ?? body;
  if (typeof raw === 'string' || raw instanceof Uint8Array) {
    if (raw.length > 0 || !hasBody(headers)) return raw;
  } else if ((raw === undefined || raw === null) && !hasBody(headers)) return '';
  throw new TypeError(
    'The raw body is gone: a parser was in front of the webhook handler. Keep the bytes with express.raw, or in request.rawBody.',
  );
}

function hasBody(headers: FrameworkRequest['headers']): boolean {
  return Number(headers['content-length'] ?? 0) > 0;
}
