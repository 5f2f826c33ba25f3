import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { createDatabaseClock } from '../../src/platform/clock.ts';
import { createClient } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import type { Json, Partner, Venue } from '../support/factories.ts';
import {
  anyPartner,
  anyVenue,
  confirmBody,
  dateIn,
  expectStatus,
  freeSlotIds,
  json,
  placeHold,
  slotsOf,
  subscribe,
} from '../support/factories.ts';
import { headerOf, isGenuine, startReceiver } from '../support/receiver.ts';
import { rowsOf } from '../support/rows.ts';
import { scaled } from '../support/scale.ts';
import type { Service } from '../support/service.ts';
import { startService } from '../support/service.ts';
import { OPERATOR_KEY } from '../support/service-environment.ts';
import { endProcesses, logged, START_DEADLINE_MS } from '../support/worker-process.ts';
import { inSeconds } from './figures.ts';
import { report } from './report.ts';
import { expiredAtMs, latenessMs } from './settled.ts';
import type { ShiftedProcess } from './shifted-process.ts';
import { startShifted } from './shifted-process.ts';
import { anyVenueOfToday } from './venue-of-today.ts';

// On a machine that is busy with other suites.
jest.setTimeout(scaled(900_000, 300_000));

const OFF_MS = 600_000;
const TTL_MS = 3000;
const RETRY_MS = 4000;
/** How late a hold may end by the sweep alone (the slot is free at once in any case). */
const ENDS_WITHIN_MS = 15_000;
const HOLDS = scaled(200, 6);
const AT_A_TIME = 20;

const KINDS = ['api', 'hold-expiry', 'webhook-delivery'] as const;
/** By how much the clocks of the hosts of each process are off; there may be several of a kind. */
type Clocks = Record<(typeof KINDS)[number], number[]>;

/** A slow API would confirm late and fast workers expire early, if they went by their own clocks. */
const CASES: { whose: string; clocks: Clocks }[] = [
  {
    whose: 'the API 10 min behind, hold expiry 10 min ahead, one webhook delivery worker each way',
    clocks: { api: [-OFF_MS], 'hold-expiry': [OFF_MS], 'webhook-delivery': [OFF_MS, -OFF_MS] },
  },
  {
    whose: 'the API 10 min ahead, all workers 10 min behind',
    clocks: { api: [OFF_MS], 'hold-expiry': [-OFF_MS], 'webhook-delivery': [-OFF_MS] },
  },
  {
    whose: 'the API alone 10 min ahead',
    clocks: { api: [OFF_MS], 'hold-expiry': [0], 'webhook-delivery': [0] },
  },
].slice(0, scaled(3, 1));

let service: Service;
let venue: Venue;
let partner: Partner;
beforeAll(async () => {
  service = await startService({
    HOLD_TTL_SECONDS: String(TTL_MS / 1000),
    WEBHOOK_RETRY_DELAYS_SECONDS: `${RETRY_MS / 1000},${RETRY_MS / 1000}`,
  });
  venue = await anyVenue(
    service,
    [{}, {}, {}].map(() => ({ duration_minutes: 15 })),
  );
  partner = await anyPartner(service, [venue.id]);
});
afterEach(endProcesses);
afterAll(() => service.stop());

/** Starts all processes; returns where the API is, once every one is ready. */
async function startAll(clocks: Clocks): Promise<{ url: string; adminUrl: string }> {
  const started = KINDS.flatMap((kind) => {
    const file = kind === 'api' ? 'src/api.ts' : `workers/${kind}.ts`;
    return clocks[kind].map((shiftMs) => startShifted(file, service.environment, shiftMs));
  });
  await Promise.all(started.map((each) => logged(each, 'ready')));
  const [api] = started as [ShiftedProcess];
  const { url, adminUrl } = await api.ready;
  await eventually('the API serves', async () => (await fetch(`${String(url)}/readyz`)).ok);
  return { url: String(url), adminUrl: String(adminUrl) };
}

/** What was seen of one hold, by the clock of this machine, which is MongoDB's. */
type Story = { holdId: string; expiresAtMs: number; isExpiryRight: boolean; confirm?: Confirm };
type Confirm = { sentAtMs: number; answeredAtMs: number; status: number };

const until = (atMs: number): Promise<void> => delay(Math.max(0, atMs - Date.now()));

/** Of three holds one lapses, one is confirmed within 40 ms of its end, one a good while before that. */
async function holdAndConfirm({ api }: Partner, slotId: string, index: number): Promise<Story> {
  const sentAtMs = Date.now();
  const hold = expectStatus(await api.post('/api/v1/partner/holds', { slot_id: slotId }), 201);
  const expiresAtMs = Date.parse(String(hold['hold_expiry_at']));
  const isExpiryRight = expiresAtMs >= sentAtMs + TTL_MS && expiresAtMs <= Date.now() + TTL_MS;
  const story = { holdId: String(hold['hold_id']), expiresAtMs, isExpiryRight };
  if (index % 3 === 0) return story;
  await until(expiresAtMs + (index % 3 === 1 ? Math.round(Math.random() * 80 - 40) : -1000));
  const confirm = { sentAtMs: Date.now(), answeredAtMs: 0, status: 0 };
  confirm.status = (await api.post('/api/v1/bookings/confirm', confirmBody(story.holdId))).status;
  confirm.answeredAtMs = Date.now();
  return { ...story, confirm };
}

async function tellStories(seller: Partner, slotIds: readonly string[]): Promise<Story[]> {
  const stories: Story[] = [];
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < slotIds.length) {
      const index = next++;
      stories.push(await holdAndConfirm(seller, slotIds[index] ?? '', index));
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, lane));
  return stories;
}

/** The ids of holds that were confirmed at or after their end, or ended before it, and how late the others ended. */
async function judge(stories: readonly Story[]) {
  const rows = await rowsOf(service, 'reservations', { _id: { $in: stories.map(({ holdId }) => holdId) } });
  const storyOf = new Map(stories.map((story) => [story.holdId, story]));
  const endedAtMs = await expiredAtMs(service);
  const late = rows.filter(({ _id, status, bookedAt, holdExpiresAt }) => {
    const sentAtMs = storyOf.get(_id)?.confirm?.sentAtMs ?? 0;
    const confirmedAtMs = Math.max(bookedAt?.getTime() ?? 0, sentAtMs);
    return status === 'BOOKED' && confirmedAtMs >= holdExpiresAt.getTime();
  });
  const early = rows.filter(({ _id, status, holdExpiresAt }) => {
    const { status: answer, answeredAtMs = Number.POSITIVE_INFINITY } = storyOf.get(_id)?.confirm ?? {};
    const refusedAtMs = answer === 409 ? answeredAtMs : Number.POSITIVE_INFINITY;
    const ended = status === 'EXPIRED' ? (endedAtMs.get(_id) ?? 0) : Number.POSITIVE_INFINITY;
    return Math.min(refusedAtMs, ended) < holdExpiresAt.getTime();
  });
  const expired = rows.filter(({ status }) => status === 'EXPIRED');
  const lateMs = latenessMs(expired, endedAtMs);
  return { confirmedLate: late.map(({ _id }) => _id), expiredEarly: early.map(({ _id }) => _id), lateMs };
}

describe.each(CASES)('with $whose', ({ whose, clocks }) => {
  test('nothing is confirmed late or expired early, and receivers accept every webhook, each at its time', async () => {
    const beganAt = performance.now();
    const { url } = await startAll(clocks);
    const seller = { ...partner, api: createClient(url, partner.apiKey) };
    // It refuses every event once, so that retries are seen too.
    const receiver = await startReceiver(({ headers }, response) => {
      response.writeHead(headerOf({ headers }, 'x-delivery-attempt') === '1' ? 500 : 200).end();
    });
    const hearer = await anyPartner(service, [venue.id]);
    const { secretKey } = await subscribe(hearer, receiver.url);
    const date = dateIn(2 + CASES.findIndex((each) => each.whose === whose));
    const slotIds = (await freeSlotIds(seller, venue.id, date)).slice(0, HOLDS);

    const stories = await tellStories(seller, slotIds);
    const ofStories = { _id: { $in: stories.map(({ holdId }) => holdId) } };
    await eventually('every hold has ended', async () => {
      return (await rowsOf(service, 'reservations', { ...ofStories, status: 'ACTIVE' })).length === 0;
    });
    await eventually(
      'every event is delivered',
      () => {
        const delivered = receiver.received.filter((each) => headerOf(each, 'x-delivery-attempt') === '2');
        return new Set(delivered.map(({ body }) => body['event_id'])).size === 2 * HOLDS;
      },
      START_DEADLINE_MS,
    );
    await receiver.close();

    const { confirmedLate, expiredEarly, lateMs } = await judge(stories);
    expect(stories).toHaveLength(HOLDS);
    expect({ confirmedLate, expiredEarly }).toEqual({ confirmedLate: [], expiredEarly: [] });
    expect(stories.filter(({ isExpiryRight }) => !isExpiryRight)).toEqual([]);
    expect(Math.max(...lateMs)).toBeLessThanOrEqual(ENDS_WITHIN_MS);
    expect(receiver.received.filter((attempt) => !isGenuine(attempt, secretKey))).toEqual([]);
    const waitedMs = waitsBeforeRetries(receiver.received);
    // A job that a fast host brings is let through when it comes a second early, or less (ADR 0017).
    expect(Math.min(...waitedMs)).toBeGreaterThanOrEqual(RETRY_MS - 1000);
    report({
      promise: 6,
      experiment: `Clocks off: ${whose}`,
      count: `${HOLDS} holds, ${receiver.received.length} webhooks`,
      result:
        `${confirmedLate.length} confirmed late, ${expiredEarly.length} expired early, latest end ${inSeconds(Math.max(...lateMs))} s ` +
        `after expiry; 0 webhooks outside the replay window, retries after ${inSeconds(Math.min(...waitedMs))}–${inSeconds(Math.max(...waitedMs))} s of ${RETRY_MS / 1000}`,
      beganAt,
    });
  });
});

/** Milliseconds between the first and the second attempt of each event. */
function waitsBeforeRetries(attempts: readonly { body: Json; atMs: number }[]): number[] {
  const firstAtMs = new Map<unknown, number>();
  return attempts.flatMap(({ body, atMs }) => {
    const first = firstAtMs.get(body['event_id']);
    if (first !== undefined) return [atMs - first];
    firstAtMs.set(body['event_id'], atMs);
    return [];
  });
}

describe.each([-OFF_MS, OFF_MS].slice(0, scaled(2, 1)))('an API whose host is off by %i ms', (shiftMs) => {
  test('tells what has started, which keys have run out and how long a sign-in lasts by MongoDB’s clock', async () => {
    const { url, adminUrl } = await startAll({ api: [shiftMs], 'hold-expiry': [], 'webhook-delivery': [] });
    const seller = { ...partner, api: createClient(url, partner.apiKey) };
    const today = await anyVenueOfToday(service);
    await service.context.db.collection<{ _id: string }>('grants').insertOne({
      _id: `${partner.id}:${today.id}`,
      ...{ partnerId: partner.id, venueId: today.id },
    });

    const nowMs = Date.now();
    const near = (await slotsOf(seller, today.id, today.date)).filter((slot) => {
      const distanceMs = Math.abs(Date.parse(String(slot['slot_start'])) - nowMs);
      return distanceMs > 20_000 && distanceMs < OFF_MS;
    });
    const isPast = (slot: Json) => Date.parse(String(slot['slot_start'])) < nowMs;
    expect(near.filter(isPast).map((slot) => slot['unavailable_reason'])).toContain('past');
    expect(near.map((slot) => slot['unavailable_reason'] ?? null)).toEqual(
      near.map((slot) => (isPast(slot) ? 'past' : null)),
    );
    const started = near.findLast(isPast)?.['slot_id'];
    const refused = await seller.api.post('/api/v1/partner/holds', { slot_id: started });
    expect(json(refused)).toMatchObject({ error: { conflict: { reason: 'past' } } });
    await placeHold(seller, String(near.find((slot) => !isPast(slot))?.['slot_id']));

    const statuses: number[] = [];
    for (const leftMs of [OFF_MS / 2, -OFF_MS / 2]) {
      const { id, apiKey } = await anyPartner(service);
      const expiresAt = new Date(Date.now() + leftMs);
      await service.context.db.collection('api_keys').updateOne({ partnerId: id }, { $set: { expiresAt } });
      statuses.push((await createClient(url, apiKey).get('/api/v1/partner/venues')).status);
    }
    expect(statuses).toEqual([200, 401]);

    const quota = String((await seller.api.get('/api/v1/partner/venues')).headers.get('ratelimit'));
    const resetSeconds = Number(/;t=(\d+)/.exec(quota)?.[1]);
    expect(resetSeconds).toBeLessThanOrEqual(60);
    expect(await sessionSeconds(adminUrl)).toBeCloseTo(8 * 3600, -1);
  });
});

/** How long a sign-in at this listener lasts, from now by the clock of this machine. */
async function sessionSeconds(adminUrl: string): Promise<number> {
  const signedIn = await createClient(adminUrl, undefined).send('POST', '/sign-in', {
    headers: { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' },
    body: new URLSearchParams({ key: OPERATOR_KEY, next: '/' }).toString(),
  });
  const [, expiresAt] = /operator_session=(\d+)\./.exec(String(signedIn.headers.get('set-cookie'))) ?? [];
  return Number(expiresAt) - Date.now() / 1000;
}

describe('that these tests would notice', () => {
  async function anyStory(day: number): Promise<Story> {
    const [slotId = ''] = await freeSlotIds(partner, venue.id, dateIn(day));
    const hold = await placeHold(partner, slotId);
    const expiresAtMs = Date.parse(String(hold['hold_expiry_at']));
    return { holdId: String(hold['hold_id']), expiresAtMs, isExpiryRight: true };
  }
  const reservations = () => service.context.db.collection<{ _id: string }>('reservations');

  test('a confirm judged by a clock 10 min behind is found to be late', async () => {
    const story = await anyStory(20);
    await until(story.expiresAtMs + 1);
    const isAlive = { $gt: ['$holdExpiresAt', new Date(Date.now() - OFF_MS)] };
    const booked = { status: 'BOOKED', bookedAt: '$$NOW' };
    await reservations().updateOne({ _id: story.holdId, $expr: isAlive }, [{ $set: booked }]);

    expect((await judge([story])).confirmedLate).toEqual([story.holdId]);
  });

  test('an expiry judged by a clock 10 min ahead is found to be early', async () => {
    const story = await anyStory(21);
    const isLapsed = { $lte: ['$holdExpiresAt', new Date(Date.now() + OFF_MS)] };
    await reservations().updateOne({ _id: story.holdId, $expr: isLapsed }, [
      { $set: { status: 'EXPIRED', claimed: false } },
    ]);

    expect((await judge([story])).expiredEarly).toEqual([story.holdId]);
  });

  test('a host’s own time is wrong until it has been compared with MongoDB’s', async () => {
    const { db, log } = service.context;
    const clock = createDatabaseClock({ now: () => new Date(Date.now() + OFF_MS) }, db, log);
    const offMs = () => Math.abs(clock.now().getTime() - Date.now());
    const before = offMs();
    await clock.measure();

    expect(before).toBeGreaterThan(OFF_MS - 1000);
    expect(offMs()).toBeLessThan(1000);
    expect(service.logs()).toContain('the clocks of this host and of MongoDB disagree');
  });
});
