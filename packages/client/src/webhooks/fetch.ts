import type { OnEvent, ReceiveOptions } from './receive.ts';
import { receiveWebhook } from './receive.ts';

/**
 * A handler for platforms with `Request` and `Response`: Deno, Bun, workers, Next.js, Hono. Responds 204 after
 * `onEvent`, and 401 or 400 with the reason if the delivery is not genuine. Rejects if `onEvent` fails.
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
