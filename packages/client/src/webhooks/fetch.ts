import type { OnEvent } from './receive.ts';
import { receiveWebhook } from './receive.ts';
import type { VerifyOptions } from './verify.ts';

/**
 * A handler for whatever speaks `Request` and `Response`: Deno, Bun, workers, Next.js, Hono. 204 once `onEvent` has taken the event
 * over, 401 and 400 where it is not genuine; rejects where `onEvent` fails.
 */
export function fetchWebhook(
  secret: string,
  onEvent: OnEvent,
  options?: VerifyOptions,
): (request: Request) => Promise<Response> {
  return async (request) => {
    const rawBody = new Uint8Array(await request.arrayBuffer());
    return new Response(null, {
      status: await receiveWebhook(rawBody, request.headers, secret, onEvent, options),
    });
  };
}
