import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, describe, expect, test } from '@jest/globals';
import { newId } from '../../src/platform/ids.ts';
import * as calls from '../conformance/steps.ts';
import type { Reply } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import { type Json, operatorOf, placeHold } from '../support/factories.ts';
import { linesOf } from '../support/log-lines.ts';
import { changeRow, rowOf, rowsOf } from '../support/rows.ts';
import { scaled } from '../support/scale.ts';
import { nextDays, startScene } from '../support/scene.ts';
import { hostedService } from '../support/service-host.ts';
import { verdict } from '../support/verdict.ts';
import type * as Expiry from './expiry.in-host.ts';

const BATCH = 20;
/** The minimum number of races. If one side has not won by then, up to five times as many follow. */
const RACES = scaled(200, 16);
/** The minimum if neither side waits for an expiry. */
const RACES_OF_CALLS = scaled(120, 16);
/** The range of head starts within a batch. */
const SPREAD_MS = 300;

/** One side of a race for a hold: acts after `delayMs`, and returns the response. */
type Contestant = (hold: Json, delayMs: number) => Promise<string>;

const service = await hostedService({
  overrides: { RATE_LIMIT_PER_MINUTE: '0', MAX_ACTIVE_HOLDS: '100000', CACHE_LEASE_MS: '2000' },
});
const { expireAsWorker, startSweep, stopSweep } = service.inHost<typeof Expiry>('test/reservations/expiry.in-host.ts');
afterAll(() => service.stop());
const turf = { duration_minutes: 30, operating_hours_start: '06:00', operating_hours_end: '20:00' };
const { partner, rival, slots: slotIds } = await startScene(service, { resources: [turf], days: nextDays(30) });

const confirm: Contestant = async (hold, delayMs) => {
  await delay(delayMs);
  return verdict(await calls.confirm(partner, hold['hold_id']));
};

const release: Contestant = async (hold, delayMs) => {
  await delay(delayMs);
  return verdict(await calls.release(partner, hold['hold_id']));
};

const walkIn: Contestant = async (hold, delayMs) => {
  await delay(delayMs);
  const body = { slot_id: hold['slot_id'], override_holds: true };
  const place = () => operatorOf(service).post('/api/v1/operator/walk-ins', body);
  // More than nine concurrent walk-ins at a venue get 503 and must retry.
  return verdict(await eventually('its turn', async () => refusedInTurn(await place())));
};

const refusedInTurn = (reply: Reply): Reply | undefined => (reply.status === 503 ? undefined : reply);

/**
 * The hold expires after `delayMs` by the database's clock. Then the worker's function and a rival's hold, which
 * expires any expired hold on its slot, both try to expire it.
 */
const expiry: Contestant = async (hold, delayMs) => {
  const holdId = String(hold['hold_id']);
  await lapseAfter(holdId, delayMs);
  const asRival = async () => {
    await delay(delayMs);
    await calls.hold(rival, String(hold['slot_id']));
  };
  await Promise.all([expireAsWorker(holdId), asRival()]);
  return '';
};

async function lapseAfter(holdId: string, delayMs: number): Promise<void> {
  await service.context.db
    .collection<{ _id: string }>('reservations')
    // A hold that is already confirmed keeps its expiry, even within the same millisecond.
    .updateOne({ _id: holdId, status: 'ACTIVE' }, [{ $set: { holdExpiresAt: { $add: ['$$NOW', delayMs] } } }]);
}

/** How the hold ended: status, events in its outbox, responses to each side, and whether it ended at the right time. */
async function endOf(hold: Json, answers: readonly string[]): Promise<string> {
  const row = await rowOf(service, 'reservations', { _id: hold['hold_id'] });
  const events = row.outbox.map(({ type }) => type).join(', ');
  const endedAt = row.bookedAt ?? row.releasedAt ?? row.expiredAt;
  const isOverdue = endedAt !== undefined && endedAt >= row.holdExpiresAt;
  const atItsTime = isOverdue === (row.status === 'EXPIRED') ? '' : 'not at its time';
  return [row.status, events, ...answers, atItsTime].filter((part) => part !== '').join(' | ');
}

type Race = {
  race: string;
  count: number;
  sides: [Contestant, Contestant];
  /** The two correct results: the first side's, then the second's. */
  ends: [string, string];
};

/**
 * Races both sides for each of `count` holds, and more until each side has won. Adapts the head start from batch to
 * batch, so that both sides win on machines of any speed. Returns every distinct result.
 */
async function endsOfRaces({ count, sides: [first, second], ends }: Race): Promise<Set<string>> {
  const seen = new Set<string>();
  let headStartOfFirstMs = 0;
  const isOneSided = () => !ends.every((end) => seen.has(end));
  for (let done = 0; done < count || (done < 5 * count && isOneSided()); done += BATCH) {
    const raced = slotIds.splice(0, BATCH);
    const holds = await Promise.all(raced.map((slotId) => placeHold(partner, slotId)));
    const endsOfBatch = await Promise.all(
      holds.map(async (hold, index) => {
        const headStartMs = headStartOfFirstMs + (index / holds.length - 0.5) * SPREAD_MS;
        const sides = [first(hold, Math.max(0, -headStartMs)), second(hold, Math.max(0, headStartMs))];
        return endOf(hold, await Promise.all(sides));
      }),
    );
    for (const end of endsOfBatch) seen.add(end);
    const shareOfFirst = endsOfBatch.filter((end) => end === ends[0]).length / endsOfBatch.length;
    headStartOfFirstMs += (0.5 - shareOfFirst) * 2 * SPREAD_MS;
  }
  return seen;
}

describe('a hold ends in exactly one of two ways, with one event', () => {
  test.each<Race>([
    {
      race: 'confirm racing expiry',
      count: RACES,
      sides: [confirm, expiry],
      ends: ['BOOKED | hold_created, booking_created | 201', 'EXPIRED | hold_created, hold_expired | 409 HOLD_EXPIRED'],
    },
    {
      race: 'release racing expiry',
      count: RACES,
      sides: [release, expiry],
      ends: [
        'RELEASED | hold_created, hold_cancelled | 200',
        'EXPIRED | hold_created, hold_expired | 409 HOLD_EXPIRED',
      ],
    },
    {
      race: 'confirm racing release',
      count: RACES_OF_CALLS,
      sides: [confirm, release],
      ends: [
        'BOOKED | hold_created, booking_created | 201 | 409 INVALID_HOLD_STATE',
        'RELEASED | hold_created, hold_cancelled | 409 INVALID_HOLD_STATE | 200',
      ],
    },
    {
      race: 'confirm racing a walk-in that overrides holds',
      count: RACES_OF_CALLS,
      sides: [confirm, walkIn],
      ends: [
        'BOOKED | hold_created, booking_created | 201 | 409 SLOT_NOT_AVAILABLE',
        'DISPLACED | hold_created, hold_cancelled | 409 DOUBLE_BOOKING_ATTEMPT | 201',
      ],
    },
  ])('$race × $count', async (race) => {
    expect(await endsOfRaces(race)).toEqual(new Set(race.ends));
  });
});

test('control: a confirm that reads first and writes later ends a hold twice', async () => {
  const [slotId = ''] = slotIds.splice(0, 1);
  const hold = await placeHold(partner, slotId);
  const { status } = await rowOf(service, 'reservations', { _id: hold['hold_id'] });

  await expiry(hold, 0);
  if (status === 'ACTIVE') {
    const event = { eventId: newId(), type: 'booking_created', at: new Date(), originatorId: partner.id };
    const ending = { $set: { status: 'CANCELLED', claimed: false }, $push: { outbox: event } };
    await changeRow(service, 'reservations', hold['hold_id'], ending);
  }

  expect(await endOf(hold, [])).toMatch(/^CANCELLED \| hold_created, hold_expired, booking_created/);
});

describe('the sweep of expired holds', () => {
  const PAGE = 3;

  /** Adds holds that expired at one instant. */
  async function overdueHolds(count: number): Promise<string[]> {
    const raced = slotIds.splice(0, count);
    const holds = await Promise.all(raced.map((slotId) => placeHold(partner, slotId)));
    const ids = holds.map((hold) => String(hold['hold_id']));
    await change(ids, { holdExpiresAt: new Date(1) });
    return ids;
  }
  const change = (ids: readonly string[], set: object) =>
    service.context.db
      .collection<{ _id: string }>('reservations')
      .updateMany({ _id: { $in: [...ids] } }, [{ $set: set }], { bypassDocumentValidation: true });
  const statusesOf = async (ids: readonly string[]) =>
    new Set((await rowsOf(service, 'reservations', { _id: { $in: ids } })).map(({ status }) => status));

  test('continues while pages are full, past holds that cannot be expired, and then pauses', async () => {
    const [poisoned, others] = [await overdueHolds(2 * PAGE), await overdueHolds(4 * PAGE)];
    // The oldest holds have an event that the collection's validator rejects on every write.
    await change(poisoned, { holdExpiresAt: new Date(0), outbox: [{ type: 'none' }] });
    await startSweep(PAGE);
    const isOver = async () => (await service.logs()).includes('a sweep did work that no job had done');
    let pages: number[];
    try {
      await eventually('the run is over', isOver);
    } finally {
      pages = await stopSweep();
    }

    expect(pages).toEqual([0, 0, PAGE, PAGE, PAGE, PAGE, 0]);
    expect([await statusesOf(others), await statusesOf(poisoned)]).toEqual([new Set(['EXPIRED']), new Set(['ACTIVE'])]);
    const unsettled = linesOf(await service.logs(), 'a hold could not be expired; the sweep retries it');
    expect(unsettled.map((line) => String(line['hold_id'])).toSorted()).toEqual(poisoned.toSorted());
  });
});
