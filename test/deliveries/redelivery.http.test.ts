import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { deliveryJobId } from '../../src/queues/jobs.ts';
import type { SendOutcome } from '../../src/webhooks/sender/collect-response.ts';
import { anyDelivery } from '../support/deliveries.ts';
import { startDeliveryScene } from '../support/delivery-scene.ts';
import type { Json, Partner } from '../support/factories.ts';
import { anyPartner, expectStatus, json, operatorOf, placeHold, subscribe } from '../support/factories.ts';
import { changeRow, rowOf, rowsOf } from '../support/rows.ts';
import { hostedService } from '../support/service-host.ts';
import { verdict } from '../support/verdict.ts';
import type * as InHost from './deliveries.in-host.ts';
import type * as DeliverySweep from './delivery-sweep.in-host.ts';

const WEBHOOKS = '/api/v1/partner/webhooks';
const DELIVERIES = '/api/v1/partner/observability/deliveries';
const DAY_MS = 86_400_000;
const SUCCEEDED: SendOutcome = {
  ok: true,
  statusCode: 200,
  error: null,
  errorDetail: null,
  redirectTo: null,
  durationMs: 9,
  responseExcerpt: null,
};
const FAILED: SendOutcome = { ...SUCCEEDED, ok: false, statusCode: 500, error: 'http_status' };

const service = await hostedService();
const { receiver, venue, slots, freezeAttempt, wakeAttempt, jobState, end, read, failed } =
  await startDeliveryScene(service);
const { cancelSeries, runJob } = service.inHost<typeof InHost>('test/deliveries/deliveries.in-host.ts');
const { sweep, raiseForgotten } = service.inHost<typeof DeliverySweep>('test/deliveries/delivery-sweep.in-host.ts');
let partner: Partner;
let subscription: { id: string; secretKey: string };
afterAll(end);
beforeEach(async () => {
  receiver.respondWith(200);
  partner = await anyPartner(service, [venue.id]);
  subscription = await subscribe(partner, receiver.url, ['hold_created', 'hold_cancelled']);
});

const anySlot = (): string => slots.shift() ?? '';
const redeliver = (id: string, by = partner) => by.api.post(`${DELIVERIES}/${id}/redeliver`);
const recover = (body: Json, id = subscription.id, by = partner) => by.api.post(`${WEBHOOKS}/${id}/recover`, body);
const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString();
/** The latest received attempt of an event. */
const latestAttempt = (eventId: string) => receiver.received.findLast(({ body }) => body['event_id'] === eventId);
const change = (id: string, fields: object) => changeRow(service, 'deliveries', id, { $set: fields });
const anyDeadLetter = () => failed(partner, 5);

describe('redeliver', () => {
  test('begins a new series immediately for a cancelled delivery', async () => {
    const id = await anyDelivery(service, partner, partner, anySlot());
    receiver.respondWith(500);
    await service.attempt(id, 2);
    await change(id, { state: 'cancelled' });
    expect(await read(id)).toMatchObject({ generation: 1, attemptsMade: 2 });
    receiver.respondWith(200);

    expect(expectStatus(await redeliver(id), 202)).toMatchObject({ id, state: 'pending' });

    expect(await read(id)).toMatchObject({ generation: 2, attemptsMade: 0 });
    expect(await jobState('webhook-delivery', deliveryJobId(id, 2))).toBe('waiting');
    await service.attempt(id);
    const row = await read(id);
    expect(row.attempts.map(({ attempt }) => attempt)).toEqual([1, 2, 1]);
    expect(row.state).toBe('succeeded');
  });

  test('leaves a delivery that waits for its first attempt unchanged', async () => {
    const id = await anyDelivery(service, partner, partner, anySlot());
    expect(expectStatus(await redeliver(id), 202)).toMatchObject({ id, state: 'pending', attempts: [] });
    expect(await read(id)).toMatchObject({ state: 'pending', generation: 1 });
  });

  test('racing with a worker: either the attempt is made and the redelivery is rejected, or a new series begins', async () => {
    receiver.respondWith(500);
    for (let round = 0; round < 6; round += 1) {
      const id = await anyDelivery(service, partner, partner, anySlot());
      await service.attempt(id);
      // Delay the attempt by a different time each round, so that either call may come first.
      const attempt = delay(round).then(() => service.attempt(id));
      const [reply] = await Promise.all([redeliver(id), attempt]);
      const row = await read(id);
      const own = receiver.received.filter(({ body }) => body['event_id'] === row.eventId);
      expect([verdict(reply), row.generation, own.length]).toEqual(
        row.generation === 1 ? ['409 DELIVERY_IN_PROGRESS', 1, 2] : ['202', 2, expect.any(Number)],
      );
      expect(row.attempts).toHaveLength(own.length);
      expect(row.attempts.map(({ outcome }) => outcome)).not.toContain('started');
    }
  });

  test('racing with the sweep: the event is sent once more', async () => {
    const id = await anyDelivery(service, partner, partner, anySlot());
    receiver.respondWith(500);
    await service.attempt(id);
    await change(id, { nextAttemptAt: new Date(Date.now() - 60_000) });
    receiver.respondWith(200);
    const [, reply] = await Promise.all([sweep(500), redeliver(id)]);
    expect(verdict(reply)).toBe('202');
    const { eventId } = await read(id);
    for (const job of [{ generation: 0 }, { generation: 1, isKnownDead: true }, { generation: 3 }])
      await runJob(id, job);
    await service.attempt(id);
    expect(receiver.received.filter(({ body }) => body['event_id'] === eventId)).toHaveLength(2);
    expect(await read(id)).toMatchObject({ state: 'succeeded', generation: 2, attemptsMade: 1 });
  });

  test('called 16 times concurrently begins one series', async () => {
    const id = await anyDeadLetter();
    const replies = await Promise.all(Array.from({ length: 16 }, () => redeliver(id)));
    expect(new Set(replies.map(verdict))).toEqual(new Set(['202']));
    expect((await read(id)).generation).toBe(2);
  });
});

describe('recover', () => {
  test('redelivers every delivery of that time that has not succeeded, and creates those that are missing', async () => {
    const dead = await anyDeadLetter();
    const done = await anyDelivery(service, partner, partner, anySlot());
    await service.attempt(done);
    const waiting = await anyDelivery(service, partner, partner, anySlot());
    const retrying = await anyDelivery(service, partner, partner, anySlot());
    receiver.respondWith(500);
    await service.attempt(retrying);
    receiver.respondWith(200);
    const missing = await anyDelivery(service, partner, partner, anySlot());
    const { eventId: missed } = await read(missing);
    await service.context.db.collection<{ _id: string }>('deliveries').deleteOne({ _id: missing });

    const since = new Date((await rowOf(service, 'events', { _id: (await read(dead)).eventId })).at);
    const reply = await recover({ since: since.toISOString() });

    expect(expectStatus(reply, 202)).toEqual({ recovered: 3 });
    expect(await read(retrying)).toMatchObject({ state: 'pending', generation: 2, attemptsMade: 0 });
    expect(await read(dead)).toMatchObject({ state: 'pending', generation: 2 });
    expect(await read(done)).toMatchObject({ state: 'succeeded', generation: 1 });
    expect(await read(waiting)).toMatchObject({ state: 'pending', generation: 1 });
    const created = await rowOf(service, 'deliveries', { eventId: missed, subscriptionId: subscription.id });
    await service.attempt(created._id);
    expect(latestAttempt(missed)?.body).toMatchObject({ event_id: missed });
    expect(json(await recover({ since: since.toISOString() }))).toEqual({ recovered: 0 });
  });

  test('skips events of other times, types and venues, and test events', async () => {
    const id = await anyDeadLetter();
    const { eventId } = await read(id);
    const { at } = await rowOf(service, 'events', { _id: eventId });
    const [before, after] = [-1, 1].map((ms) => new Date(at.getTime() + ms).toISOString());
    expect(json(await recover({ since: before, until: before }))).toEqual({ recovered: 0 });
    expect(json(await recover({ since: after }))).toEqual({ recovered: 0 });
    const other = await subscribe(partner, receiver.url, ['booking_refunded']);
    expect(json(await recover({ since: daysAgo(1) }, other.id))).toEqual({ recovered: 0 });
    const sample = expectStatus(await partner.api.post(`${WEBHOOKS}/${subscription.id}/test`), 202);
    await change(String(sample['id']), { state: 'dead_letter' });
    await operatorOf(service).delete(`/api/v1/operator/partners/${partner.id}/venues/${venue.id}`);
    expect(json(await recover({ since: daysAgo(1) }))).toEqual({ recovered: 0 });
    await operatorOf(service).put(`/api/v1/operator/partners/${partner.id}/venues/${venue.id}`);
    const instant = at.toISOString();
    expect(json(await recover({ since: instant, until: instant }))).toEqual({ recovered: 1 });
    await recover({ since: daysAgo(1) });
    expect((await read(String(sample['id']))).state).toBe('dead_letter');
  });

  test('recovers more events than fit in one batch', async () => {
    const { hold_id } = await placeHold(partner, anySlot());
    await service.dispatch(String(hold_id));
    const event = await rowOf(service, 'events', { holdId: hold_id });
    const at = new Date(Date.now() - 3 * DAY_MS);
    const { sequence: _, ...fields } = event;
    const rows = Array.from({ length: 1203 }, () => ({ ...fields, _id: randomUUID(), at }));
    await service.context.db.collection<{ _id: string }>('events').insertMany(rows);
    const span = { since: daysAgo(4), until: daysAgo(2) };
    expect(json(await recover(span))).toEqual({ recovered: 1203 });
    expect(await rowsOf(service, 'deliveries', { subscriptionId: subscription.id })).toHaveLength(1204);
    expect(json(await recover(span))).toEqual({ recovered: 0 });
  });
});

describe('the result of an attempt by a worker that freezes while sending, until its lock has expired,', () => {
  const freeze = async (id: string) => {
    await freezeAttempt(id);
    await change(id, { leaseUntil: new Date(Date.now() - 1000) });
  };
  const redeliverLater = async (id: string) => expectStatus(await redeliver(id), 202);
  const cancelAndRecover = async (id: string) => {
    await change(id, { state: 'cancelled', nextAttemptAt: null, leaseUntil: null });
    expectStatus(await recover({ since: daysAgo(1) }), 202);
  };

  test.each([
    ['a success', 'redelivered', redeliverLater, true],
    ['a failure', 'redelivered', redeliverLater, false],
    ['a success', 'cancelled and recovered', cancelAndRecover, true],
    ['a failure', 'cancelled and recovered', cancelAndRecover, false],
  ])('%s, does not change a delivery that was %s meanwhile', async (_result, _what, happen, ok) => {
    const id = await anyDeadLetter();
    await freeze(id);
    await happen(id);

    expect(await wakeAttempt(id, ok ? SUCCEEDED : FAILED)).toMatchObject({ kind: 'later' });

    expect(await read(id)).toMatchObject({ state: 'pending', generation: 2, attemptsMade: 0 });
    await service.attempt(id);
    expect(await read(id)).toMatchObject({ state: 'succeeded', generation: 2, attemptsMade: 1 });
    expect(receiver.received.at(-1)?.body).toMatchObject({ event_id: (await read(id)).eventId });
  });

  test('counts if the delivery is still in the same series', async () => {
    const id = await anyDeadLetter();
    await freeze(id);
    expect(await wakeAttempt(id, SUCCEEDED)).toMatchObject({ kind: 'delivered' });
    expect(await read(id)).toMatchObject({ state: 'succeeded', generation: 1 });
  });
});

test('a sample reaches no other partner', async () => {
  const peer = await anyPartner(service, [venue.id]);
  await subscribe(peer, receiver.url);
  const sample = await partner.api.post(`${WEBHOOKS}/${subscription.id}/test`);
  const { event_id: eventId } = expectStatus(sample, 202);
  expect(await rowsOf(service, 'deliveries', { eventId })).toHaveLength(1);
});

test('a worker that cancels an earlier series does not cancel a later one', async () => {
  const id = await anyDeadLetter();
  expectStatus(await redeliver(id), 202);
  await cancelSeries(id, 1);
  expect((await read(id)).state).toBe('pending');
  await cancelSeries(id, 2);
  expect((await read(id)).state).toBe('cancelled');
});

test('a dead letter that is redelivered before its alert raises no alert', async () => {
  const id = await anyDeadLetter();
  await change(id, { alertPending: true });
  expectStatus(await redeliver(id), 202);
  expect(await raiseForgotten()).toBe(0);
  expect(await read(id)).not.toHaveProperty('alertPending');
});
