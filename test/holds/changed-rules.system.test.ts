import { afterAll, describe, expect, test } from '@jest/globals';
import type { Reply } from '../support/client.ts';
import { collectionCallsOf } from '../support/collection-calls.ts';
import { expectStatus, type Json } from '../support/factories.ts';
import { begun, beside, cacheOf, ignoringLeases, SLOW, WITHIN_SLOW_MS, waitingForNoLease } from '../support/leases.ts';
import { rowsOf } from '../support/rows.ts';
import { type HostedService, hostedService } from '../support/service-host.ts';
import { outcomeOf } from '../support/verdict.ts';
import type { Call, Place, RuleChange } from './changed-rules.ts';
import { createPlace, hold, PARTNER_CHANGES, RULE_CHANGES } from './changed-rules.ts';

const ROUNDS = 5;

/**
 * Short: a change waits for the leases, and MongoDB rejects a hold that arrives over a second after the process set its
 * times (ADR 0003).
 */
const quick = await hostedService({ overrides: { CACHE_LEASE_MS: '400' } });
const otherQuick = await beside(quick);
const slow = await hostedService(SLOW);
/** Has everything cached, and learns of changes only from the database. */
const otherSlow = await beside(slow);
afterAll(async () => {
  await otherQuick.stop({ keepsDatabase: true });
  await quick.stop();
  await otherSlow.stop({ keepsDatabase: true });
  await slow.stop();
});

/** Repeats the call until the process has cached its data: it caches a key after the first complete use. */
async function cacheDataOf(place: Place, call: Call): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) expect((await call(place)).status).toBeLessThan(300);
}

async function changed(place: Place, { change }: RuleChange): Promise<Reply> {
  const reply = await change(place);
  expect(reply.status).toBeLessThan(300);
  return reply;
}

/** Places the hold, and calls `meanwhile` between the reads of the slot and the write. */
const holdAfter = (meanwhile: () => Promise<unknown>, place: Place, service: HostedService, fields?: Json) =>
  collectionCallsOf(service).beforeNext('reservations.bulkWrite', meanwhile, () => hold(place, fields));

describe.each([...PARTNER_CHANGES, ...RULE_CHANGES])('$name', (row) => {
  const { undo, call = hold, outcome } = row;

  test('is effective after its response in another process that had cached the rules; so is undoing it', async () => {
    const places = await Promise.all(Array.from({ length: ROUNDS }, () => createPlace(slow, otherSlow)));
    const outcomes = places.map(async (place) => {
      await cacheDataOf(place, call);
      const reply = await changed(place, row);
      const outcomesOfPlace = [outcomeOf(await call(place))];
      if (undo === undefined) return outcomesOfPlace;
      // Cache the new state.
      for (let turn = 0; turn < 2; turn += 1) await call(place);
      expect((await undo(place, reply)).status).toBeLessThan(300);
      return [...outcomesOfPlace, (await call(place)).status < 300];
    });
    const expected = undo === undefined ? [outcome] : [outcome, true];
    expect(await Promise.all(outcomes)).toEqual(places.map(() => expected));
  });

  test.each<[string, () => HostedService]>([
    ['the same process', () => quick],
    ['another process', () => otherQuick],
  ])(
    'rejects a hold that %s prepares before it and writes after it; the idempotency key stays unused',
    async (_which, service) => {
      const place = await createPlace(quick, service());
      await cacheDataOf(place, hold);
      const slotId = String(place.slotIds.at(-1));
      const body = { slot_id: slotId, idempotency_key: slotId };
      const replies: Reply[] = [];
      const changing = async () => replies.push(await changed(place, row));
      expect(outcomeOf(await holdAfter(changing, place, service(), body))).toBe(outcome);
      expect(await rowsOf(quick, 'reservations', { slotId })).toEqual([]);
      if (undo === undefined) return;
      for (const reply of replies) await undo(place, reply);
      const again = await hold(place, body);
      expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([201, null]);
    },
  );
});

describe('a hold written under its lease', () => {
  test.each(RULE_CHANGES)('is listed in the response to $name', async (row) => {
    const place = await createPlace(slow, slow);
    await cacheOf(slow).readAnew();
    const changing = begun(() => changed(place, row), WITHIN_SLOW_MS);
    const { hold_id: holdId } = expectStatus(await holdAfter(changing.begin, place, slow), 201);
    expect((await changing.answered.response)?.text).toContain(String(holdId));
  });
});

describe('control', () => {
  const endedGrant = RULE_CHANGES.find(({ name }) => name === 'a grant that ends') as RuleChange;
  const blackout = RULE_CHANGES.at(-1) as RuleChange;

  test.each([...PARTNER_CHANGES.slice(0, 2), endedGrant, blackout])(
    '$name would be ignored if the response did not wait for other processes’ leases',
    async (row) => {
      const { call = hold } = row;
      const served: boolean[] = [];
      // Retry, because on a busy machine half a lease may pass before the call.
      for (let round = 0; round < ROUNDS && !served.includes(true); round += 1) {
        const place = await createPlace(slow, otherSlow);
        await cacheDataOf(place, call);
        await waitingForNoLease(slow, () => changed(place, row));
        served.push((await call(place)).status < 300);
      }
      expect(served).toContain(true);
    },
  );

  describe.each([
    ['ignored its lease', () => quick, () => otherQuick, ignoringLeases],
    ['kept a lease that nobody waits for', () => slow, () => slow, waitingForNoLease],
  ] as const)('an earlier hold would stay unreported if its process %s:', (_fault, changes, sells, without) => {
    test.each([endedGrant, blackout])('$name', async (ruleChange) => {
      const place = await createPlace(changes(), sells());
      await cacheOf(sells()).readAnew();
      const replies: Reply[] = [];
      const changing = async () => replies.push(await changed(place, ruleChange));
      const reply = await without(sells(), () => holdAfter(changing, place, sells()));
      const { hold_id: holdId } = expectStatus(reply, 201);
      expect(replies[0]?.text).not.toContain(String(holdId));
    });
  });
});
