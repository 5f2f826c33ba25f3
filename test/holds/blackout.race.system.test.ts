import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { confirm, hold as sendHold } from '../conformance/steps.ts';
import type { Reply } from '../support/client.ts';
import { collectionCallsOf } from '../support/collection-calls.ts';
import { anyVenue, dateIn, expectStatus, type Json, operatorOf } from '../support/factories.ts';
import { beside } from '../support/leases.ts';
import { startScene } from '../support/scene.ts';
import { hostedService } from '../support/service-host.ts';
import { errorOf, verdict } from '../support/verdict.ts';
import type * as Fence from './blackout.in-host.ts';

const MINUTE_MS = 60_000;

const service = await hostedService();
/** Another process on the same database. */
const otherProcess = await beside(service);
const calls = collectionCallsOf(service);
const inHost = service.inHost<typeof Fence>('test/holds/blackout.in-host.ts');
afterAll(async () => {
  await otherProcess.stop({ keepsDatabase: true });
  await service.stop();
});
const ALL_DAY = { operating_hours_start: '00:00', operating_hours_end: '00:00' };
const { venue, partner, slot } = await startScene(service, {
  resources: [{ ...ALL_DAY, duration_minutes: 15 }],
  venue: { time_zone: 'UTC' },
  days: [3, 4, 5, 6],
});

/** Adds a blackout of exactly the slot's window. */
async function blackOut(slotId: string, at = service): Promise<Json> {
  const [, year, month, day, hour, minute] = /_(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)Z$/.exec(slotId) ?? [];
  const start = new Date(`${year}-${month}-${day}T${hour}:${minute}Z`);
  const body = {
    starts_at: start.toISOString(),
    ends_at: new Date(start.getTime() + 15 * MINUTE_MS).toISOString(),
    reason: 'Repairs',
  };
  return expectStatus(await operatorOf(at).post(`/api/v1/operator/venues/${venue.id}/blackouts`, body), 201);
}

const hold = (slotId: string, fields?: Json) => sendHold(partner, slotId, fields);
const walkIn = (slotId: string) => operatorOf(service).post('/api/v1/operator/walk-ins', { slot_id: slotId });

/** `refused` if the blackout rejected the claim, `listed` if its response lists the claim, otherwise the fault. */
function outcomeOf(claim: Reply, blackout: Json): string {
  const conflicts = blackout['conflicts'] as Json[];
  if (claim.status === 409 && errorOf(claim).conflict?.['reason'] === 'blackout') return 'refused';
  if (claim.status !== 201) return claim.text;
  const { hold_id: holdId, booking_id: bookingId } = claim.body as Json;
  const isListed = conflicts.some(
    (each) => each['hold_id'] === holdId || (bookingId !== undefined && each['booking_id'] === bookingId),
  );
  return isListed ? 'listed' : 'unlisted';
}

/** Makes the walk-in, and calls `meanwhile` before its write. */
const walkInAfter = (meanwhile: () => Promise<unknown>, claim: () => Promise<Reply>) =>
  calls.beforeNext('reservations.findOneAndUpdate', meanwhile, claim);

test('a blackout whose process dies before its report does not change an earlier hold', async () => {
  const slotId = slot();
  const held = await hold(slotId, { idempotency_key: slotId });
  await calls.lose('cache_leases.findOne');
  await expect(blackOut(slotId)).rejects.toThrow('503');

  const replayed = await hold(slotId, { idempotency_key: slotId });
  expect([replayed.status, replayed.body]).toEqual([201, held.body]);
  const { hold_id: holdId } = held.body as Json;
  expect(verdict(await confirm(partner, holdId))).toBe('201');
});

describe('a concurrent walk-in and blackout', () => {
  test('are serialised: a blackout that begins during the walk-in reports it', async () => {
    const slotId = slot();
    let blackout = Promise.resolve<Json>({});
    const beginning = () => {
      blackout = blackOut(slotId, otherProcess);
      return Promise.resolve();
    };
    const reply = await walkInAfter(beginning, () => walkIn(slotId));
    expect(outcomeOf(reply, await blackout)).toBe('listed');
  });

  test('control: do not see each other without a common write', async () => {
    const slotId = slot();
    await inHost.removeCommonWrite();
    let blackout: Json = {};
    // In another process, because one process runs these writes one after the other.
    const closing = async () => {
      blackout = await blackOut(slotId, otherProcess);
    };
    try {
      expect(outcomeOf(await walkInAfter(closing, () => walkIn(slotId)), blackout)).toBe('unlisted');
    } finally {
      await calls.restore('venues.findOneAndUpdate');
    }
  });
});

describe('a hold of one half, while the halves are linked and the other half is closed', () => {
  const operator = operatorOf(service);
  let halves: { north: string; south: string };
  let venueOfHalves: string;

  /** Two halves of a new venue, and a slot of each at the same time. */
  beforeEach(async () => {
    const resources = ['North', 'South'].map((name) => ({ ...ALL_DAY, name }));
    const { id, resourceIds } = await anyVenue(service, resources, { time_zone: 'UTC' });
    expectStatus(await operator.put(`/api/v1/operator/partners/${partner.id}/venues/${id}`), 204);
    const [north = '', south = ''] = resourceIds;
    halves = { north, south };
    venueOfHalves = id;
  });
  const slotOf = (resourceId: string) => `${resourceId}_${dateIn(3).replaceAll('-', '')}T0700Z`;
  const holdNorth = () => hold(slotOf(halves.north), { idempotency_key: halves.north });
  const share = async () => {
    const body = { shares_space_with: [halves.south] };
    return expectStatus(await operator.patch(`/api/v1/operator/resources/${halves.north}`, body), 200);
  };
  const blackOutSouth = async () => {
    const times = { starts_at: `${dateIn(3)}T00:00:00.000Z`, ends_at: `${dateIn(4)}T00:00:00.000Z` };
    const body = { ...times, resource_ids: [halves.south], reason: 'Repairs' };
    return expectStatus(await operator.post(`/api/v1/operator/venues/${venueOfHalves}/blackouts`, body), 201);
  };
  test.each<[string, (() => Promise<unknown>)[]]>([
    ['linked first', [share, blackOutSouth]],
    ['closed first', [blackOutSouth, share]],
  ])('%s, is rejected', async (_when, steps) => {
    const closing = async () => {
      for (const step of steps) await step();
    };
    const reply = await calls.beforeNext('reservations.bulkWrite', closing, holdNorth);
    expect(outcomeOf(reply, {})).toBe('refused');
  });
});
