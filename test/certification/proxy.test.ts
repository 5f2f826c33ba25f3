import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { MADE_UP_VENUES } from '../../packages/client/src/certification/made-up-venues.ts';
import { callsOf, type Fault } from '../../packages/client/src/certification/proxied-calls.ts';
import { type Proxy, startProxy } from '../../packages/client/src/certification/proxy.ts';

const HOLDS = '/api/v1/partner/holds';
const VENUES = '/api/v1/partner/venues';

/** What reached the service behind the proxy. */
let reached: { target: string; headers: IncomingMessage['headers']; body: string }[] = [];
const service = createServer((request, response) => {
  const answer = async () => {
    const body = Buffer.concat((await request.toArray()) as Buffer[]).toString();
    reached.push({ target: request.url ?? '', headers: request.headers, body });
    response.writeHead(201, { 'content-type': 'application/json', etag: '"1"', ratelimit: '"d";r=7;t=3' });
    const isListing = request.url === VENUES;
    response.end(JSON.stringify(isListing ? { data: [{ venue_id: 'v1' }] } : { hold_id: 'h1' }));
  };
  void answer();
});
let proxy: Proxy;
let left: string | null = null;
beforeAll(async () => {
  service.listen(0, '127.0.0.1');
  await once(service, 'listening');
  proxy = await startProxy({
    baseUrl: `http://127.0.0.1:${(service.address() as AddressInfo).port}`,
    port: 0,
    onAnswer: (headers) => {
      left = headers.get('ratelimit');
    },
  });
});
afterAll(async () => {
  await proxy.close();
  service.closeAllConnections();
  service.close();
});
afterEach(() => {
  proxy.forget();
  reached = [];
});

const place = (headers: Record<string, string> = {}) =>
  fetch(`${proxy.url}${HOLDS}?a=1`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': 'pk_1', ...headers },
    body: '{"slot_id":"s1","idempotency_key":"k1"}',
  });
const arm = (fault: Fault) => proxy.arm({ isFor: callsOf('placeHold'), times: 1, fault });

test('without a fault a call arrives as it was sent, and is noted with its key and its answer', async () => {
  const response = await place();
  expect([response.status, response.headers.get('etag')]).toEqual([201, '"1"']);
  expect(await response.json()).toEqual({ hold_id: 'h1' });
  const sent = { headers: { 'x-api-key': 'pk_1' }, body: '{"slot_id":"s1","idempotency_key":"k1"}' };
  expect(reached).toMatchObject([{ target: `${HOLDS}?a=1`, ...sent }]);
  expect(proxy.calls).toMatchObject([
    { operation: 'placeHold', key: 'k1', isFaulted: false, answer: { status: 201, body: { hold_id: 'h1' } } },
  ]);
  expect(left).toBe('"d";r=7;t=3');
});

test('a key in the header is noted too', async () => {
  await fetch(`${proxy.url}${HOLDS}`, { method: 'POST', headers: { 'Idempotency-Key': 'k2' } });
  expect(proxy.calls).toMatchObject([{ key: 'k2', body: undefined }]);
});

test('an answer is lost after the effect, a connection reset before it', async () => {
  arm({ kind: 'lost answer' });
  await expect(place()).rejects.toThrow('fetch failed');
  expect(reached).toHaveLength(1);
  arm({ kind: 'reset' });
  await expect(place()).rejects.toThrow('fetch failed');
  expect(reached).toHaveLength(1);
  expect((await place()).status).toBe(201);
  expect(proxy.calls.map(({ isFaulted }) => isFaulted)).toEqual([true, true, false]);
});

test('another answer comes instead, with or without the effect', async () => {
  const headers = { 'retry-after': '1' };
  const fault = { kind: 'answer', status: 503, headers, body: { error: 'x' } } as const;
  arm({ ...fault, reaches: true });
  const response = await place();
  expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1']);
  expect(await response.json()).toEqual({ error: 'x' });
  expect(reached).toHaveLength(1);
  arm({ ...fault, reaches: false, body: '<h1>502</h1>' });
  expect(await (await place()).text()).toBe('<h1>502</h1>');
  expect(reached).toHaveLength(1);
});

test('an answer that is slow comes in the end', async () => {
  arm({ kind: 'slow answer', ms: 300 });
  const from = performance.now();
  expect((await place()).status).toBe(201);
  expect(performance.now() - from).toBeGreaterThanOrEqual(290);
});

test('a body that is changed has no ETag, and a call that asks for a change only is asked in full', async () => {
  arm({ kind: 'rewrite', body: (body) => ({ ...body, price_rupees: 5 }) });
  const response = await place({ 'if-none-match': '"1"' });
  expect(response.headers.get('etag')).toBeNull();
  expect(await response.json()).toEqual({ hold_id: 'h1', price_rupees: 5 });
  expect(reached[0]?.headers['if-none-match']).toBeUndefined();
});

test('venues that are made up are in a listing whatever is changed in it, and are asked nowhere else', async () => {
  const body = (asked: object) => ({ ...asked, added_later: true });
  proxy.arm({ isFor: callsOf('listVenues'), times: 1, fault: { kind: 'rewrite', body } });
  const list = async () => (await fetch(proxy.url + VENUES, { headers: { 'if-none-match': '"1"' } })).json();
  const data = [{ venue_id: 'v1' }, ...MADE_UP_VENUES];
  expect(await list()).toEqual({ success: true, count: 3, data, added_later: true });
  expect(await list()).toEqual({ success: true, count: 3, data });
  expect(reached.map(({ headers }) => headers['if-none-match'])).toEqual([undefined, undefined]);
  const [venue] = MADE_UP_VENUES;
  expect(await (await fetch(`${proxy.url}${VENUES}/${venue?.venue_id}`)).json()).toEqual(venue);
  expect(reached).toHaveLength(2);
});

test('the query can be another one', async () => {
  arm({ kind: 'ask', query: () => ({ a: undefined, limit: '1' }) });
  await place();
  expect(reached[0]?.target).toBe(`${HOLDS}?limit=1`);
});

test('a rule that was disarmed, or forgotten, is for nothing', async () => {
  proxy.arm({ isFor: () => true, fault: { kind: 'reset' } })();
  expect((await place()).status).toBe(201);
  proxy.arm({ isFor: () => true, fault: { kind: 'reset' } });
  proxy.forget();
  expect((await place()).status).toBe(201);
});

test('it listens on this machine alone', async () => {
  const { port } = new URL(proxy.url);
  const others = Object.values(networkInterfaces())
    .flat()
    .filter((each) => each !== undefined && !each.internal && each.family === 'IPv4');
  for (const each of others) await expect(fetch(`http://${each?.address}:${port}/`)).rejects.toThrow('fetch failed');
  expect(new URL(proxy.url).hostname).toBe('127.0.0.1');
});
