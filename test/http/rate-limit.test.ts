import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Redis } from 'ioredis';
import type { Client, Reply } from '../support/client.ts';
import { createClient } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import type { Partner, Venue } from '../support/factories.ts';
import { anyPartner, anyVenue, dateIn } from '../support/factories.ts';
import type { Service } from '../support/service.ts';
import { startService } from '../support/service.ts';
import { errorOf, verdict } from '../support/verdict.ts';
import { counterOf, expectLimited, quotaOf, readLimited } from './quota.ts';

const LIMIT = 5;
const VENUES = '/api/v1/partner/venues';
const JSON_TYPE = { 'content-type': 'application/json' };

let service: Service;
let redis: Redis;
let venue: Venue;
let partner: Partner;

beforeAll(async () => {
  service = await startService({ RATE_LIMIT_PER_MINUTE: String(LIMIT) });
  redis = new Redis(service.environment['REDIS_URL'] ?? '');
  venue = await anyVenue(service);
  await eventually('calls are counted in Redis', async () => {
    partner = await anyPartner(service, [venue.id]);
    await partner.api.get(VENUES);
    return (await redis.exists(counterOf(service, partner.id))) === 1;
  });
});
afterAll(async () => {
  redis.disconnect();
  await service.stop();
});

/** So many calls, one after another. */
async function calls(api: Client, count: number): Promise<Reply[]> {
  const replies: Reply[] = [];
  for (let n = 0; n < count; n += 1) replies.push(await api.get(VENUES));
  return replies;
}

const verdicts = (replies: Reply[]) => replies.map(verdict);
const remaining = (replies: Pick<Reply, 'headers'>[]) => replies.map((reply) => quotaOf(reply)?.remaining);

describe('a partner may make so many calls a minute', () => {
  test('each response says what is left, and one call more is 429 with the time to wait', async () => {
    const { api } = await anyPartner(service);
    const replies = await calls(api, LIMIT);
    expect(verdicts(replies)).toEqual(Array(LIMIT).fill('200'));
    expect(remaining(replies)).toEqual([4, 3, 2, 1, 0]);

    const refused = await api.get(VENUES);
    expect(verdict(refused)).toBe('429 RATE_LIMITED');
    expect(errorOf(refused).message).toContain('Retry-After');
    const quota = quotaOf(refused);
    expect(quota).toMatchObject({ policy: 'partner', limit: LIMIT, windowSeconds: 60, remaining: 0 });
    expect(refused.headers.get('retry-after')).toBe(String(quota?.resetSeconds));
    expect(quota?.resetSeconds).toBeGreaterThanOrEqual(1);
    expect(quota?.resetSeconds).toBeLessThanOrEqual(60);
    expect(replies.map((reply) => reply.headers.get('retry-after'))).toEqual(Array(LIMIT).fill(null));
  });

  test('calls at the same time are counted one by one', async () => {
    const { api } = await anyPartner(service);
    const replies = await Promise.all(Array.from({ length: 4 * LIMIT }, () => api.get(VENUES)));
    expect(verdicts(replies).filter((each) => each === '200')).toHaveLength(LIMIT);
    expect(verdicts(replies).filter((each) => each === '429 RATE_LIMITED')).toHaveLength(3 * LIMIT);
  });

  test('each of those beyond is counted, also where its path is unknown; those within are not', async () => {
    const { api } = await anyPartner(service);
    const before = await readLimited(service.adminUrl);
    expect(verdicts(await calls(api, LIMIT + 2)).slice(LIMIT)).toEqual(Array(2).fill('429 RATE_LIMITED'));
    expect((await api.get('/api/v1/nowhere')).status).toBe(404);
    await expectLimited(service.adminUrl, before, { 'partner calls': 3 });
  });

  test('its second key counts with the first', async () => {
    const { api, id } = await anyPartner(service);
    const operator = createClient(service.adminUrl, service.environment['OPERATOR_API_KEY']);
    const { body } = await operator.post(`/api/v1/operator/partners/${id}/keys`, {});
    const second = createClient(service.url, (body as { api_key: string }).api_key);
    expect(remaining([...(await calls(api, 2)), ...(await calls(second, 1))])).toEqual([4, 3, 2]);
  });

  test('when the window ends, it starts anew', async () => {
    const { api, id } = await anyPartner(service);
    await calls(api, LIMIT - 1);
    // The window's end, brought near: it is the life of this key.
    await redis.pexpire(counterOf(service, id), 1900);
    const [last] = (await calls(api, 2)).slice(-1);
    expect(last && [verdict(last), last.headers.get('retry-after')]).toEqual(['429 RATE_LIMITED', '2']);
    const first = await eventually('the window ends', async () => {
      const reply = await api.get(VENUES);
      return reply.status === 200 && reply;
    });
    expect(quotaOf(first)).toMatchObject({ remaining: LIMIT - 1, resetSeconds: 60 });
  });

  test('Redis holds a number under the id of the partner, no longer than the window', async () => {
    const { api, id, apiKey } = await anyPartner(service);
    await calls(api, 3);
    expect(await redis.get(counterOf(service, id))).toBe('3');
    const lifeMs = await redis.pttl(counterOf(service, id));
    expect(lifeMs).toBeGreaterThan(0);
    expect(lifeMs).toBeLessThanOrEqual(60_000);
    const keys = await redis.keys(counterOf(service, '*'));
    expect(keys.every((key) => /:rate-limit:[0-9a-f-]{36}$/.test(key))).toBe(true);
    expect(keys.join()).not.toContain(apiKey.slice(-43));

    // A flood of refused calls is none of Redis.
    expect(verdicts(await calls(api, 5)).slice(2)).toEqual(Array(3).fill('429 RATE_LIMITED'));
    expect(await redis.get(counterOf(service, id))).toBe(String(LIMIT));
  });
});

test('API processes on one Redis under another prefix count apart', async () => {
  const { MONGODB_URI = '' } = service.environment;
  const apart = await startService({ RATE_LIMIT_PER_MINUTE: String(LIMIT), MONGODB_URI });
  try {
    const { id, api, apiKey } = await anyPartner(service);
    const there = createClient(apart.url, apiKey);
    await eventually('it counts in Redis', async () => {
      await there.get(VENUES);
      return (await redis.exists(counterOf(apart, id))) === 1;
    });
    expect(remaining(await calls(api, 2))).toEqual([4, 3]);
  } finally {
    await apart.stop({ keepsDatabase: true });
  }
});

describe('the two fields are on every response to a partner, whatever it is', () => {
  test('success, no change, refusal, replay and failure', async () => {
    const slots = `/api/v1/slots/availability?venue_id=${venue.id}&date=${dateIn(3)}`;
    const { api, apiKey } = await anyPartner(service, [venue.id]);
    const found = await api.get(slots);
    const replies: Pick<Reply, 'status' | 'headers'>[] = [
      found,
      await api.get(slots, { 'if-none-match': found.headers.get('etag') ?? '' }),
      await fetch(service.url + VENUES, { method: 'HEAD', headers: { 'x-api-key': apiKey } }),
    ];
    const rich = await anyPartner(service, [venue.id]);
    replies.push(
      await rich.api.post('/api/v1/partner/holds', {}),
      await rich.api.get('/api/v1/bookings/missing'),
      await rich.api.post('/api/v1/partner/holds', { slot_id: 'no-such-slot' }),
      await rich.api.send('POST', '/api/v1/partner/holds', {
        headers: JSON_TYPE,
        body: `"${'x'.repeat(110_000)}"`,
      }),
    );
    expect(replies.map(({ status }) => status)).toEqual([200, 304, 200, 400, 404, 404, 413]);
    expect(remaining(replies)).toEqual([4, 3, 2, 4, 3, 2, 1]);
  });

  test('a fault of the service too', async () => {
    const { api } = await anyPartner(service);
    const admin = service.context.db.getClient().db('admin');
    const namespace = `${service.context.db.name}.reservations`;
    const data = { namespace, failCommands: ['aggregate'], errorCode: 8 };
    await admin.command({ configureFailPoint: 'failCommand', mode: 'alwaysOn', data });
    const reply = await api.get('/api/v1/bookings');
    await admin.command({ configureFailPoint: 'failCommand', mode: 'off' });
    expect([verdict(reply), quotaOf(reply)?.remaining]).toEqual(['500 INTERNAL_ERROR', LIMIT - 1]);
  });

  test('a path or a method that does not exist too, however often; a stranger’s key stays one of those that are wrong', async () => {
    const { api } = await anyPartner(service);
    const replies = [
      await api.get('/api/v1/nothing'),
      await api.send('DELETE', VENUES),
      await api.get('/nothing'),
      ...(await calls(api, 2)),
      await api.send('PATCH', VENUES),
      await api.get(VENUES),
      await api.post('/docs/nothing', {}),
    ];
    expect(verdicts(replies)).toEqual([
      ...['404 ROUTE_NOT_FOUND', '405 METHOD_NOT_ALLOWED', '404 ROUTE_NOT_FOUND', '200', '200'],
      ...['405 METHOD_NOT_ALLOWED', '429 RATE_LIMITED', '404 ROUTE_NOT_FOUND'],
    ]);
    expect(remaining(replies)).toEqual([4, 3, 2, 1, 0, 0, 0, 0]);
    expect(replies.map((reply) => reply.headers.has('retry-after')).indexOf(true)).toBe(6);
    expect(replies.at(-1)?.headers.get('retry-after')).toBeNull();
    const wrong = await createClient(service.url, 'wrong').get('/api/v1/nothing');
    expect([verdict(wrong), quotaOf(wrong)?.policy]).toEqual(['404 ROUTE_NOT_FOUND', 'bad-keys']);
  });

  test('what is for nobody in particular has neither', async () => {
    const stranger = createClient(service.url, undefined);
    for (const path of ['/healthz', '/readyz', '/api/v1/nothing']) {
      expect(quotaOf(await stranger.get(path))).toBeUndefined();
    }
    expect(quotaOf(await stranger.send('DELETE', VENUES))).toBeUndefined();
    const { api } = await anyPartner(service);
    expect(quotaOf(await api.post('/docs/quickstart', {}))).toBeUndefined();
  });
});

test('RATE_LIMIT_PER_MINUTE=0: no limit, no fields, and bad keys are 401 however many', async () => {
  const unlimited = await startService({ RATE_LIMIT_PER_MINUTE: '0' });
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
