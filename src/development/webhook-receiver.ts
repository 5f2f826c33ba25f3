/** A partner's webhook receiver, which verifies each delivery before it uses it. */

import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import {
  verifyWebhook,
  type WebhookEvent,
  type WebhookVerificationError,
} from '../../packages/client/src/webhooks/verify.ts';

export type Delivery = {
  path: string;
  headers: Record<string, string>;
  body: Buffer;
  receivedAtMs: number;
} & ({ event: WebhookEvent; fault?: undefined } | { event?: undefined; fault: string });

/**
 * Listens on `port` of 127.0.0.1; 0 picks a free one. Responds with the result of `onDelivery`, or with 401 if a
 * delivery is not signed with the secret of its path.
 */
export async function startWebhookReceiver(
  port: number,
  secretOf: (path: string) => string | undefined | Promise<string | undefined>,
  onDelivery: (delivery: Delivery) => number,
) {
  const receive = async (request: IncomingMessage): Promise<number> => {
    const { url: path = '' } = request;
    const headers = Object.fromEntries(new Headers(request.headers as Record<string, string>));
    const received = { path, headers, body: await buffer(request), receivedAtMs: Date.now() };
    const outcome = await verifyWebhook(received.body, headers, (await secretOf(path)) ?? '').then(
      (event) => ({ event }),
      (error: WebhookVerificationError) => ({ fault: error.reason }),
    );
    const status = onDelivery({ ...received, ...outcome });
    return 'event' in outcome ? status : 401;
  };
  const server = createServer((request, response) => {
    void receive(request).then((status) => response.writeHead(status).end());
  });
  await once(server.listen(port, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
