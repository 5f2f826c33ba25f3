import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Redis } from 'ioredis';
import type { Client, Reply } from '../support/client.ts';
import { createClient } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import { anyPartner, anyVenue, dateIn, expectStatus, operatorOf } from '../support/factories.ts';
import { hostedService } from '../support/service-host.ts';
import { verdict } from '../support/verdict.ts';
import { counterOf, expectLimited, inTurn, quotaOf, readLimited } from './quota.ts';

const LIMIT = 5;
const VENUES = '/api/v1/partner/venues';
const HOLDS = '/api/v1/partner/holds';

const service = await hostedService({ overrides: { RATE_LIMIT_PER_MINUTE: String(LIMIT) } });
const redis = new Redis(service.environment['REDIS_URL'] ?? '');
afterAll(async () => {
  redis.disconnect();
  await service.stop();
});
beforeAll(() =>
  eventually('calls are counted in Redis', async () => {
    const partner = await anyPartner(service);
    await partner.api.get(VENUES);
    return (await redis.exists(counterOf(service, partner.id))) === 1;
  }),
);

const calls = (api: Client, count: number) => inTurn(count, () => api.get(VENUES));
const verdicts = (replies: Reply[]) => replies.map(verdict);
const remaining = (replies: Pick<Reply, 'headers'>[]) => replies.map((reply) => quotaOf(reply)?.remaining);

test('concurrent calls are counted one by one', async () => {
  const { api } = await anyPartner(service);
  const replies = await Promise.all(Array.from({ length: 4 * LIMIT }, () => api.get(VENUES)));
  expect(verdicts(replies).toSorted()).toEqual([
    ...Array(LIMIT).fill('200'),
    ...Array(3 * LIMIT).fill('429 RATE_LIMITED'),
  ]);
});

test('all keys of a partner share one count', async () => {
  const { api, id } = await anyPartner(service);
  const reply = await operatorOf(service).post(`/api/v1/operator/partners/${id}/keys`, {});
  const second = createClient(service.url, String(expectStatus(reply, 201)['api_key']));
  expect(remaining([...(await calls(api, 2)), ...(await calls(second, 1))])).toEqual([4, 3, 2]);
});

test('when the window ends, a new one starts', async () => {
  const { api, id } = await anyPartner(service);
  await calls(api, LIMIT - 1);
  // The window ends when its key in Redis expires.
  await redis.pexpire(counterOf(service, id), 1900);
  const last = await calls(api, 2);
  expect(verdicts(last)).toEqual(['200', '429 RATE_LIMITED']);
  expect(last.map(({ headers }) => headers.get('retry-after'))).toEqual([null, '2']);
  const none = { policy: 'partner', limit: LIMIT, windowSeconds: 60, remaining: 0, resetSeconds: 2 };
  expect(last.map(quotaOf)).toEqual([expect.anything(), none]);
  const first = await eventually('the window ends', async () => {
    const reply = await api.get(VENUES);
    return reply.status === 200 && reply;
  });
  expect(quotaOf(first)).toMatchObject({ remaining: LIMIT - 1, resetSeconds: 60 });
});

test('Redis counts by partner id until the window ends; rejected calls are not counted there', async () => {
  const { api, id, apiKey } = await anyPartner(service);
  await calls(api, 3);
  expect(await redis.get(counterOf(service, id))).toBe('3');
  const lifeMs = await redis.pttl(counterOf(service, id));
  expect([lifeMs > 0, lifeMs <= 60_000]).toEqual([true, true]);
  const keys = await redis.keys(counterOf(service, '*'));
  expect(keys.every((key) => /:rate-limit:[0-9a-f-]{36}$/.test(key))).toBe(true);
  expect(keys.join()).not.toContain(apiKey.slice(-43));

  expect(verdicts(await calls(api, 5)).slice(2)).toEqual(Array(3).fill('429 RATE_LIMITED'));
  expect(await redis.get(counterOf(service, id))).toBe(String(LIMIT));
});

test('successes, unchanged reads, HEAD and every kind of rejection count, and state the remaining quota', async () => {
  const venue = await anyVenue(service);
  const slots = `/api/v1/slots/availability?venue_id=${venue.id}&date=${dateIn(3)}`;
  const { api } = await anyPartner(service, [venue.id]);
  const found = await api.get(slots);
  const unchanged = { 'if-none-match': found.headers.get('etag') ?? '' };
  const reads = [found, await api.get(slots, unchanged), await api.send('HEAD', VENUES)];
  const { api: other } = await anyPartner(service, [venue.id]);
  const large = { headers: { 'content-type': 'application/json' }, body: `"${'x'.repeat(110_000)}"` };
  const rejected = [
    await other.post(HOLDS, {}),
    await other.get('/api/v1/bookings/missing'),
    await other.post(HOLDS, { slot_id: 'no-such-slot' }),
    await other.send('POST', HOLDS, large),
  ];
  const replies = [...reads, ...rejected];
  expect(replies.map(({ status }) => status)).toEqual([200, 304, 200, 400, 404, 404, 413]);
  expect(remaining(replies)).toEqual([4, 3, 2, 4, 3, 2, 1]);
});

test('unknown paths and methods count too, but are never 429; the metrics count only calls beyond the limit', async () => {
  const { api } = await anyPartner(service);
  const before = await readLimited(service.adminUrl);
  const replies = [
    await api.get('/api/v1/nothing'),
    await api.send('DELETE', VENUES),
    await api.get('/nothing'),
    ...(await calls(api, 2)),
    await api.send('PATCH', VENUES),
    await api.get(VENUES),
    await api.post('/docs/nothing', {}),
  ];
  expect(replies.map(({ status }) => status)).toEqual([404, 405, 404, 200, 200, 405, 429, 404]);
  expect(remaining(replies)).toEqual([4, 3, 2, 1, 0, 0, 0, 0]);
  expect(replies.map((reply) => reply.headers.has('retry-after')).lastIndexOf(true)).toBe(6);
  await expectLimited(service.adminUrl, before, { 'partner calls': 3 });
  const wrong = await createClient(service.url, 'wrong').get('/api/v1/nothing');
  expect([verdict(wrong), quotaOf(wrong)?.policy]).toEqual(['404 ROUTE_NOT_FOUND', 'bad-keys']);
});

test('RATE_LIMIT_PER_MINUTE=0: no limit, no fields, and any number of bad keys is 401', async () => {
  const unlimited = await hostedService({ overrides: { RATE_LIMIT_PER_MINUTE: '0' } });
  try {
    const { api } = await anyPartner(unlimited);
    const bad = createClient(unlimited.url, 'bad');
    const replies = [...(await calls(api, 4 * LIMIT)), ...(await calls(bad, 70))];
    expect(new Set(verdicts(replies))).toEqual(new Set(['200', '401 INVALID_API_KEY']));
    expect(new Set(replies.map(quotaOf))).toEqual(new Set([undefined]));
    expect(await redis.keys(counterOf(unlimited, '*'))).toEqual([]);
  } finally {
    await unlimited.stop();
  }
});
