import { afterAll, describe, expect, test } from '@jest/globals';
import type { Reply } from '../support/client.ts';
import { collectionCallsOf } from '../support/collection-calls.ts';
import { expectStatus, type Json } from '../support/factories.ts';
import { begun, beside, cacheOf, ignoringLeases, SLOW, WITHIN_SLOW_MS, waitingForNoLease } from '../support/leases.ts';
import { rowsOf } from '../support/rows.ts';
import { type HostedService, hostedService } from '../support/service-host.ts';
import { outcomeOf } from '../support/verdict.ts';
import { type Call, hold, OF_PARTNERS, OF_RULES, type Place, placeAt, type Row } from './changed-rules.ts';

const ROUNDS = 5;

/** Short, because a change waits for the leases, and a hold may be sent up to a second after its draft (ADR 0003). */
const quick = await hostedService({ overrides: { CACHE_LEASE_MS: '400' } });
const quickToo = await beside(quick);
const slow = await hostedService(SLOW);
/** Has everything cached, and learns of changes only from the database. */
const slowToo = await beside(slow);
afterAll(async () => {
  await quickToo.stop({ keepsDatabase: true });
  await quick.stop();
  await slowToo.stop({ keepsDatabase: true });
  await slow.stop();
});

/** Repeats the call until the process has cached its data: it caches a key after the first complete use. */
async function remember(place: Place, call: Call): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) expect((await call(place)).status).toBeLessThan(300);
}

async function changed(place: Place, { change }: Row): Promise<Reply> {
  const reply = await change(place);
  expect(reply.status).toBeLessThan(300);
  return reply;
}

/** Places the hold, and calls `meanwhile` between the reads of the slot and the write. */
const holdAfter = (meanwhile: () => Promise<unknown>, place: Place, at: HostedService, fields?: Json) =>
  collectionCallsOf(at).beforeNext('reservations.bulkWrite', meanwhile, () => hold(place, fields));

describe.each([...OF_PARTNERS, ...OF_RULES])('$what', (row) => {
  const { undo, call = hold, outcome } = row;

  test('is effective in another process as soon as it is answered, although cached there; so is its end', async () => {
    const places = await Promise.all(Array.from({ length: ROUNDS }, () => placeAt(slow, slowToo)));
    const outcomes = places.map(async (place) => {
      await remember(place, call);
      const reply = await changed(place, row);
      const then = [outcomeOf(await call(place))];
      if (undo === undefined) return then;
      // Cache the new state.
      for (let turn = 0; turn < 2; turn += 1) await call(place);
      expect((await undo(place, reply)).status).toBeLessThan(300);
      return [...then, (await call(place)).status < 300];
    });
    const expected = undo === undefined ? [outcome] : [outcome, true];
    expect(await Promise.all(outcomes)).toEqual(places.map(() => expected));
  });

  test.each<[string, () => HostedService]>([
    ['the process that is told', () => quick],
    ['another process', () => quickToo],
  ])('rejects a hold that %s drafted before it and writes after it; its key stays unused', async (_which, at) => {
    const place = await placeAt(quick, at());
    await remember(place, hold);
    const slotId = String(place.slotIds.at(-1));
    const body = { slot_id: slotId, idempotency_key: slotId };
    const replies: Reply[] = [];
    const changing = async () => replies.push(await changed(place, row));
    expect(outcomeOf(await holdAfter(changing, place, at(), body))).toBe(outcome);
    expect(await rowsOf(quick, 'reservations', { slotId })).toEqual([]);
    if (undo === undefined) return;
    for (const reply of replies) await undo(place, reply);
    const again = await hold(place, body);
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([201, null]);
  });
});

describe('a hold written under its lease', () => {
  test.each(OF_RULES)('is listed in the response to $what', async (row) => {
    const place = await placeAt(slow, slow);
    await cacheOf(slow).readAnew();
    const changing = begun(() => changed(place, row), WITHIN_SLOW_MS);
    const { hold_id: holdId } = expectStatus(await holdAfter(changing.begin, place, slow), 201);
    expect((await changing.answered.response)?.text).toContain(String(holdId));
  });
});

describe('control', () => {
  const ended = OF_RULES.find(({ what }) => what === 'a grant that ends') as Row;
  const closed = OF_RULES.at(-1) as Row;

  test.each([...OF_PARTNERS.slice(0, 2), ended, closed])(
    '$what would be ignored if the response did not wait for the leases of others',
    async (row) => {
      const { call = hold } = row;
      const served: boolean[] = [];
      // Retry, because on a busy machine half a lease may pass before the call.
      for (let round = 0; round < ROUNDS && !served.includes(true); round += 1) {
        const place = await placeAt(slow, slowToo);
        await remember(place, call);
        await waitingForNoLease(slow, () => changed(place, row));
        served.push((await call(place)).status < 300);
      }
      expect(served).toContain(true);
    },
  );

  test.each([ended, closed])(
    'a hold drafted before $what would stay unreported if its process ignored its lease',
    async (row) => {
      const place = await placeAt(quick, quickToo);
      const replies: Reply[] = [];
      const changing = async () => replies.push(await changed(place, row));
      const reply = await ignoringLeases(quickToo, () => holdAfter(changing, place, quickToo));
      const { hold_id: holdId } = expectStatus(reply, 201);
      expect(replies[0]?.text).not.toContain(String(holdId));
    },
  );

  test.each([ended, closed])(
    'a hold written under its lease would be missed if $what did not wait for it',
    async (row) => {
      const place = await placeAt(slow, slow);
      await cacheOf(slow).readAnew();
      const replies: Reply[] = [];
      const changing = async () => replies.push(await changed(place, row));
      const reply = await waitingForNoLease(slow, () => holdAfter(changing, place, slow));
      const { hold_id: holdId } = expectStatus(reply, 201);
      expect(replies[0]?.text).not.toContain(String(holdId));
    },
  );
});
