import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, test } from '@jest/globals';
import { eventually } from '../support/eventually.ts';
import { rowOf, rowsOf } from '../support/rows.ts';
import { monitoredUri } from '../support/service-environment.ts';
import { hostedService } from '../support/service-host.ts';
import type * as InsertHold from './insert-hold.in-host.ts';
import type { HoldRequest, Mode, Outcome } from './insert-hold.in-host.ts';

const TTL_MS = 600_000;
/** Long enough for a busy machine. A bulk may take 0.4 of it. */
const LEASE_MS = 2500;
const service = await hostedService({
  overrides: { MONGODB_URI: monitoredUri(), CACHE_LEASE_MS: String(LEASE_MS) },
});
const inHost = service.inHost<typeof InsertHold>('test/reservations/insert-hold.in-host.ts');
afterAll(() => service.stop());
const { setClockOff, takeWrites } = inHost;
const venue = await service.makeVenue([{}], {});
const partner = await service.makePartner([venue.id]);
const owner = { venueId: venue.id, resourceId: venue.resourceIds[0] ?? '', partnerId: partner.id };
await inHost.watchWrites();

let last = 0;
const freeSlot = () => (last += 1);
const freeSlots = (count: number) => Array.from({ length: count }, freeSlot);
const insertConcurrently = (requests: readonly HoldRequest[], mode?: Mode) =>
  inHost.insertConcurrently(owner, requests, mode);

const inserted = (outcome: Outcome | undefined) => {
  if (typeof outcome !== 'object') throw new Error(JSON.stringify(outcome));
  return outcome;
};

const namesOfWrites = async () => (await takeWrites()).map(({ name }) => name).sort();

/** Expects one stored hold with the times that its caller got. */
async function expectStored(outcome: Outcome | undefined) {
  const { holdId, placedAt, holdExpiresAt } = inserted(outcome);
  const row = await rowOf(service, 'reservations', { _id: holdId });
  expect([row.placedAt.toISOString(), row.holdExpiresAt.toISOString()]).toEqual([placedAt, holdExpiresAt]);
  expect(row.holdExpiresAt.getTime() - row.placedAt.getTime()).toBe(TTL_MS);
  expect(row.outbox).toMatchObject([
    { type: 'hold_created', at: row.placedAt, holdExpiresAt: row.holdExpiresAt, slotId: row.slotId },
  ]);
  await rowOf(service, 'reservations', { slotId: row.slotId });
  return row;
}

const rowsOn = (slot: number) => rowsOf(service, 'reservations', { slotId: `${owner.resourceId}_${slot}` });

describe('holds inserted together', () => {
  test('are sent as one bulk, even a single one', async () => {
    const outcomes = await insertConcurrently(freeSlots(100).map((slot) => ({ slot })));
    expect(await namesOfWrites()).toEqual(['update']);
    for (const outcome of outcomes) await expectStored(outcome);

    await insertConcurrently([{ slot: freeSlot() }]);
    expect(await namesOfWrites()).toEqual(['update']);
  });

  test('have separate outcomes: those with a conflict are rejected, the others are inserted', async () => {
    const [takenSlot, partnerId, key] = [freeSlot(), randomUUID(), randomUUID()];
    await insertConcurrently([{ slot: takenSlot }, { slot: freeSlot(), partnerId, ordinal: 7, key }]);
    const sharedSlot = freeSlot();
    const outcomes = await insertConcurrently([
      { slot: freeSlot() },
      { slot: takenSlot, partnerId: randomUUID() },
      { slot: freeSlot(), partnerId, ordinal: 7 },
      { slot: freeSlot(), partnerId, ordinal: 8, key },
      { slot: sharedSlot },
      { slot: sharedSlot, partnerId: randomUUID() },
      { slot: freeSlot() },
    ]);
    const rejections = outcomes.map((outcome) => (typeof outcome === 'string' ? outcome : null));
    expect(rejections).toEqual([...[null, 'cell taken', 'ordinal taken', 'key taken'], ...[null, 'cell taken', null]]);
    for (const index of [0, 4, 6]) await expectStored(outcomes[index]);
  });

  test('have separate leases: only the hold whose lease has ended is late', async () => {
    const slots = freeSlots(3);
    const requests = slots.map((slot, index) => ({ slot, isLate: index === 1 }));
    await takeWrites();
    const outcomes = await insertConcurrently(requests);
    expect(await namesOfWrites()).toEqual(['update']);
    expect(outcomes[1]).toBe('late');
    expect(await rowsOn(slots[1] ?? 0)).toEqual([]);
    for (const index of [0, 2]) await expectStored(outcomes[index]);
  });
});

describe('while a transaction has locked one slot, holds inserted together', () => {
  const insertDuringBooking = (slot: number, mode: Mode) => {
    const requests = [...freeSlots(3), slot, freeSlot()].map((each) => ({ slot: each }));
    return inHost.insertDuringTransaction(owner, { slot, ordinal: 0 }, LEASE_MS, requests, mode);
  };

  test('stop before their leases end: only those before the locked slot are inserted', async () => {
    const slot = freeSlot();
    await takeWrites();
    const outcomes = await insertDuringBooking(slot, 'bulk');
    expect(outcomes.slice(3)).toEqual(['late', 'late']);
    for (const outcome of outcomes.slice(0, 3)) await expectStored(outcome);
    // The other write is the booking's insert.
    expect(await takeWrites()).toEqual([
      { name: 'findAndModify', maxTimeMs: null },
      { name: 'update', maxTimeMs: LEASE_MS * 0.4 },
    ]);
    expect((await rowsOn(slot)).map(({ status }) => status)).toEqual(['BOOKED']);
  });

  test('are inserted one by one in a retry, except the one on the locked slot', async () => {
    const slot = freeSlot();
    const outcomes = await insertDuringBooking(slot, 'single');
    expect(outcomes[3]).toBe('late');
    for (const index of [0, 1, 2, 4]) await expectStored(outcomes[index]);
    expect((await rowsOn(slot)).map(({ status }) => status)).toEqual(['BOOKED']);
  });
});

describe.each([
  ['ahead of', 600_000],
  ['behind', -600_000],
])('if the clock of a process is %s that of the database', (_which, offMs) => {
  test('the database rejects its instants, and the process measures the difference again immediately', async () => {
    await setClockOff(offMs);
    const requests = [{ slot: freeSlot() }, { slot: freeSlot() }];
    expect(await insertConcurrently(requests)).toEqual(['late', 'late']);
    const outcome = await eventually('a hold is inserted', async () => {
      const [placed] = await insertConcurrently([{ slot: freeSlot() }]);
      return placed !== 'late' && placed;
    });
    const { placedAt } = await expectStored(outcome);
    expect(Math.abs(placedAt.getTime() - Date.now())).toBeLessThan(60_000);
  });
});
