import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { anyDelivery } from '../support/deliveries.ts';
import { startDeliveryScene } from '../support/delivery-scene.ts';
import { anyPartner, expectStatus, type Json, operatorOf, type Partner, subscribe } from '../support/factories.ts';
import { rowOf } from '../support/rows.ts';
import { hostedService } from '../support/service-host.ts';
import { verdict } from '../support/verdict.ts';

const OPERATOR = '/api/v1/operator';
const WEBHOOKS = '/api/v1/partner/webhooks';

const service = await hostedService({ isAlone: true });
const { receiver, venue, slots, end: endScene, read, failed } = await startDeliveryScene(service);
const venueId = venue.id;
let partner: Partner;
let subscription: { id: string };
afterAll(endScene);
beforeEach(async () => {
  partner = await anyPartner(service, [venueId]);
  subscription = await subscribe(partner, receiver.url, ['hold_created']);
});

const operator = () => operatorOf(service);
const anySlot = () => slots.shift() ?? '';
const setStatus = async (status: string) =>
  expectStatus(await operator().patch(`${OPERATOR}/partners/${partner.id}`, { status }), 200);
const grantPath = () => `${OPERATOR}/partners/${partner.id}/venues/${venueId}`;
const redrive = (id: string) => operator().post(`${OPERATOR}/dead-letters/${id}/redrive`);
const redriveAll = async (body: Json = {}) =>
  expectStatus(await operator().post(`${OPERATOR}/dead-letters/redrive`, body), 202)['redriven'];
/** Recovers all events since the event of this delivery; returns the number recovered. */
const recoverFrom = async (deliveryId: string) => {
  const { at } = await rowOf(service, 'events', { _id: (await read(deliveryId)).eventId });
  const reply = await partner.api.post(`${WEBHOOKS}/${subscription.id}/recover`, { since: at.toISOString() });
  return expectStatus(reply, 202)['recovered'];
};

const revoke = () => operator().delete(grantPath());
const grant = () => operator().put(grantPath());

describe.each<[whose: string, code: string, begin: () => Promise<unknown>, end: () => Promise<unknown>]>([
  ['of a suspended partner', '403 PARTNER_SUSPENDED', () => setStatus('suspended'), () => setStatus('active')],
  ['of a partner whose grant for the venue has ended', '403 VENUE_NOT_AUTHORIZED', revoke, grant],
])('a delivery %s', (_whose, code, begin, end) => {
  test('that waits is cancelled when it is due, and its partner can recover it later', async () => {
    const [pending, retrying] = [await anyDelivery(service, partner, partner, anySlot()), await failed(partner, 1)];
    const before = receiver.received.length;
    await begin();
    for (const id of [pending, retrying]) await service.attempt(id);
    expect(receiver.received.length).toBe(before);
    for (const id of [pending, retrying]) {
      expect(await read(id)).toMatchObject({ state: 'cancelled', nextAttemptAt: null, leaseUntil: null });
    }
    await end();
    expect(await recoverFrom(pending)).toBe(2);
    for (const id of [pending, retrying]) {
      await service.attempt(id);
      expect(await read(id)).toMatchObject({ state: 'succeeded', generation: 2 });
    }
  });

  test('whose partner can receive again before it is due is sent as scheduled', async () => {
    const id = await failed(partner, 1);
    await begin();
    await end();
    await service.attempt(id);
    expect(await read(id)).toMatchObject({ state: 'succeeded', generation: 1, attemptsMade: 2 });
  });

  test('that is a dead letter is not redelivered by an operator, and stays a dead letter', async () => {
    const id = await failed(partner, 5);
    const before = receiver.received.length;
    await begin();
    expect(verdict(await redrive(id))).toBe(code);
    expect(await redriveAll()).toBe(0);
    // Bull Board's retry runs this attempt. If its result were `done`, the job would leave the board.
    const attempt = 'nothing was sent, because the partner must not receive the event any more';
    expect(await service.attempt(id)).toEqual({ kind: 'dead', attempt });
    expect(await read(id)).toMatchObject({ state: 'dead_letter', generation: 1 });
    expect(receiver.received.length).toBe(before);
    await end();
    expect(verdict(await redrive(id))).toBe('202');
    await service.attempt(id);
    expect((await read(id)).state).toBe('succeeded');
  });
});

test('a partner without a grant still gets a sample, which belongs to no venue', async () => {
  expectStatus(await revoke(), 200);
  const sample = expectStatus(await partner.api.post(`${WEBHOOKS}/${subscription.id}/test`), 202);
  await service.attempt(String(sample['id']));
  expect((await read(String(sample['id']))).state).toBe('succeeded');
  receiver.respondWith(500);
  const other = expectStatus(await partner.api.post(`${WEBHOOKS}/${subscription.id}/test`), 202);
  await service.attempt(String(other['id']), 5);
  receiver.respondWith(200);
  expect(await redriveAll({ subscription_id: subscription.id })).toBe(1);
});

test('a bulk redelivery sends dead letters of partners that can receive, and skips the others', async () => {
  const skippedId = await failed(partner, 5);
  const suspended = partner;
  partner = await anyPartner(service, [venueId]);
  await subscribe(partner, receiver.url, ['hold_created']);
  const redeliveredId = await failed(partner, 5);
  expectStatus(await operator().patch(`${OPERATOR}/partners/${suspended.id}`, { status: 'suspended' }), 200);
  expect(await redriveAll()).toBe(1);
  expect([(await read(skippedId)).state, (await read(redeliveredId)).state]).toEqual(['dead_letter', 'pending']);
  const filter = { subscription_id: subscription.id };
  expect(verdict(await operator().post(`${OPERATOR}/dead-letters/redrive`, filter))).toBe('403 PARTNER_SUSPENDED');
});
