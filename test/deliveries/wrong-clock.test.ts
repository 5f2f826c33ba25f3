import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { startDeliveryScene } from '../support/delivery-scene.ts';
import { anyPartner, expectStatus, type Partner, placeHold, subscribe } from '../support/factories.ts';
import { changeRow, rowOf } from '../support/rows.ts';
import { sharedService } from '../support/service-host.ts';
import type * as InHost from './deliveries.in-host.ts';
import type * as WrongClock from './wrong-clock.in-host.ts';

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
const PREVIOUS = 'x-service-signature-previous';

const service = sharedService();
const { receiver, venue, slots, end, read, waiting } = await startDeliveryScene(service);
const by = service.inHost<typeof WrongClock>('test/deliveries/wrong-clock.in-host.ts');
const { runJob } = service.inHost<typeof InHost>('test/deliveries/deliveries.in-host.ts');
let partner: Partner;
let subscriptionId: string;
afterAll(end);
beforeEach(async () => {
  receiver.respondWith(200);
  partner = await anyPartner(service, [venue.id]);
  ({ id: subscriptionId } = await subscribe(partner, receiver.url, ['hold_created']));
});

const subscription = () => rowOf(service, 'webhook_subscriptions', { _id: subscriptionId });
const change = (id: string, fields: object) => changeRow(service, 'deliveries', id, { $set: fields });
const inMs = (ms: number) => new Date(Date.now() + ms);
const expectNow = (instant: Date | null | undefined) =>
  expect(Math.abs((instant?.getTime() ?? 0) - Date.now())).toBeLessThan(MINUTE_MS);

describe.each([-400 * DAY_MS, 400 * DAY_MS])('a process whose clock is off by %d ms', (offMs) => {
  test('creates deliveries that are due immediately', async () => {
    const { hold_id: holdId } = await placeHold(partner, slots.shift() ?? '');
    await by.dispatchBy(offMs, String(holdId));
    const { _id: eventId } = await rowOf(service, 'events', { holdId });
    const dispatched = await rowOf(service, 'deliveries', { eventId, subscriptionId });
    const sample = await read(await by.testEventBy(offMs, partner.id, subscriptionId));
    for (const { nextAttemptAt, createdAt } of [dispatched, sample]) {
      expectNow(nextAttemptAt);
      expect(nextAttemptAt?.getTime()).toBeLessThanOrEqual(Date.now());
      expectNow(createdAt);
    }
  });

  test('makes an attempt when it is due, and not before', async () => {
    const id = await waiting(partner);
    await change(id, { nextAttemptAt: inMs(10 * MINUTE_MS) });
    const early = await runJob(id, { offMs });
    if (early?.kind !== 'later') throw new Error('It was not early');
    expect(Math.abs(early.inMs - 10 * MINUTE_MS)).toBeLessThan(MINUTE_MS);
    await change(id, { nextAttemptAt: inMs(-1) });
    expect(await runJob(id, { offMs })).toMatchObject({ kind: 'delivered' });
    expectNow((await subscription()).lastSuccessAt);
  });

  test('records since when an endpoint has failed', async () => {
    receiver.respondWith(500);
    await runJob(await waiting(partner), { offMs });
    const { failingSince, lastFailureAt, consecutiveFailures } = await subscription();
    expect(consecutiveFailures).toBe(1);
    expectNow(failingSince);
    expectNow(lastFailureAt);
  });

  test('signs with the old secret until the overlap ends', async () => {
    const path = `/api/v1/partner/webhooks/${subscriptionId}/rotate-secret`;
    expectStatus(await partner.api.post(path, { overlap_seconds: 600 }), 200);
    await runJob(await waiting(partner), { offMs });
    expect(receiver.received.at(-1)?.headers).toHaveProperty(PREVIOUS);
    await changeRow(service, 'webhook_subscriptions', subscriptionId, { $set: { previousSecretUntil: inMs(-1) } });
    expectStatus(await partner.api.patch(path.replace('/rotate-secret', ''), { endpoint_url: receiver.url }), 200);
    await runJob(await waiting(partner), { offMs });
    expect(receiver.received.at(-1)?.headers).not.toHaveProperty(PREVIOUS);
    expect((await subscription()).sealedPreviousSecret).toBeNull();
  });

  test('rejects a redelivery only while an attempt is in progress', async () => {
    const id = await waiting(partner);
    await change(id, { leaseUntil: inMs(MINUTE_MS) });
    expect(await by.redeliverBy(offMs, partner.id, id)).toBe('DELIVERY_IN_PROGRESS');
    await change(id, { leaseUntil: inMs(-1) });
    expect(await by.redeliverBy(offMs, partner.id, id)).toBe('pending');
  });

  test('recovers events until now, and makes them due immediately', async () => {
    const { eventId, _id: lost } = await read(await waiting(partner));
    const { at } = await rowOf(service, 'events', { _id: eventId });
    await service.context.db.collection<{ _id: string }>('deliveries').deleteOne({ _id: lost });
    expect(await by.recoverBy(offMs, partner.id, subscriptionId, at.toISOString())).toBe(1);
    const { nextAttemptAt, createdAt } = await rowOf(service, 'deliveries', { eventId, subscriptionId });
    expectNow(nextAttemptAt);
    expectNow(createdAt);
  });

  test('redelivers and discards every dead letter until now', async () => {
    receiver.respondWith(500);
    const id = await waiting(partner);
    await service.attempt(id, 5);
    expect(await by.redriveAllBy(offMs, subscriptionId)).toBe(1);
    await service.attempt(id, 5);
    expect(await by.discardAllBy(offMs, subscriptionId)).toBe(1);
  });
});
