import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { faultOfDelivery } from './described-responses.ts';
import type { Json } from './factories.ts';

/** A delivery attempt as received. `body`: the parsed `bytes`. */
export type Received = {
  headers: IncomingHttpHeaders;
  bytes: Buffer;
  body: Json;
  /** Arrival by the monotonic clock, in milliseconds, to measure gaps. */
  atMs: number;
  /** Arrival in Unix seconds, to check the replay window. */
  atUnixSeconds: number;
};

/** The response: a status, or a function that responds. If the function does nothing, the receiver hangs. */
export type Answering = number | ((attempt: Received, response: ServerResponse) => void);

export type WebhookReceiver = {
  url: string;
  /** Every attempt so far, in order of arrival. */
  received: Received[];
  /** Sets the response of later attempts. */
  respondWith(answering: Answering): void;
  /** Rejects if a delivery did not match the description. */
  close(): Promise<void>;
};

/** Many endpoints behind one port, each with a path of its own. */
export type Receivers = {
  open(answering?: Answering): WebhookReceiver;
  /** Closes all of them. Rejects if a delivery did not match the description. */
  close(): Promise<void>;
};

type Opened = { received: Received[]; answer: Answering };

type ReceiverOptions = {
  host?: string;
  port?: number;
  url?: string;
  check?: (received: readonly Received[]) => void;
};

/** A partner's endpoint on a free local port. Responds as `answering` says until `respondWith`. */
export async function startReceiver(
  answering: Answering = 200,
  options: ReceiverOptions = {},
): Promise<WebhookReceiver> {
  const receivers = await startReceivers(options);
  return { ...receivers.open(answering), close: () => receivers.close() };
}

/**
 * Listens on `host` and `port`. `url`: the address by which the service reaches it, if different. `check` throws if a
 * request differs from the description.
 */
export async function startReceivers({
  host = '127.0.0.1',
  port = 0,
  url,
  check = requireDescribedDeliveries,
}: ReceiverOptions = {}): Promise<Receivers> {
  const endpoints = new Map<string, Opened>();
  const server = createServer((request, response) => {
    const [path = ''] = request.url?.split('?') ?? [];
    const endpoint = endpoints.get(path.split('/').at(-1) ?? '');
    if (endpoint === undefined) response.writeHead(404).end();
    else receive(endpoint, request, response);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const base = url ?? `http://${host}:${(server.address() as AddressInfo).port}`;
  return {
    open: (answering = 200) => {
      const endpoint: Opened = { received: [], answer: answering };
      const name = `hooks-${endpoints.size + 1}`;
      endpoints.set(name, endpoint);
      return {
        url: `${base.replace(/\/$/, '')}/${name}`,
        received: endpoint.received,
        respondWith: (next) => {
          endpoint.answer = next;
        },
        close: async () => check(endpoint.received),
      };
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
      for (const { received } of endpoints.values()) check(received);
    },
  };
}

function receive(endpoint: Opened, request: IncomingMessage, response: ServerResponse): void {
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
    endpoint.received.push(attempt);
    if (typeof endpoint.answer === 'number') response.writeHead(endpoint.answer).end();
    else endpoint.answer(attempt, response);
  });
}

function requireDescribedDeliveries(received: readonly Received[]): void {
  const faults = received.map(({ headers, body }) => faultOfDelivery(headers, body));
  const fault = faults.find((each) => each !== undefined);
  if (fault !== undefined) throw new Error(`A delivery differs from its description: ${fault}`);
}

/** A header that must be present once. */
export function headerOf(attempt: Pick<Received, 'headers'>, name: string): string {
  const value = attempt.headers[name];
  if (typeof value !== 'string') throw new Error(`The delivery has no header ${name}`);
  return value;
}

/** Whether a partner would accept the attempt, by the contract (webhooks/signature). Shares no code with src/. */
export function isGenuine(attempt: Pick<Received, 'headers' | 'bytes' | 'atUnixSeconds'>, secretKey: string): boolean {
  const timestamp = headerOf(attempt, 'x-service-timestamp');
  const [, hex] = /^sha256=([0-9a-f]{64})$/.exec(headerOf(attempt, 'x-service-signature')) ?? [];
  if (!/^\d+$/.test(timestamp) || hex === undefined) return false;
  if (Math.abs(attempt.atUnixSeconds - Number(timestamp)) > 300) return false;
  const expected = createHmac('sha256', secretKey)
    .update(Buffer.concat([Buffer.from(`${timestamp}.`), attempt.bytes]))
    .digest();
  return timingSafeEqual(expected, Buffer.from(hex, 'hex'));
}

/** The entry for the secret in the `webhook-signature` header of Standard Webhooks. */
export function standardSignature({ headers, bytes }: Pick<Received, 'headers' | 'bytes'>, secretKey: string): string {
  const key = Buffer.from(secretKey.slice('whsec_'.length), 'base64');
  const signed = `${headerOf({ headers }, 'webhook-id')}.${headerOf({ headers }, 'webhook-timestamp')}.`;
  return `v1,${createHmac('sha256', key).update(signed).update(bytes).digest('base64')}`;
}
