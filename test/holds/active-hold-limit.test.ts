import { afterAll, describe, expect, test } from '@jest/globals';
import { hold, release as sendRelease } from '../conformance/steps.ts';
import { createClient, type Reply } from '../support/client.ts';
import type { Partner } from '../support/factories.ts';
import { anyPartner, dateIn, expectStatus, freeSlotIds, json, placeHold } from '../support/factories.ts';
import { rowOf } from '../support/rows.ts';
import { scaled } from '../support/scale.ts';
import { startScene } from '../support/scene.ts';
import { databaseUri, freshName } from '../support/service-environment.ts';
import { hostedService } from '../support/service-host.ts';
import { verdict } from '../support/verdict.ts';

const LIMIT = 500;
const CALLERS = 48;

const overrides = {
  MONGODB_URI: databaseUri(freshName()),
  MAX_ACTIVE_HOLDS: String(LIMIT),
  RATE_LIMIT_PER_MINUTE: '0',
  CACHE_LEASE_MS: '10000',
};
const service = await hostedService({ overrides });
/** Another process on the same database. */
const otherProcess = await hostedService({ overrides });
afterAll(async () => {
  await otherProcess.stop({ keepsDatabase: true });
  await service.stop();
});
const { venue, rival, slots: slotIds } = await startScene(service, { resources: [{}, {}, {}, {}] });
const slotOf = (caller: number) => slotIds[caller] ?? '';

/** How often a query read the partners' ACTIVE holds. */
async function readsOfHolds(): Promise<number> {
  const statistics = service.context.db.collection('reservations').aggregate([{ $indexStats: {} }]);
  const [index] = await statistics.match({ name: 'active_holds_of_partner' }).toArray();
  return Number(index?.['accesses'].ops);
}

const viaOtherProcess = (partner: Partner): Partner => ({
  ...partner,
  api: createClient(otherProcess.url, partner.apiKey),
});

/** A partner with `live` holds, which occupy no slot of the tests. */
async function partnerWith(live: number): Promise<Partner> {
  const partner = await anyPartner(service, [venue.id]);
  const [slotId = ''] = await freeSlotIds(partner, venue.id, dateIn(4));
  const { hold_id: holdId } = await placeHold(partner, slotId, { ttl_seconds: 1800 });
  const { outbox: _outbox, outboxSince: _since, ...placed } = await rowOf(service, 'reservations', { _id: holdId });
  const ordinals = Array.from({ length: LIMIT }, (_, n) => n).filter((n) => n !== placed.holdOrdinal);
  const copies = ordinals.slice(0, live - 1).map((holdOrdinal) => ({
    ...placed,
    holdOrdinal,
    outbox: [],
    _id: `${placed._id}-${holdOrdinal}`,
    cells: [`elsewhere@${placed._id}-${holdOrdinal}`],
  }));
  await service.context.db.collection('reservations').insertMany(copies as never);
  return partner;
}

const release = async (partner: Partner, held: Reply) =>
  expectStatus(await sendRelease(partner, json(held)['hold_id']), 200);

function countOf(replies: readonly Reply[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const each of replies.map(verdict)) counts[each] = (counts[each] ?? 0) + 1;
  return counts;
}

/** Counts the responses when each caller repeatedly places and releases a hold on its own slot. */
async function holdAndRelease(callers: readonly Partner[], times: number): Promise<Record<string, number>> {
  const replies = callers.map(async (partner, caller) => {
    const placed: Reply[] = [];
    for (let time = 0; time < times; time += 1) {
      const reply = await hold(partner, slotOf(caller));
      placed.push(reply);
      if (reply.status === 201) await release(partner, reply);
    }
    return placed;
  });
  return countOf((await Promise.all(replies)).flat());
}

const callersOf = (partner: Partner, count: number) => Array.from({ length: count }, () => partner);

describe('a busy partner', () => {
  test('below the limit is never rejected, and its holds are seldom read', async () => {
    const times = scaled(6, 3);
    const partner = await partnerWith(400);
    const before = await readsOfHolds();
    expect(await holdAndRelease(callersOf(partner, CALLERS), times)).toEqual({ '201': CALLERS * times });
    const reads = (await readsOfHolds()) - before;
    expect(reads).toBeLessThanOrEqual((CALLERS * times) / 12);
  });

  test('gets as many holds as its limit, in any process', async () => {
    const partner = await partnerWith(LIMIT - 16);
    const callers = [...callersOf(partner, 8), ...callersOf(viaOtherProcess(partner), 8)];
    expect(await holdAndRelease(callers, 5)).toEqual({ '201': 80 });
  });

  test('gets as many holds as its limit while other calls lose their slots', async () => {
    const partner = await partnerWith(LIMIT - 4);
    // The other tests use the first 64 slots.
    const [taken = '', ...free] = slotIds.slice(64, 69);
    await placeHold(rival, taken);
    for (const slotId of free) {
      const losers = callersOf(partner, 16).map((each) => hold(each, taken));
      expect(verdict(await hold(partner, slotId))).toBe('201');
      expect(countOf(await Promise.all(losers))).toEqual({ '409 SLOT_NOT_AVAILABLE': 16 });
    }
  });

  /** The responses to 64 concurrent calls to both processes, of which 10 may succeed. */
  async function countsOfConcurrentHolds(): Promise<Record<string, number>> {
    const partner = await partnerWith(LIMIT - 10);
    const callers = [...callersOf(partner, 32), ...callersOf(viaOtherProcess(partner), 32)];
    const replies = await Promise.all(callers.map((each, caller) => hold(each, slotOf(caller))));
    for (const reply of replies) if (reply.status === 201) await release(partner, reply);
    return countOf(replies);
  }

  test('never has more holds than its limit; control: without the index on ordinals, it has', async () => {
    for (let round = 0; round < scaled(3, 1); round += 1)
      expect(await countsOfConcurrentHolds()).toEqual({ '201': 10, '409 HOLD_LIMIT_REACHED': 54 });
    await service.context.db.collection('reservations').dropIndex('one_hold_per_ordinal');
    try {
      let maxPlaced = 0;
      for (let round = 0; round < 20 && maxPlaced <= 10; round += 1)
        maxPlaced = (await countsOfConcurrentHolds())['201'] ?? 0;
      expect(maxPlaced).toBeGreaterThan(10);
    } finally {
      await service.migrate();
    }
  });
});
