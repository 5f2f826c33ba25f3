import { createServer, type RequestListener } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import type { TlsOptions } from 'node:tls';
import { expect } from '@jest/globals';
import type { SendOutcome } from '../../src/webhooks/sender/collect-response.ts';
import type { ResolveAddresses } from '../../src/webhooks/sender/resolve-addresses.ts';
import { createWebhookSender, type WebhookSender } from '../../src/webhooks/sender/send-webhook.ts';
import { eventually } from '../support/eventually.ts';
import { selfSigned } from './self-signed.ts';

const opened: Array<{ close(): Promise<void> }> = [];

/** Closes everything opened since the last call, newest first. */
export async function closeOpened(): Promise<void> {
  for (const item of opened.splice(0).toReversed()) await item.close();
}

function closeLater<T extends { close(): Promise<void> }>(item: T): T {
  opened.push(item);
  return item;
}

/** Resolves `partner.example` to this machine, never settles for `hanging.example`, and rejects any other name. */
const resolveExamples: ResolveAddresses = (hostname) => {
  if (hostname === 'partner.example') return Promise.resolve(['127.0.0.1']);
  if (hostname === 'hanging.example') return new Promise(() => {});
  return Promise.reject(Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' }));
};

/** A sender that may call receivers on this machine. */
export function sender(timeoutMs = 2_000, resolve: ResolveAddresses = resolveExamples): WebhookSender {
  return closeLater(createWebhookSender({ timeoutMs, allowPrivateNetworks: true, resolve }));
}

/** A sender that, as in production, may not call private networks. */
export function guardedSender(resolve: ResolveAddresses = resolveExamples): WebhookSender {
  return closeLater(createWebhookSender({ timeoutMs: 2_000, allowPrivateNetworks: false, resolve }));
}

/** A partner's receiver on a free loopback port. It counts connections and requests. */
export type Receiver = {
  port: number;
  /** Connections accepted so far. */
  connections: number;
  /** Connections closed so far, by either side. */
  closedConnections: number;
  /** Complete requests: method, URL, headers and the exact bytes of the body. */
  requests: Array<{ method: string; url: string; headers: NodeJS.Dict<string | string[]>; body: Buffer }>;
  close(): Promise<void>;
};

/** An HTTP receiver. Calls `answer` for each complete request. */
export function receiver(
  answer: RequestListener,
  create: (listener: RequestListener) => Server = createServer,
): Promise<Receiver> {
  const requests: Receiver['requests'] = [];
  const server = create((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      requests.push({ method, url, headers, body: Buffer.concat(chunks) });
      answer(request, response);
    });
  });
  return listening(server, requests);
}

/** An HTTPS receiver with an untrusted certificate. */
export const tlsReceiver = (answer: RequestListener, options: TlsOptions = {}): Promise<Receiver> =>
  receiver(answer, (listener) => createHttpsServer({ ...selfSigned, ...options }, listener));

/** A TCP receiver. `converse` writes its responses. */
export const rawReceiver = (converse: (socket: Socket) => void): Promise<Receiver> =>
  listening(createTcpServer(converse), []);

async function listening(server: Server, requests: Receiver['requests']): Promise<Receiver> {
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    target.connections += 1;
    open.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => {
      target.closedConnections += 1;
      open.delete(socket);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  const target: Receiver = {
    port,
    connections: 0,
    closedConnections: 0,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of open) socket.destroy();
      }),
  };
  return closeLater(target);
}

/** A message to a receiver on this machine. */
export const messageTo = (port: number) => ({
  url: `http://127.0.0.1:${port}/hook`,
  headers: {},
  body: '{}',
});

export const outcome = (expected: { [Field in keyof SendOutcome]?: unknown }) => expect.objectContaining(expected);

/** Sends to the receiver, with a new sender by default. */
export const sendTo = ({ port }: Receiver, by: WebhookSender = sender()): Promise<SendOutcome> =>
  by.send(messageTo(port));

/** Waits until this number of the receiver's connections have closed. */
export const closed = (target: Receiver, connections = 1): Promise<unknown> =>
  eventually(`${connections} ended connections`, () => target.closedConnections === connections);
