import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { collectionCallsOf } from '../support/collection-calls.ts';
import type { Json, Partner } from '../support/factories.ts';
import { anyPartner, anyVenue, expectStatus, freeSlotIds, operatorOf, placeHold } from '../support/factories.ts';
import { withoutLease } from '../support/leases.ts';
import { rowsOf } from '../support/rows.ts';
import { hostedService } from '../support/service-host.ts';
import { verdict } from '../support/verdict.ts';

const HOLDS = '/api/v1/partner/holds';
const LEASE_MS = 400;
const service = await hostedService({ overrides: { CACHE_LEASE_MS: String(LEASE_MS) } });
const operator = operatorOf(service);
const calls = collectionCallsOf(service);
let venueId: string;
let resourceId: string;
let seller: Partner;
let slotIds: string[];
beforeAll(async () => {
  const venue = await anyVenue(service);
  [venueId, resourceId] = [venue.id, String(venue.resourceIds[0])];
  seller = await anyPartner(service, [venueId]);
  slotIds = await freeSlotIds(seller, venueId);
});
afterAll(() => service.stop());

const nextSlot = () => slotIds.pop() ?? '';
const leaseEnds = () => delay(LEASE_MS);

/** Places a hold whose process stands still between its reads of the slot and its write. */
const holdAfter = (meanwhile: () => Promise<unknown>, slotId: string, { api } = seller) =>
  calls.beforeNext('reservations.bulkWrite', meanwhile, () => api.post(HOLDS, { slot_id: slotId }));

test('without a lease, a hold is 503 after 3 s and writes nothing; its key places it once there is a lease', async () => {
  const [{ api }, slotId] = [seller, nextSlot()];
  const body = { slot_id: slotId, idempotency_key: slotId };
  await withoutLease(service, async () => {
    const beganAt = performance.now();
    const reply = await api.post(HOLDS, body);
    expect([verdict(reply), reply.headers.get('retry-after')]).toEqual(['503 SERVICE_UNAVAILABLE', '1']);
    expect(performance.now() - beganAt).toBeGreaterThan(2900);
    expect(performance.now() - beganAt).toBeLessThan(5000);
  });
  expect(await rowsOf(service, 'reservations', { slotId })).toEqual([]);
  const placed = await api.post(HOLDS, body);
  expect([placed.status, placed.headers.get('idempotent-replayed')]).toEqual([201, null]);
});

test('a hold that comes too late for its lease is placed under the next one, once', async () => {
  const slotId = nextSlot();
  const reply = await holdAfter(leaseEnds, slotId);
  const { hold_id: holdId } = expectStatus(reply, 201);
  expect((await rowsOf(service, 'reservations', { slotId })).map(({ _id }) => _id)).toEqual([holdId]);
});

test('it has the price that is in force by then', async () => {
  const change = (body: Json) => async () => {
    expectStatus(await operator.patch(`/api/v1/operator/resources/${resourceId}`, body), 200);
    await leaseEnds();
  };
  const before = expectStatus(await operator.get(`/api/v1/operator/resources/${resourceId}`), 200);
  const dearer = Number(before['price_rupees']) + 450;

  const held = await holdAfter(change({ price_rupees: dearer }), nextSlot());
  expect(expectStatus(held, 201)['price_rupees']).toBe(dearer);
});

test('a walk-in has the price that is in force in its transaction', async () => {
  const before = expectStatus(await operator.get(`/api/v1/operator/resources/${resourceId}`), 200);
  const dearer = Number(before['price_rupees']) + 50;
  const reply = await calls.beforeNext(
    'venues.findOneAndUpdate',
    () => operator.patch(`/api/v1/operator/resources/${resourceId}`, { price_rupees: dearer }),
    () => operator.post('/api/v1/operator/walk-ins', { slot_id: nextSlot() }),
  );
  expect(expectStatus(reply, 201)['price_rupees']).toBe(dearer);
});

test('a conflict with a claim that its confirmation does not find is no refusal: the hold is tried again', async () => {
  const slotId = nextSlot();
  const { hold_id: lost } = await placeHold(seller, slotId);
  // A deposed primary still shows the claim, as the first read here does; its successor never had it.
  const rollBack = async (turn: number) => {
    if (turn === 2) await service.context.db.collection('reservations').deleteOne({ _id: lost as never });
  };
  const again = await calls.beforeEvery('reservations.aggregate', rollBack, () =>
    seller.api.post(HOLDS, { slot_id: slotId, idempotency_key: slotId }),
  );
  expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([201, null]);
});
