import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, expect, test } from '@jest/globals';
import { hold } from '../conformance/steps.ts';
import { collectionCallsOf } from '../support/collection-calls.ts';
import { expectStatus, operatorOf, placeHold } from '../support/factories.ts';
import { withoutLease } from '../support/leases.ts';
import { rowsOf } from '../support/rows.ts';
import { startScene } from '../support/scene.ts';
import { hostedService } from '../support/service-host.ts';
import { verdict } from '../support/verdict.ts';

const LEASE_MS = 600;
const service = await hostedService({ overrides: { CACHE_LEASE_MS: String(LEASE_MS) } });
afterAll(() => service.stop());
const operator = operatorOf(service);
const calls = collectionCallsOf(service);
const { venue, partner, slot } = await startScene(service);
const resource = `/api/v1/operator/resources/${venue.resourceIds[0]}`;
/** A price that is `rupees` higher, and a function that sets it. */
const higherPrice = async (rupees: number) => {
  const price = Number(expectStatus(await operator.get(resource), 200)['price_rupees']) + rupees;
  const set = async () => expectStatus(await operator.patch(resource, { price_rupees: price }), 200);
  return { price, set };
};

test('without a lease, a hold is 503 after 3 s and writes nothing; a later call with its key places it', async () => {
  const slotId = slot();
  const key = { idempotency_key: slotId };
  await withoutLease(service, async () => {
    const beganAt = performance.now();
    const reply = await hold(partner, slotId, key);
    expect([verdict(reply), reply.headers.get('retry-after')]).toEqual(['503 SERVICE_UNAVAILABLE', '1']);
    expect(performance.now() - beganAt).toBeGreaterThan(2900);
  });
  expect(await rowsOf(service, 'reservations', { slotId })).toEqual([]);
  const placed = await hold(partner, slotId, key);
  expect([placed.status, placed.headers.get('idempotent-replayed')]).toEqual([201, null]);
});

test('a hold that misses its lease is placed once, under the next lease, at the price of that time', async () => {
  const slotId = slot();
  const { price, set } = await higherPrice(450);
  const change = async () => {
    await set();
    await delay(LEASE_MS);
  };
  const reply = await calls.beforeNext('reservations.bulkWrite', change, () => hold(partner, slotId));
  const { hold_id: holdId, price_rupees: paid } = expectStatus(reply, 201);
  expect(paid).toBe(price);
  expect((await rowsOf(service, 'reservations', { slotId })).map(({ _id }) => _id)).toEqual([holdId]);
});

test('a walk-in has the price at the time of its transaction', async () => {
  const { price, set } = await higherPrice(50);
  const sell = () => operator.post('/api/v1/operator/walk-ins', { slot_id: slot() });
  const reply = await calls.beforeNext('venues.findOneAndUpdate', set, sell);
  expect(expectStatus(reply, 201)['price_rupees']).toBe(price);
});

test('a hold is retried if the primary does not confirm the conflicting claim', async () => {
  const slotId = slot();
  const { hold_id: lost } = await placeHold(partner, slotId);
  // A deposed primary still shows the claim, as the first read does here; its successor never had it.
  const rollBack = async (turn: number) => {
    if (turn === 2) await service.context.db.collection('reservations').deleteOne({ _id: lost as never });
  };
  const again = await calls.beforeEvery('reservations.aggregate', rollBack, () =>
    hold(partner, slotId, { idempotency_key: slotId }),
  );
  expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([201, null]);
});
