import { afterAll, describe, expect, test } from '@jest/globals';
import { hold } from '../conformance/steps.ts';
import type { Reply } from '../support/client.ts';
import { collectionCallsOf } from '../support/collection-calls.ts';
import { dateIn, expectStatus, type Json, operatorOf } from '../support/factories.ts';
import { beside } from '../support/leases.ts';
import { startScene } from '../support/scene.ts';
import { hostedService } from '../support/service-host.ts';
import { outcomeOf, verdict } from '../support/verdict.ts';
import type * as Fence from './blackout.in-host.ts';

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
const startHalves = () => startScene(service, { resources: [ALL_DAY, ALL_DAY], venue: { time_zone: 'UTC' } });

const { venue } = await startHalves();
const [resourceId = ''] = venue.resourceIds;

/** A slot of the resource, and a blackout of the whole day, this many days from today. */
const onDay = (id: string, days: number) => ({
  slotId: `${id}_${dateIn(days).replaceAll('-', '')}T0700Z`,
  blackout: {
    starts_at: `${dateIn(days)}T00:00:00.000Z`,
    ends_at: `${dateIn(days + 1)}T00:00:00.000Z`,
    resource_ids: [id],
    reason: 'Repairs',
  },
});

describe('a concurrent walk-in and blackout', () => {
  /** Sells a slot, and requests a blackout before the write. Returns whether the blackout's response lists the sale. */
  async function isSaleListed(days: number, { isAwaited }: { isAwaited: boolean }): Promise<boolean> {
    const { slotId, blackout } = onDay(resourceId, days);
    const closings: Promise<Reply>[] = [];
    // In another process, because one process runs these writes one after the other.
    const close = async () => {
      const closing = operatorOf(otherProcess).post(`/api/v1/operator/venues/${venue.id}/blackouts`, blackout);
      closings.push(closing);
      if (isAwaited) await closing;
    };
    const sell = () => operatorOf(service).post('/api/v1/operator/walk-ins', { slot_id: slotId });
    const sale = expectStatus(await calls.beforeNext('reservations.findOneAndUpdate', close, sell), 201);
    const [closed] = await Promise.all(closings);
    const { conflicts } = expectStatus(closed as Reply, 201);
    return (conflicts as Json[]).some((each) => each['booking_id'] === sale['booking_id']);
  }

  test('are serialised: a blackout that begins during the walk-in reports it', async () => {
    expect(await isSaleListed(3, { isAwaited: false })).toBe(true);
  });

  test('control: do not see each other without a common write', async () => {
    await inHost.removeCommonWrite();
    try {
      expect(await isSaleListed(4, { isAwaited: true })).toBe(false);
    } finally {
      await calls.restore('venues.findOneAndUpdate');
    }
  });
});

test.each([
  ['linked and then closed', ['share', 'close']],
  ['closed and then linked', ['close', 'share']],
] as const)('a hold of one half is rejected if meanwhile the other half is %s', async (_order, steps) => {
  const { venue: ofHalves, partner } = await startHalves();
  const [north = '', south = ''] = ofHalves.resourceIds;
  const operator = operatorOf(service);
  const { blackout } = onDay(south, 3);
  const changes = {
    share: () => operator.patch(`/api/v1/operator/resources/${north}`, { shares_space_with: [south] }),
    close: () => operator.post(`/api/v1/operator/venues/${ofHalves.id}/blackouts`, blackout),
  };
  const change = async () => {
    for (const step of steps) expect(verdict(await changes[step]())).toMatch(/^20[01]$/);
  };
  const { slotId } = onDay(north, 3);
  const holdNorth = () => hold(partner, slotId, { idempotency_key: slotId });
  expect(outcomeOf(await calls.beforeNext('reservations.bulkWrite', change, holdNorth))).toBe('409 blackout');
});
