/** The demo partner's side: receives signed webhooks, checks them as a partner should, and prints a line for each. */

import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type Server } from 'node:http';
import type { LogLine } from '../embedded/server-kinds.ts';

const maxBodyBytes = 1024 * 1024;
const replayWindowSeconds = 300;

export type WebhookReceiver = {
  url: string;
  close: () => Promise<void>;
};

/**
 * Listens on 127.0.0.1 (0 picks a free port) and responds with 200 to a delivery whose signature is valid, 401 to any other.
 * `secretKey` returns the subscription's current secret; while there is none, every delivery is rejected.
 */
export async function startWebhookReceiver(
  port: number,
  secretKey: () => string | undefined,
  log: LogLine,
): Promise<WebhookReceiver> {
  const server = createServer((request, response) => {
    void readBody(request).then(
      (body) => {
        const fault = signatureFault(request.headers, body, secretKey(), Date.now() / 1000);
        log(describe(request.headers, body, fault));
        response.writeHead(fault === undefined ? 200 : 401).end();
      },
      () => response.writeHead(413).end(),
    );
  });
  const actualPort = await listen(server, port);
  return {
    url: `http://127.0.0.1:${actualPort}/webhooks`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/**
 * Checks a delivery as a receiver must (contract: webhooks/signature): HMAC-SHA256 over `<timestamp>.<raw body>`, compared in
 * constant time, at most 300 s old or early. Returns what is wrong, undefined where nothing is.
 */
export function signatureFault(
  headers: IncomingHttpHeaders,
  body: Buffer,
  secretKey: string | undefined,
  nowSeconds: number,
): string | undefined {
  const timestamp = String(headers['x-service-timestamp'] ?? '');
  const signature = /^sha256=([0-9a-f]{64})$/.exec(String(headers['x-service-signature'] ?? ''))?.[1];
  if (secretKey === undefined) return 'no secret known yet';
  if (!/^\d+$/.test(timestamp)) return 'timestamp is no number';
  if (signature === undefined) return 'signature is malformed';
  if (Math.abs(nowSeconds - Number(timestamp)) > replayWindowSeconds)
    return 'timestamp is outside the replay window';
  const expected = createHmac('sha256', secretKey).update(`${timestamp}.`).update(body).digest();
  return timingSafeEqual(expected, Buffer.from(signature, 'hex')) ? undefined : 'signature does not match';
}

function describe(headers: IncomingHttpHeaders, body: Buffer, fault: string | undefined): string {
  const text = (name: string): string => String(headers[name] ?? '?');
  const event = `webhook ${text('x-webhook-event')}, attempt ${text('x-delivery-attempt')}`;
  if (fault !== undefined) return `${event}: REFUSED, ${fault}`;
  return `${event}, signature ok: ${slotOf(body)}`;
}

function slotOf(body: Buffer): string {
  try {
    const event: unknown = JSON.parse(body.toString());
    return typeof event === 'object' && event !== null && 'slot_id' in event
      ? String(event.slot_id)
      : '(no slot)';
  } catch {
    return '(body is not JSON)';
  }
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBodyBytes) throw new Error('body is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
}
