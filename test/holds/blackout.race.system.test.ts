import { afterAll, describe, expect, test } from '@jest/globals';
import { hold as sendHold } from '../conformance/steps.ts';
import type { Reply } from '../support/client.ts';
import { collectionCallsOf } from '../support/collection-calls.ts';
import { dateIn, expectStatus, type Json, operatorOf } from '../support/factories.ts';
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
const { venue, slot } = await startScene(service, {
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

test.each([
  ['linked and then closed', ['share', 'close']],
  ['closed and then linked', ['close', 'share']],
] as const)('a hold of one half is rejected if meanwhile the other half is %s', async (_order, steps) => {
  const halves = { resources: [ALL_DAY, ALL_DAY], venue: { time_zone: 'UTC' } };
  const { venue: venueOfHalves, partner: seller } = await startScene(service, halves);
  const [north = '', south = ''] = venueOfHalves.resourceIds;
  const [day, nextDay] = [dateIn(3), dateIn(4)];
  const window = { starts_at: `${day}T00:00:00.000Z`, ends_at: `${nextDay}T00:00:00.000Z` };
  const body = { ...window, resource_ids: [south], reason: 'Repairs' };
  const operator = operatorOf(service);
  const changes = {
    share: () => operator.patch(`/api/v1/operator/resources/${north}`, { shares_space_with: [south] }),
    close: () => operator.post(`/api/v1/operator/venues/${venueOfHalves.id}/blackouts`, body),
  };
  const change = async () => {
    for (const step of steps) expect(verdict(await changes[step]())).toMatch(/^20[01]$/);
  };
  const slotId = `${north}_${day.replaceAll('-', '')}T0700Z`;
  const holdNorth = () => sendHold(seller, slotId, { idempotency_key: slotId });
  const reply = await calls.beforeNext('reservations.bulkWrite', change, holdNorth);
  expect(outcomeOf(reply, {})).toBe('refused');
});
