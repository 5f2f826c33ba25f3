import type { OnEvent, ReceiveOptions } from './receive.ts';
import { rawBodyOf, receiveWebhook } from './receive.ts';
import type { WebhookHeaders } from './verify.ts';

type Request = { headers: Exclude<WebhookHeaders, { get: unknown }>; body?: unknown; rawBody?: unknown };
type Response = { status(code: number): { end(): unknown; json(body: unknown): unknown } };
type Next = (error?: unknown) => unknown;

/**
 * An Express handler. Use it after `express.raw({ type: 'application/json' })`, or on platforms that set
 * `request.rawBody`, such as Google Cloud Functions. Responds 204 after `onEvent`, and 401 or 400 with the reason if
 * the delivery is not genuine. If `onEvent` fails or the raw body is missing, `next` gets the error; without `next` the
 * response is 500 with the message.
 */
export function expressWebhook(
  secret: string,
  onEvent: OnEvent,
  options?: ReceiveOptions,
): (request: Request, response: Response, next?: Next) => Promise<void> {
  return async (request, response, next) => {
    try {
      const rawBody = rawBodyOf(request);
      const received = await receiveWebhook(rawBody, request.headers, secret, onEvent, options);
      const reply = response.status(received.status);
      if (received.status === 204) reply.end();
      else reply.json(received.body);
    } catch (error) {
      if (next === undefined) response.status(500).json({ reason: messageOf(error) });
      else next(error);
    }
  };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
