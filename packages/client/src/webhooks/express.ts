import type { OnEvent } from './receive.ts';
import { receiveWebhook, requireBytes } from './receive.ts';
import type { VerifyOptions, WebhookHeaders } from './verify.ts';

type Request = { headers: Exclude<WebhookHeaders, { get: unknown }>; body?: unknown };
type Response = { status(code: number): { end(): unknown } };
type Next = (error?: unknown) => unknown;

/**
 * A handler to stand behind `express.raw({ type: 'application/json' })`: 204 once `onEvent` has taken the event over, 401 and 400
 * where it is not genuine, and `next` with the error where `onEvent` fails.
 */
export function expressWebhook(
  secret: string,
  onEvent: OnEvent,
  options?: VerifyOptions,
): (request: Request, response: Response, next: Next) => Promise<void> {
  return async ({ headers, body }, response, next) => {
    try {
      response.status(await receiveWebhook(requireBytes(body), headers, secret, onEvent, options)).end();
    } catch (error) {
      next(error);
    }
  };
}
