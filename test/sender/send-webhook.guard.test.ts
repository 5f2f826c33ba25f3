import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { checkEndpointUrl } from '../../src/webhooks/sender/endpoint-url.ts';
import { createNameServerResolver, type ResolveAddresses } from '../../src/webhooks/sender/resolve-addresses.ts';
import type { WebhookSender } from '../../src/webhooks/sender/send-webhook.ts';
import { type NameEntry, startNameServer } from '../support/name-server.ts';
import { closeOpened, guardedSender, outcome, receiver, sender } from './sending.ts';

const publicIp = '93.184.215.14';
const reachable = () => receiver((_request, response) => response.end('reached'));
const send = (by: WebhookSender, url: string) => by.send({ url, headers: {}, body: '{}' });

const blocked = outcome({ ok: false, statusCode: null, error: 'blocked_address' });
const delivered = outcome({ ok: true, statusCode: 200, responseExcerpt: 'reached' });

afterEach(closeOpened);

describe('names are checked at every connection', () => {
  test.each<[string, NameEntry]>([
    ['private', { A: ['127.0.0.1'] }],
    ['private in IPv6 but stays public in IPv4', { A: [publicIp], AAAA: ['::1'] }],
  ])('a name that becomes %s after the endpoint was created is blocked at the call', async (_, later) => {
    const target = await reachable();
    const zone: Record<string, NameEntry> = { 'rebinding.example': { A: [publicIp] } };
    const nameServer = await startNameServer(zone);
    const resolve = createNameServerResolver([nameServer.address]);
    const url = `https://rebinding.example:${target.port}/`;
    expect(await checkEndpointUrl(url, { allowPrivateNetworks: false, resolve })).toEqual({ ok: true });
    zone['rebinding.example'] = later;
    expect(await send(guardedSender(resolve), url)).toEqual(blocked);
    expect(nameServer.asked()).toBe(4);
    expect(target.connections).toBe(0);
    await nameServer.close();
  });

  test('a connection uses the addresses that were checked, without resolving the name again', async () => {
    const target = await reachable();
    const resolve = jest.fn<ResolveAddresses>(async () => ['203.0.113.1']).mockResolvedValueOnce(['127.0.0.1']);
    const url = `http://rebinding.example:${target.port}/`;
    expect(await send(sender(2_000, resolve), url)).toEqual(delivered);
    expect(resolve).toHaveBeenCalledTimes(1);
  });

  test.each([
    ['127.0.0.1', publicIp],
    [publicIp, '127.0.0.1'],
    ['::1', publicIp],
  ])('a name with the addresses %s and %s is blocked, although one of them is public', async (...addresses) => {
    const target = await reachable();
    const guarded = guardedSender(async () => addresses);
    expect(await send(guarded, `https://mixed.example:${target.port}/`)).toEqual(blocked);
    expect(target.connections).toBe(0);
  });

  test('control: a name with a dead and a live address reaches the live one if private networks are allowed', async () => {
    const target = await reachable();
    const open = sender(2_000, async () => ['::1', '127.0.0.1']);
    expect(await send(open, `http://mixed.example:${target.port}/`)).toEqual(delivered);
  });
});

test.each(['http://partner.example/', ...[1, 22, 80, 1023].map((port) => `https://partner.example:${port}/`)])(
  'if private networks are not allowed, %s is blocked without resolving its name, and with a public address',
  async (url) => {
    const resolve = jest.fn<ResolveAddresses>(async () => [publicIp]);
    expect(await send(guardedSender(resolve), url)).toEqual(blocked);
    expect(await send(guardedSender(resolve), url.replace('partner.example', publicIp))).toEqual(blocked);
    expect(resolve).not.toHaveBeenCalled();
  },
);

const targets = (port: number) => [
  'http://169.254.169.254/latest/meta-data/',
  'https://metadata.google.internal/',
  `http://127.0.0.1:${port}/secrets`,
  `//127.0.0.1:${port}/secrets`,
  `https://user:pass@localhost:${port}/`,
  '/secrets',
  'file:///etc/passwd',
  'gopher://127.0.0.1:6379/_FLUSHALL',
];

test.each([301, 302, 303, 307, 308])(
  'a redirect with %s to an internal address is a failure and is not followed',
  async (status) => {
    const internal = await reachable();
    const resolve = jest.fn<ResolveAddresses>(async () => ['127.0.0.1']);
    const open = sender(2_000, resolve);
    for (const location of targets(internal.port)) {
      const redirecting = await receiver((_request, response) => {
        response.writeHead(status, { location }).end('moved');
      });
      expect(await send(open, `http://127.0.0.1:${redirecting.port}/`)).toEqual(
        outcome({ ok: false, statusCode: status, error: 'redirect', responseExcerpt: 'moved' }),
      );
      expect(redirecting.requests.length).toBe(1);
    }
    expect([internal.connections, resolve.mock.calls]).toEqual([0, []]);

    // Control: the same sender reaches the target directly.
    expect(await send(open, `http://127.0.0.1:${internal.port}/secrets`)).toEqual(delivered);
  },
);
