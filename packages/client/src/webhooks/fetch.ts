import type { OnEvent, ReceiveOptions } from './receive.ts';
import { receiveWebhook } from './receive.ts';

/**
 * A handler for whatever speaks `Request` and `Response`: Deno, Bun, workers, Next.js, Hono. 204 once `onEvent` has taken the event
 * over, 401 and 400 with the reason where it is not genuine; rejects where `onEvent` fails.
 */
export function fetchWebhook(
  secret: string,
  onEvent: OnEvent,
  options?: ReceiveOptions,
): (request: Request) => Promise<Response> {
  return async (request) => {
    const rawBody = new Uint8Array(await request.arrayBuffer());
    const received = await receiveWebhook(rawBody, request.headers, secret, onEvent, options);
    if (received.status === 204) return new Response(null, { status: 204 });
    return Response.json(received.body, { status: received.status });
  };
}
