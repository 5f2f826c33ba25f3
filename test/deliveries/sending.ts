import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import type { TlsOptions } from 'node:tls';
import { expect } from '@jest/globals';
import type { SendOutcome } from '../../src/webhooks/sender/collect-response.ts';
import type { ResolveAddresses } from '../../src/webhooks/sender/resolve-addresses.ts';
import { createWebhookSender, type WebhookSender } from '../../src/webhooks/sender/send-webhook.ts';
import { eventually } from '../support/eventually.ts';
import { httpReceiver, type Receiver, selfSignedReceiver, tcpReceiver } from './receivers.ts';

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

export async function receiver(answer: RequestListener): Promise<Receiver> {
  return closeLater(await httpReceiver(answer));
}

export async function tlsReceiver(answer: RequestListener, options: TlsOptions = {}): Promise<Receiver> {
  return closeLater(await selfSignedReceiver(answer, options));
}

export async function rawReceiver(converse: (socket: Socket) => void): Promise<Receiver> {
  return closeLater(await tcpReceiver(converse));
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
