import { randomUUID } from 'node:crypto';
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import type * as DeliveryHealth from '../../src/webhooks/deliveries/delivery-health.service.ts';
import { HOLDS, release } from '../conformance/steps.ts';
import { startDeliveryScene } from '../support/delivery-scene.ts';
import type { Json, Partner } from '../support/factories.ts';
import { anyPartner, expectStatus, operatorOf, placeHold, subscribe } from '../support/factories.ts';
import { changeRow, rowOf, rowsOf } from '../support/rows.ts';
import { hostedService } from '../support/service-host.ts';
import { verdict } from '../support/verdict.ts';

const OPERATOR = '/api/v1/operator';

const service = await hostedService({ isAlone: true });
const { withDeadLetters } = service.inHost<typeof DeliveryHealth>('src/webhooks/deliveries/delivery-health.service.ts');
const { receiver, venue, slots, attemptAround, jobState, end, read, failed, waiting } =
  await startDeliveryScene(service);
let partner: Partner;
let subscription: { id: string };
afterAll(end);
beforeEach(async () => {
  receiver.respondWith(200);
  partner = await anyPartner(service, [venue.id]);
  subscription = await subscribe(partner, receiver.url, ['hold_created', 'hold_cancelled']);
});

const operator = () => operatorOf(service);
/** Locks the delivery for an attempt until `leaseUntil`; null unlocks it. */
const setLease = (id: string, leaseUntil: Date | null) =>
  changeRow(service, 'deliveries', id, { $set: { leaseUntil } });
const anySlot = () => slots.shift() ?? '';
const switchTo = (action: 'deactivate' | 'activate', id = subscription.id) =>
  operator().post(`${OPERATOR}/webhooks/${id}/${action}`);
const list = async (path: string) => expectStatus(await operator().get(`${OPERATOR}/${path}`), 200)['data'] as Json[];
const ids = (rows: Json[]) => rows.map((row) => row['id']);

test('subscriptions are listed newest first, for all partners or by partner or state, without secrets', async () => {
  const other = await anyPartner(service);
  const second = await subscribe(other, receiver.url);
  expectStatus(await switchTo('deactivate', second.id), 200);
  const page = await operator().get(`${OPERATOR}/webhooks`);
  expect(ids(expectStatus(page, 200)['data'] as Json[]).slice(0, 2)).toEqual([second.id, subscription.id]);
  expect(page.text).not.toMatch(/whsec_|secret_key|sealed/);
  expect(ids(await list(`webhooks?partner_id=${partner.id}`))).toEqual([subscription.id]);
  expect(ids(await list(`webhooks?partner_id=${other.id}&status=active`))).toEqual([]);
  expect(await list(`webhooks?partner_id=${other.id}&status=inactive`)).toMatchObject([
    { id: second.id, partner_id: other.id, status: 'inactive', consecutive_failures: 0 },
  ]);
  const first = expectStatus(await operator().get(`${OPERATOR}/webhooks?limit=1`), 200);
  const next = await list(`webhooks?limit=1&cursor=${String(first['next_cursor'])}`);
  expect([...ids(first['data'] as Json[]), ...ids(next)]).toEqual([second.id, subscription.id]);
});

describe('a deactivated subscription', () => {
  test('receives nothing more: waiting deliveries are cancelled, and new events are skipped', async () => {
    receiver.respondWith(500);
    const [pending, retrying] = [await waiting(partner), await waiting(partner)];
    await service.attempt(retrying);
    receiver.respondWith(200);
    expect(expectStatus(await switchTo('deactivate'), 200)).toMatchObject({ id: subscription.id, status: 'inactive' });
    expect([(await read(pending)).state, (await read(retrying)).state]).toEqual(['cancelled', 'cancelled']);
    const hold = await placeHold(partner, anySlot());
    await service.dispatch(String(hold['hold_id']));
    const received = receiver.received.length;
    for (const id of [pending, retrying]) await service.attempt(id);
    expect(receiver.received).toHaveLength(received);
    expect(await rowsOf(service, 'deliveries', { subscriptionId: subscription.id })).toHaveLength(2);
  });

  test('lets an attempt in progress end, and cancels its delivery afterwards', async () => {
    const id = await waiting(partner);
    await setLease(id, new Date(Date.now() + 60_000));
    expectStatus(await switchTo('deactivate'), 200);
    expect((await read(id)).state).toBe('pending');
    await setLease(id, null);
    await service.attempt(id);
    expect(await read(id)).toMatchObject({ state: 'cancelled', attempts: [] });
  });

  test('receives again when activated, and its partner recovers missed events', async () => {
    const body = { since: new Date().toISOString() };
    const missed = await waiting(partner);
    expectStatus(await switchTo('deactivate'), 200);
    expectStatus(await switchTo('deactivate'), 200);
    expect(expectStatus(await switchTo('activate'), 200)).toMatchObject({ status: 'active' });
    const id = await waiting(partner);
    await service.attempt(id);
    expect([(await read(id)).state, (await read(missed)).state]).toEqual(['succeeded', 'cancelled']);
    const path = `/api/v1/partner/webhooks/${subscription.id}/recover`;
    expect(expectStatus(await partner.api.post(path, body), 202)).toEqual({ recovered: 1 });
    await service.attempt(missed);
    expect((await read(missed)).state).toBe('succeeded');
  });

  test('does not affect other subscriptions; a missing one is 404', async () => {
    const other = await anyPartner(service, [venue.id]);
    await subscribe(other, receiver.url, ['hold_created']);
    const hold = await placeHold(partner, anySlot());
    await service.dispatch(String(hold['hold_id']));
    expectStatus(await switchTo('deactivate'), 200);
    expect((await rowOf(service, 'deliveries', { partnerId: other.id })).state).toBe('pending');
    for (const action of ['activate', 'deactivate'] as const)
      expect(verdict(await switchTo(action, randomUUID()))).toBe('404 WEBHOOK_NOT_FOUND');
  });
});

describe('deliveries', () => {
  test('are listed for all partners, by any filter, page by page', async () => {
    const dead = await failed(partner, 5);
    const pending = await waiting(partner);
    const byPartner = `partner_id=${partner.id}`;
    expect(ids(await list('deliveries?limit=200'))).toEqual(expect.arrayContaining([pending, dead]));
    expect(ids(await list(`deliveries?${byPartner}`))).toEqual([pending, dead]);
    expect(ids(await list(`deliveries?${byPartner}&status=pending`))).toEqual([pending]);
    expect(ids(await list(`deliveries?subscription_id=${subscription.id}&status=dead_letter`))).toEqual([dead]);
    expect(ids(await list(`deliveries?${byPartner}&event_type=booking_created`))).toEqual([]);
    expect((await list(`deliveries?${byPartner}&status=dead_letter`))[0]).toMatchObject({
      partner_id: partner.id,
      attempts: [1, 2, 3, 4, 5].map((attempt) => ({ attempt })),
    });
    const first = expectStatus(await operator().get(`${OPERATOR}/deliveries?${byPartner}&limit=1`), 200);
    expect(ids(await list(`deliveries?${byPartner}&limit=1&cursor=${String(first['next_cursor'])}`))).toEqual([dead]);
    expect(verdict(await operator().get(`${OPERATOR}/deliveries?status=lost`))).toBe('400 VALIDATION_ERROR status');
  });

  test('are found by the id of the request that made their event', async () => {
    const requestId = `support-${randomUUID()}`;
    const header = { 'x-request-id': requestId };
    const reply = await partner.api.post(HOLDS, { slot_id: anySlot() }, header);
    const holdId = String(expectStatus(reply, 201)['hold_id']);
    await service.dispatch(holdId);
    expectStatus(await release(partner, holdId), 200);
    await service.dispatch(holdId);
    const found = await list(`deliveries?request_id=${requestId}&partner_id=${partner.id}`);
    const created = { event_type: 'hold_created', payload: { hold_id: holdId } };
    expect(found).toMatchObject([{ partner_id: partner.id, request_id: requestId, ...created }]);
    expect(await list(`deliveries?request_id=${requestId}&status=dead_letter`)).toEqual([]);
    expect(await list(`deliveries?request_id=${randomUUID()}`)).toEqual([]);
    expect(verdict(await operator().get(`${OPERATOR}/deliveries?request_id=a%20b`))).toBe(
      '400 VALIDATION_ERROR request_id',
    );
  });
});

const redrive = (id: string) => operator().post(`${OPERATOR}/dead-letters/${id}/redrive`);

test('of 8 concurrent redeliveries of a dead letter, one succeeds; other deliveries are rejected', async () => {
  const id = await failed(partner, 5);
  const verdicts = (await Promise.all(Array.from({ length: 8 }, () => redrive(id)))).map(verdict);
  expect(verdicts.sort()).toEqual(['202', ...Array(7).fill('409 DELIVERY_IN_PROGRESS')]);
  await service.attempt(id);
  expect((await read(id)).generation).toBe(2);
  expect(verdict(await redrive(id))).toBe('409 DELIVERY_IN_PROGRESS');
  expect(verdict(await redrive(randomUUID()))).toBe('404 DELIVERY_NOT_FOUND');
});

describe('discarding dead letters', () => {
  const discard = (id: string, body: Json = { reason: 'No grant any more' }) =>
    operator().post(`${OPERATOR}/dead-letters/${id}/discard`, body);
  const discardAll = (body: Json) => operator().post(`${OPERATOR}/dead-letters/discard`, body);
  const queued = (id: string) => jobState('dead-letter', `dead-${id}`);

  test('removes a dead letter that cannot be redelivered from list, count and queue, and resolves its alert', async () => {
    const id = await failed(partner, 5);
    await operator().delete(`${OPERATOR}/partners/${partner.id}/venues/${venue.id}`);
    expect(verdict(await redrive(id))).toBe('403 VENUE_NOT_AUTHORIZED');
    expect(await withDeadLetters([subscription.id])).toEqual([subscription.id]);
    expect(await queued(id)).toBe('waiting');
    const attemptId = String((await read(id)).attempts[0]?.deliveryId);

    const shown = expectStatus(await discard(attemptId), 200);

    expect(shown).toMatchObject({ id, state: 'discarded', discard_reason: 'No grant any more' });
    expect(shown['discarded_at']).toEqual(expect.any(String));
    expect(shown['dead_lettered_at']).toEqual(expect.any(String));
    expect(await queued(id)).toBeUndefined();
    expect(await withDeadLetters([subscription.id])).toEqual([]);
    const observed = expectStatus(await partner.api.get('/api/v1/partner/observability'), 200);
    expect(observed).toMatchObject({ count: 0, subscriptions: [{ dead_letter: 0 }] });
    expect(await list(`dead-letters?partner_id=${partner.id}`)).toEqual([]);
    expect(ids(await list(`deliveries?partner_id=${partner.id}&status=discarded`))).toEqual([id]);
    const audited = await list('audit?action=discardDeadLetter&limit=1');
    expect(audited).toMatchObject([
      { status: 200, before: { state: 'dead_letter' }, after: { discard_reason: 'No grant any more' } },
    ]);
    // Discarding it again, or running its job again on the board, changes and sends nothing.
    expect(expectStatus(await discard(id, { reason: 'Another' }), 200)).toEqual(shown);
    const received = receiver.received.length;
    await service.attempt(id);
    expect(receiver.received).toHaveLength(received);
  });

  test('tells the partner that a delivery was discarded, not why; the partner may redeliver it', async () => {
    const id = await failed(partner, 5);
    expectStatus(await discard(id), 200);
    const path = `/api/v1/partner/observability/deliveries/${id}`;
    const shown = expectStatus(await partner.api.get(path), 200);
    expect(shown).toMatchObject({ state: 'discarded', discarded_at: expect.any(String) });
    expect(shown).not.toHaveProperty('discard_reason');
    const again = expectStatus(await partner.api.post(`${path}/redeliver`), 202);
    expect(again).toMatchObject({ state: 'pending' });
    expect(again).not.toHaveProperty('discarded_at');
    await service.attempt(id);
    expect(await read(id)).toMatchObject({ state: 'succeeded', generation: 2 });
  });

  test('rejects other deliveries and those with an attempt in progress, and needs a reason', async () => {
    const pending = await waiting(partner);
    expect(verdict(await discard(pending))).toBe('409 DELIVERY_IN_PROGRESS');
    expect(verdict(await discard(randomUUID()))).toBe('404 DELIVERY_NOT_FOUND');
    const id = await failed(partner, 5);
    for (const reason of [undefined, '', 7, 'x'.repeat(501)])
      expect(verdict(await discard(id, { reason }))).toBe('400 VALIDATION_ERROR reason');
    await setLease(id, new Date(Date.now() + 60_000));
    expect(verdict(await discard(id))).toBe('409 DELIVERY_IN_PROGRESS');
    expect((await read(id)).state).toBe('dead_letter');
  });

  test('is not undone by a worker that wakes up after its lock has expired', async () => {
    const id = await failed(partner, 5);
    receiver.respondWith(500);
    await attemptAround(id, async () => {
      await setLease(id, new Date(0));
      expectStatus(await discard(id), 200);
    });
    const { state, leaseUntil, attempts } = await read(id);
    expect({ state, leaseUntil, last: attempts.at(-1)?.outcome }).toEqual({
      state: 'discarded',
      leaseUntil: null,
      last: 'interrupted',
    });
    expect(await withDeadLetters([subscription.id])).toEqual([]);
    await service.attempt(id);
    expect((await read(id)).attempts).toHaveLength(attempts.length);
  });

  test('in bulk, discards those that match the filter, which is required', async () => {
    const [first, second] = [await failed(partner, 5), await failed(partner, 5)];
    const reason = 'The partner reads the feed';
    const filter = { subscription_id: subscription.id, reason };
    expect(verdict(await discardAll({ reason }))).toBe('400 VALIDATION_ERROR event_type, from, subscription_id, to');
    expect(expectStatus(await discardAll({ ...filter, event_type: 'hold_cancelled' }), 200)).toEqual({ discarded: 0 });
    expectStatus(await switchTo('deactivate'), 200);
    expect(expectStatus(await discardAll(filter), 200)).toEqual({ discarded: 2 });
    expect(expectStatus(await discardAll(filter), 200)).toEqual({ discarded: 0 });
    for (const id of [first, second]) {
      expect(await read(id)).toMatchObject({ state: 'discarded', discardReason: reason });
      expect(await queued(id)).toBeUndefined();
    }
  });

  test('racing with redeliveries: each dead letter is either discarded or redelivered', async () => {
    for (let round = 0; round < 5; round += 1) {
      const id = await failed(partner, 5);
      const [discarded, redriven] = await Promise.all([discard(id), redrive(id)]);
      expect([discarded.status, redriven.status]).toEqual(
        (await read(id)).state === 'discarded' ? [200, 409] : [409, 202],
      );
    }
  });
});

describe('redelivering dead letters in bulk', () => {
  const redriveAll = (body?: Json) => operator().post(`${OPERATOR}/dead-letters/redrive`, body);
  const count = async (body?: Json) => expectStatus(await redriveAll(body), 202)['redriven'];
  const ofSubscription = (fields: Json = {}) => ({ subscription_id: subscription.id, ...fields });
  const diedAt = async (id: string) => (await read(id)).deadLetteredAt?.getTime() ?? 0;
  const at = (ms: number) => new Date(ms).toISOString();

  test('redelivers those that match the filters, each once', async () => {
    const [first, second] = [await failed(partner, 5), await failed(partner, 5)];
    expect(await count(ofSubscription({ event_type: 'hold_cancelled' }))).toBe(0);
    expect(await count(ofSubscription({ to: at((await diedAt(first)) - 1) }))).toBe(0);
    expect(await count(ofSubscription({ from: at((await diedAt(second)) + 1) }))).toBe(0);
    expect(await count(ofSubscription({ from: at(await diedAt(first)), to: at(await diedAt(first)) }))).toBe(1);
    expect([(await read(first)).state, (await read(second)).state]).toEqual(['pending', 'dead_letter']);
    expect(await count(ofSubscription({ event_type: 'hold_created' }))).toBe(1);
    expect(await count(ofSubscription())).toBe(0);
    for (const id of [first, second]) {
      await service.attempt(id);
      expect(await read(id)).toMatchObject({ state: 'succeeded', generation: 2 });
    }
  });

  test('works in several batches, and concurrent calls count each delivery once', async () => {
    const original = await read(await failed(partner, 5));
    const many = Array.from({ length: 1203 }, () => ({ ...original, _id: randomUUID(), eventId: randomUUID() }));
    await service.context.db.collection('deliveries').insertMany(many as never);
    const counts = await Promise.all([count(ofSubscription()), count(ofSubscription())]);
    expect(Number(counts[0]) + Number(counts[1])).toBe(1204);
    const rows = await rowsOf(service, 'deliveries', { subscriptionId: subscription.id });
    expect(new Set(rows.map((row) => `${row.state} ${row.generation}`))).toEqual(new Set(['pending 2']));
  });

  test('skips deactivated subscriptions, and rejects a filter that names one', async () => {
    const id = await failed(partner, 5);
    expectStatus(await switchTo('deactivate'), 200);
    expectStatus(await redriveAll({}), 202);
    expect((await read(id)).state).toBe('dead_letter');
    expect(verdict(await redriveAll(ofSubscription()))).toBe('409 WEBHOOK_INACTIVE');
    expect(verdict(await redriveAll({ subscription_id: randomUUID() }))).toBe('404 WEBHOOK_NOT_FOUND');
    const backwards = { from: '2026-02-02T00:00:00Z', to: '2026-02-01T00:00:00Z' };
    expect(verdict(await redriveAll(backwards))).toBe('400 VALIDATION_ERROR from');
  });
});
