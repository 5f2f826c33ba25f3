import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { mayBeUnreported } from '../../src/blackouts/blackout.rules.ts';
import { rowOf } from '../support/rows.ts';
import { monitoredUri } from '../support/service-environment.ts';
import { hostedService } from '../support/service-host.ts';
import type * as InsertHold from './insert-hold.in-host.ts';
import type { Outcome } from './insert-hold.in-host.ts';

const TTL_MS = 600_000;
const service = await hostedService({ overrides: { MONGODB_URI: monitoredUri() } });
const { insertAtOnce, insertBesideTransaction, setClockOff, takeWrites, watchWrites } = service.inHost<
  typeof InsertHold
>('test/reservations/insert-hold.in-host.ts');
beforeAll(() => watchWrites());
afterAll(() => service.stop());

let last = 0;
const freeSlot = () => {
  last += 1;
  return last;
};
const freeSlots = (count: number) => Array.from({ length: count }, freeSlot);

const inserted = (outcome: Outcome | undefined) => {
  if (outcome === undefined || !('holdId' in outcome)) throw new Error(JSON.stringify(outcome));
  return outcome;
};

const namesOfWrites = async () => (await takeWrites()).map(({ name }) => name).sort();

/** What is stored of a hold that was inserted, and that its caller was told the same. */
async function expectStored(outcome: Outcome | undefined) {
  const { holdId, placedAt, holdExpiresAt } = inserted(outcome);
  const row = await rowOf(service, 'reservations', { _id: holdId });
  expect([row.placedAt.toISOString(), row.holdExpiresAt.toISOString()]).toEqual([placedAt, holdExpiresAt]);
  expect(row.holdExpiresAt.getTime() - row.placedAt.getTime()).toBe(TTL_MS);
  expect(row.outbox).toMatchObject([
    { type: 'hold_created', at: row.placedAt, holdExpiresAt: row.holdExpiresAt, slotId: row.slotId },
  ]);
  return row;
}

describe('holds that are inserted at once', () => {
  test('leave as one bulk, as does one alone', async () => {
    const outcomes = await insertAtOnce(freeSlots(100).map((slot) => ({ slot })));
    expect(await namesOfWrites()).toEqual(['update']);
    for (const outcome of outcomes) await expectStored(outcome);

    await insertAtOnce([{ slot: freeSlot() }]);
    expect(await namesOfWrites()).toEqual(['update']);
  });

  test('have their own outcomes: what is taken is named to the one that wants it, the others are inserted', async () => {
    const [taken, partnerId] = [freeSlot(), randomUUID()];
    await insertAtOnce([{ slot: taken }, { slot: freeSlot(), partnerId, ordinal: 7 }]);
    const twice = freeSlot();
    const outcomes = await insertAtOnce([
      { slot: freeSlot() },
      { slot: taken },
      { slot: freeSlot(), partnerId, ordinal: 7 },
      { slot: twice },
      { slot: twice },
      { slot: freeSlot() },
    ]);
    const violated = outcomes.map((outcome) => ('violated' in outcome ? outcome.violated : null));
    expect(violated).toEqual([
      ...[null, 'one_claim_per_cell', 'one_hold_per_ordinal'],
      ...[null, 'one_claim_per_cell', null],
    ]);
    for (const index of [0, 3, 5]) await expectStored(outcomes[index]);
  });

  test('do not fail with one that has to wait for a transaction on its slot', async () => {
    const slot = freeSlot();
    const beside = [...freeSlots(3).map((each) => ({ slot: each })), { slot }, { slot: freeSlot() }];
    const outcomes = await insertBesideTransaction({ slot }, 3000, beside);
    expect(outcomes[3]).toEqual({ violated: 'one_claim_per_cell' });
    for (const index of [0, 1, 2, 4]) await expectStored(outcomes[index]);
  });
});

describe.each([
  ['ahead of', 600_000],
  ['behind', -600_000],
])('where a process takes a time %s that of the database for it', (_which, offMs) => {
  test('a hold gets the instants of the database all the same', async () => {
    await setClockOff(offMs);
    await takeWrites();
    try {
      const [first, second] = await insertAtOnce([{ slot: freeSlot() }, { slot: freeSlot() }]);
      // Control: it is the database that rejected the instants of the process.
      expect(await namesOfWrites()).toEqual(['findAndModify', 'findAndModify', 'update']);
      for (const outcome of [first, second]) {
        const { placedAt } = await expectStored(outcome);
        expect(Math.abs(placedAt.getTime() - Date.now())).toBeLessThan(60_000);
      }
    } finally {
      await setClockOff(0);
    }
    await takeWrites();
    await insertAtOnce([{ slot: freeSlot() }]);
    expect(await namesOfWrites()).toEqual(['update']);
  });
});

test('the database gives every write of a hold up long before a blackout takes it for reported', async () => {
  await setClockOff(600_000);
  await takeWrites();
  try {
    await insertAtOnce([{ slot: freeSlot() }]);
  } finally {
    await setClockOff(0);
  }
  const writes = await takeWrites();
  expect(writes.map(({ name }) => name)).toEqual(['update', 'findAndModify']);
  const placedAt = new Date();
  const madeAfter = (ms: number) => ({ createdAt: new Date(placedAt.getTime() + ms) });
  const longestMs = Math.max(...writes.map(({ maxTimeMs }) => maxTimeMs));
  expect(Math.min(...writes.map(({ maxTimeMs }) => maxTimeMs))).toBeGreaterThan(0);
  expect(mayBeUnreported({ placedAt }, madeAfter(2 * longestMs))).toBe(true);
  expect(mayBeUnreported({ placedAt }, madeAfter(10 * longestMs))).toBe(false);
});
