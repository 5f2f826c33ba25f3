import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { faultOfDelivery } from './described-responses.ts';
import type { Json } from './factories.ts';

/** A delivery attempt as it arrived: the exact bytes, and what they say. */
export type Received = {
  headers: IncomingHttpHeaders;
  bytes: Buffer;
  body: Json;
  /** Milliseconds of the monotonic clock, for gaps. */
  atMs: number;
  /** Unix seconds at arrival, for the replay window. */
  atUnixSeconds: number;
};

/** What the receiver does with an attempt: a status, or whatever the function does with the response (nothing: it hangs). */
export type Answering = number | ((attempt: Received, response: ServerResponse) => void);

export type WebhookReceiver = {
  url: string;
  /** Every attempt so far, in order of arrival. */
  received: Received[];
  /** From now on it answers so. */
  respondWith(answering: Answering): void;
  /** Rejects where a delivery came that is otherwise than the description of the interface says. */
  close(): Promise<void>;
};

/** A partner's endpoint on a free port of this machine. It returns 200 until told otherwise. */
export async function startReceiver(answering: Answering = 200): Promise<WebhookReceiver> {
  const received: Received[] = [];
  let answer = answering;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => void chunks.push(chunk));
    request.on('end', () => {
      const bytes = Buffer.concat(chunks);
      const attempt = {
        headers: request.headers,
        bytes,
        body: JSON.parse(bytes.toString()) as Json,
        atMs: performance.now(),
        atUnixSeconds: Date.now() / 1000,
      };
      received.push(attempt);
      if (typeof answer === 'number') response.writeHead(answer).end();
      else answer(attempt, response);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`,
    received,
    respondWith: (next) => {
      answer = next;
    },
    close: () =>
      new Promise((resolve, reject) => {
        // Now, so that no response is kept waiting.
        const faults = received.map(({ headers, body }) => faultOfDelivery(headers, body));
        const fault = faults.find((each) => each !== undefined);
        server.close(() =>
          fault === undefined
            ? resolve()
            : reject(new Error(`A delivery was otherwise than described: ${fault}`)),
        );
        server.closeAllConnections();
      }),
  };
}

/** A header that must be there once. */
export function headerOf(attempt: Pick<Received, 'headers'>, name: string): string {
  const value = attempt.headers[name];
  if (typeof value !== 'string') throw new Error(`The delivery has no header ${name}`);
  return value;
}

/**
 * Whether a partner would accept the attempt, by the contract alone (contract: webhooks/signature): written from that page,
 * sharing no code with the service.
 */
export function isGenuine(
  attempt: Pick<Received, 'headers' | 'bytes' | 'atUnixSeconds'>,
  secretKey: string,
): boolean {
  const timestamp = headerOf(attempt, 'x-service-timestamp');
  const [, hex] = /^sha256=([0-9a-f]{64})$/.exec(headerOf(attempt, 'x-service-signature')) ?? [];
  if (!/^\d+$/.test(timestamp) || hex === undefined) return false;
  if (Math.abs(attempt.atUnixSeconds - Number(timestamp)) > 300) return false;
  const expected = createHmac('sha256', secretKey)
    .update(Buffer.concat([Buffer.from(`${timestamp}.`), attempt.bytes]))
    .digest();
  return timingSafeEqual(expected, Buffer.from(hex, 'hex'));
}
