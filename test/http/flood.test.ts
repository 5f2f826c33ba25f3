import { Agent, request } from 'node:http';
import { afterAll, expect, test } from '@jest/globals';
import { report } from '../faults/report.ts';
import type { Reply } from '../support/client.ts';
import { durationsDuring } from '../support/durations.ts';
import type { Partner } from '../support/factories.ts';
import { anyPartner, anyVenue, dateIn } from '../support/factories.ts';
import { isLongTier, scaled } from '../support/scale.ts';
import { hostedService } from '../support/service-host.ts';
import { verdict } from '../support/verdict.ts';
import { quotaOf } from './quota.ts';

const LIMIT = scaled(600, 60);
/** On a busy machine, Redis may not respond in time; the process then counts by itself, from zero. */
const MAX_SERVED = isLongTier ? LIMIT : 2 * LIMIT;
const BAD_KEYS_LIMIT = 60;
const VENUES = '/api/v1/partner/venues';
const CALLS = scaled(5000, 200);
const CONNECTIONS = scaled(32, 8);
/** Twice the longest time of any call on a busy machine. Checked only in the long tier, which runs nothing else. */
const MAX_P99_MS = 3000;

const service = await hostedService({ overrides: { RATE_LIMIT_PER_MINUTE: String(LIMIT) } });
afterAll(() => service.stop());
const allDay = { operating_hours_start: '00:00', operating_hours_end: '00:00', duration_minutes: 5 };
const { id: venueId } = await anyVenue(service, [allDay]);

/** The calls of a flood: the cheapest one, a day of 288 slots, and a day's deliveries. */
const FLOODED_PATHS = [
  ['the venues', VENUES],
  ['availability', `/api/v1/slots/availability?venue_id=${venueId}&date=${dateIn(3)}`],
  ['observability', '/api/v1/partner/observability?status=all'],
] as const;

/** Makes `calls` with this key from a local address, as fast as its connections allow; counts each status. */
async function flood(apiKey: string, localAddress: string, calls: number, path = VENUES) {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const statuses: Record<number, number> = {};
  const call = () =>
    new Promise<void>((resolve, reject) => {
      request(service.url + path, { agent, localAddress, headers: { 'x-api-key': apiKey } }, (response) => {
        const status = response.statusCode ?? 0;
        statuses[status] = (statuses[status] ?? 0) + 1;
        response.resume().once('end', resolve);
      })
        .on('error', reject)
        .end();
    });
  let remainingCalls = calls;
  const callers = Array.from({ length: CONNECTIONS }, async () => {
    while (remainingCalls-- > 0) await call();
  });
  await Promise.all(callers);
  agent.destroy();
  return statuses;
}

/** Five calls per second, one after the other, until `until` settles. */
async function callsDuring({ api }: Partner, until: Promise<unknown>): Promise<{ replies: Reply[]; p99: number }> {
  const replies: Reply[] = [];
  const { p99 } = await durationsDuring(until, 200, async () => replies.push(await api.get(VENUES)));
  return { replies, p99 };
}

test.each(FLOODED_PATHS.slice(0, isLongTier ? undefined : 1))(
  'a partner that floods %s is limited, and another has all of its own limit, without waiting',
  async (what, path) => {
    const [flooding, other] = [await anyPartner(service, [venueId]), await anyPartner(service)];
    const flooded = flood(flooding.apiKey, '127.0.0.1', CALLS, path);
    const { replies, p99 } = await callsDuring(other, flooded);

    const statuses = await flooded;
    const served = statuses[200] ?? 0;
    expect(statuses).toEqual({ 200: served, 429: CALLS - served });
    expect(served).toBeGreaterThanOrEqual(LIMIT);
    expect(served).toBeLessThanOrEqual(MAX_SERVED);
    expect(replies.map(verdict)).toEqual(Array(replies.length).fill('200'));
    // The flood uses none of the other partner's quota. A process that counts from zero, as above, leaves more of it.
    const overcounts = replies.map((reply, n) => LIMIT - 1 - n - Number(quotaOf(reply)?.remaining));
    expect(Math.max(...overcounts)).toBeLessThanOrEqual(0);
    if (isLongTier) expect(p99).toBeLessThan(MAX_P99_MS);
    report({
      promise: 8,
      experiment: `one partner floods ${what} over ${CONNECTIONS} connections`,
      count: `${CALLS} calls`,
      result: `${served} served, ${statuses[429] ?? 0} refused; another partner's ${replies.length} calls all served, p99 ${p99} ms`,
    });
  },
);

test('an address that floods with wrong keys is limited, but its valid keys are served', async () => {
  const partner = await anyPartner(service);
  const guessed = `${partner.apiKey.slice(0, -43)}${'A'.repeat(43)}`;
  const flooded = flood(guessed, '127.0.0.1', CALLS);
  const { replies, p99 } = await callsDuring(partner, flooded);

  const statuses = await flooded;
  expect(statuses).toEqual({ 401: BAD_KEYS_LIMIT, 429: CALLS - BAD_KEYS_LIMIT });
  expect(replies.map(verdict)).toEqual(Array(replies.length).fill('200'));
  if (isLongTier) expect(p99).toBeLessThan(MAX_P99_MS);
  // Control: an address without earlier tries still gets 401.
  expect(await flood(guessed, '127.0.0.2', 1)).toEqual({ 401: 1 });
  report({
    promise: 8,
    experiment: `one address tries wrong keys over ${CONNECTIONS} connections`,
    count: `${CALLS} wrong keys`,
    result: `${BAD_KEYS_LIMIT} answered by 401, ${statuses[429] ?? 0} by 429; ${replies.length} calls with a good key from the same address all served, p99 ${p99} ms`,
  });
});
