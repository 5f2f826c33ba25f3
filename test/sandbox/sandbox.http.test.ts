import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { anyDelivery } from '../support/deliveries.ts';
import type { Json, Partner, Venue } from '../support/factories.ts';
import {
  anyPartner,
  anyVenue,
  expectStatus,
  freeSlotIds,
  operatorOf,
  placeHold,
  subscribe,
} from '../support/factories.ts';
import type { WebhookReceiver } from '../support/receiver.ts';
import { startReceiver } from '../support/receiver.ts';
import { rowOf } from '../support/rows.ts';
import type { HostedService } from '../support/service-host.ts';
import { hostedService } from '../support/service-host.ts';
import { verdict } from '../support/verdict.ts';

let service: HostedService;
let receiver: WebhookReceiver;
let venue: Venue;
let partner: Partner;
let rival: Partner;
let slots: string[];

beforeAll(async () => {
  service = await hostedService();
  receiver = await startReceiver();
  venue = await anyVenue(service);
  [partner, rival] = [await anyPartner(service, [venue.id]), await anyPartner(service, [venue.id])];
  slots = await freeSlotIds(partner, venue.id);
  await subscribe(partner, receiver.url, ['hold_created']);
});
afterAll(async () => {
  await receiver.close();
  await service.stop();
});

const nextSlot = () => slots.shift() ?? '';
const idOf = (hold: Json) => String(hold['hold_id']);

describe('POST /api/v1/sandbox/slots/{slotId}/walk-in and /release', () => {
  const walkIn = (slotId: string, body?: Json, by = partner) =>
    by.api.post(`/api/v1/sandbox/slots/${slotId}/walk-in`, body);
  const release = (slotId: string, by = partner) => by.api.post(`/api/v1/sandbox/slots/${slotId}/release`);

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
});

describe('POST /api/v1/sandbox/holds/{holdId}/expire', () => {
  const eventsOf = async (hold: Json) =>
    (await rowOf(service, 'reservations', { _id: idOf(hold) })).outbox.map((event) => event.type);

  test('of a hold that is RELEASED changes nothing', async () => {
    const hold = await placeHold(partner, nextSlot());
    expectStatus(await partner.api.post(`/api/v1/partner/holds/${idOf(hold)}/cancel`), 200);
    const before = await eventsOf(hold);
    const reply = await partner.api.post(`/api/v1/sandbox/holds/${idOf(hold)}/expire`);
    expect(verdict(reply)).toBe('409 INVALID_HOLD_STATE');
    expect(await eventsOf(hold)).toEqual(before);
  });
});

describe('POST /api/v1/sandbox/deliveries/{id}/advance', () => {
  test('of one that is succeeded is 409 DELIVERY_IN_PROGRESS and changes nothing', async () => {
    receiver.respondWith(200);
    const id = await anyDelivery(service, rival, partner, nextSlot());
    await service.attempt(id);
    const reply = await partner.api.post(`/api/v1/sandbox/deliveries/${id}/advance`);
    expect(verdict(reply)).toBe('409 DELIVERY_IN_PROGRESS');
    const stored = await rowOf(service, 'deliveries', { _id: id });
    expect(stored).toMatchObject({ state: 'succeeded', nextAttemptAt: null });
  });
});
