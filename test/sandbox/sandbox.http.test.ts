import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { WebhookSender } from '../../src/sender/send-webhook.ts';
import { createWebhookSender } from '../../src/sender/send-webhook.ts';
import { anyDelivery, attemptDelivery } from '../support/deliveries.ts';
import type { Json, Partner, Venue } from '../support/factories.ts';
import {
  anyPartner,
  anyVenue,
  confirmBody,
  expectStatus,
  freeSlotIds,
  operatorOf,
  placeHold,
  subscribe,
} from '../support/factories.ts';
import type { WebhookReceiver } from '../support/receiver.ts';
import { startReceiver } from '../support/receiver.ts';
import { rowOf } from '../support/rows.ts';
import type { Service } from '../support/service.ts';
import { startService } from '../support/service.ts';
import { verdict } from '../support/verdict.ts';

let service: Service;
let sender: WebhookSender;
let receiver: WebhookReceiver;
let venue: Venue;
let partner: Partner;
let rival: Partner;
let slots: string[];

beforeAll(async () => {
  service = await startService();
  sender = createWebhookSender({ timeoutMs: 2000, allowPrivateNetworks: true });
  receiver = await startReceiver();
  venue = await anyVenue(service);
  [partner, rival] = [await anyPartner(service, [venue.id]), await anyPartner(service, [venue.id])];
  slots = await freeSlotIds(partner, venue.id);
  await subscribe(partner, receiver.url, ['hold_created']);
});
afterAll(async () => {
  await sender.close();
  await receiver.close();
  await service.stop();
});

const nextSlot = () => slots.shift() ?? '';
const idOf = (hold: Json) => String(hold['hold_id']);

describe('POST /api/v1/sandbox/slots/{slotId}/walk-in and /release', () => {
  const walkIn = (slotId: string, body?: Json, by = partner) =>
    by.api.post(`/api/v1/sandbox/slots/${slotId}/walk-in`, body);
  const release = (slotId: string, by = partner) => by.api.post(`/api/v1/sandbox/slots/${slotId}/release`);
  const isFree = async (slotId: string) => (await freeSlotIds(partner, venue.id)).includes(slotId);

  test('let the other channel take a slot and give it back', async () => {
    const slotId = nextSlot();
    const taken = expectStatus(await walkIn(slotId), 201);
    expect(taken).toEqual({ slot_id: slotId, booking_id: expect.any(String), status: 'BOOKED' });
    expect(await isFree(slotId)).toBe(false);
    expect(expectStatus(await release(slotId), 200)).toEqual({ ...taken, status: 'CANCELLED' });
    expect(await isFree(slotId)).toBe(true);
    const { outbox } = await rowOf(service, 'reservations', { bookingId: taken['booking_id'] });
    expect(outbox.map(({ type }) => type)).toEqual(['booking_created', 'booking_cancelled']);
    expect(verdict(await release(slotId))).toBe('404 BOOKING_NOT_FOUND');
  });

  test('take a held slot only when they are to, and the hold then cannot be confirmed', async () => {
    const slotId = nextSlot();
    const hold = await placeHold(partner, slotId);
    expect(verdict(await walkIn(slotId))).toBe('409 SLOT_NOT_AVAILABLE');
    expectStatus(await walkIn(slotId, { override_holds: true }), 201);
    const confirm = await partner.api.post('/api/v1/bookings/confirm', confirmBody(hold['hold_id']));
    expect(verdict(confirm)).toBe('409 DOUBLE_BOOKING_ATTEMPT');
  });

  test("take no hold of another partner's, and give back no walk-in of the operator's or another partner's", async () => {
    const held = nextSlot();
    const hold = await placeHold(rival, held);
    expect(verdict(await walkIn(held, { override_holds: true }))).toBe('409 SLOT_NOT_AVAILABLE');
    expect(await rowOf(service, 'reservations', { _id: idOf(hold) })).toMatchObject({ status: 'ACTIVE' });
    const [sold, played] = [nextSlot(), nextSlot()];
    expectStatus(await operatorOf(service).post('/api/v1/operator/walk-ins', { slot_id: sold }), 201);
    expectStatus(await walkIn(played, {}, rival), 201);
    for (const slotId of [sold, played]) expect(verdict(await release(slotId))).toBe('404 BOOKING_NOT_FOUND');
    expectStatus(await release(played, rival), 200);
  });

  test("never give back what a partner booked, nor touch a slot of a venue that is not the caller's", async () => {
    const slotId = nextSlot();
    const hold = await placeHold(rival, slotId);
    expectStatus(await rival.api.post('/api/v1/bookings/confirm', confirmBody(hold['hold_id'])), 201);
    expect(verdict(await release(slotId))).toBe('404 BOOKING_NOT_FOUND');
    expect(verdict(await walkIn(slotId, { override_holds: true }))).toBe('409 SLOT_NOT_AVAILABLE');
    const outsider = await anyPartner(service);
    const free = nextSlot();
    expect(verdict(await walkIn(free, {}, outsider))).toBe('404 SLOT_NOT_FOUND');
    expect(verdict(await release(free, outsider))).toBe('404 SLOT_NOT_FOUND');
    expect(await isFree(free)).toBe(true);
  });
});

describe('POST /api/v1/sandbox/holds/{holdId}/expire', () => {
  const expire = (hold: Json, by = partner) => by.api.post(`/api/v1/sandbox/holds/${idOf(hold)}/expire`);
  const eventsOf = async (hold: Json) =>
    (await rowOf(service, 'reservations', { _id: idOf(hold) })).outbox.map((event) => event.type);

  test('lets an ACTIVE hold lapse now, with its one event', async () => {
    const hold = await placeHold(partner, nextSlot());
    const body = expectStatus(await expire(hold), 200);
    expect(body).toEqual({ ...hold, status: 'EXPIRED', hold_expiry_at: expect.any(String) });
    expect(Date.parse(String(body['hold_expiry_at']))).toBeLessThan(
      Date.parse(String(hold['hold_expiry_at'])),
    );
    expect(await eventsOf(hold)).toEqual(['hold_created', 'hold_expired']);
    expect(verdict(await partner.api.post('/api/v1/bookings/confirm', confirmBody(idOf(hold))))).toBe(
      '409 HOLD_EXPIRED',
    );
    expect(verdict(await rival.api.post('/api/v1/partner/holds', { slot_id: hold['slot_id'] }))).toBe('201');
  });

  test.each<[string, (id: string) => Promise<unknown>, string]>([
    ['EXPIRED', (id) => partner.api.post(`/api/v1/sandbox/holds/${id}/expire`), '409 HOLD_EXPIRED'],
    ['RELEASED', (id) => partner.api.post(`/api/v1/partner/holds/${id}/cancel`), '409 INVALID_HOLD_STATE'],
    [
      'CONSUMED',
      (id) => partner.api.post('/api/v1/bookings/confirm', confirmBody(id)),
      '409 INVALID_HOLD_STATE',
    ],
  ])('of a hold that is %s changes nothing', async (_state, reach, answer) => {
    const hold = await placeHold(partner, nextSlot());
    await reach(idOf(hold));
    const before = await eventsOf(hold);
    expect(verdict(await expire(hold))).toBe(answer);
    expect(await eventsOf(hold)).toEqual(before);
  });

  test("of another partner's hold is 404 HOLD_NOT_FOUND, and the hold goes on", async () => {
    const hold = await placeHold(partner, nextSlot());
    expect(verdict(await expire(hold, rival))).toBe('404 HOLD_NOT_FOUND');
    expect(verdict(await partner.api.post('/api/v1/bookings/confirm', confirmBody(idOf(hold))))).toBe('201');
  });
});

describe('POST /api/v1/sandbox/deliveries/{id}/advance', () => {
  const advance = (id: string, by = partner) => by.api.post(`/api/v1/sandbox/deliveries/${id}/advance`);
  const newDelivery = () => anyDelivery(service, rival, partner, nextSlot());
  const attempt = (id: string, times = 1) => attemptDelivery(service, sender, id, times);

  test('makes the next attempt of a delivery that waits due now', async () => {
    receiver.respondWith(500);
    const id = await newDelivery();
    await attempt(id);
    const before = Date.parse(
      String((await rowOf(service, 'deliveries', { _id: id })).nextAttemptAt?.toISOString()),
    );
    expect(before).toBeGreaterThan(Date.now() + 250_000);
    const body = expectStatus(await advance(id), 200);
    expect(body).toMatchObject({ id, state: 'retrying', attempts: [{ attempt: 1 }] });
    expect(Date.parse(String(body['next_attempt_at']))).toBeLessThanOrEqual(Date.now() + 1000);
  });

  test.each([
    ['succeeded', 200, 1],
    ['dead_letter', 500, 5],
  ])('of one that is %s is 409 DELIVERY_IN_PROGRESS and changes nothing', async (state, answer, times) => {
    receiver.respondWith(answer);
    const id = await newDelivery();
    await attempt(id, times);
    expect(verdict(await advance(id))).toBe('409 DELIVERY_IN_PROGRESS');
    expect(await rowOf(service, 'deliveries', { _id: id })).toMatchObject({ state, nextAttemptAt: null });
  });

  test("of another partner's delivery is 404 DELIVERY_NOT_FOUND, and its time stays", async () => {
    const id = await newDelivery();
    const { nextAttemptAt } = await rowOf(service, 'deliveries', { _id: id });
    expect(verdict(await advance(id, rival))).toBe('404 DELIVERY_NOT_FOUND');
    expect((await rowOf(service, 'deliveries', { _id: id })).nextAttemptAt).toEqual(nextAttemptAt);
  });
});
