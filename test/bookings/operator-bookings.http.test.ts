import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, test } from '@jest/globals';
import { PLATFORM_PARTNER_ID } from '../../src/domain/change-origin.ts';
import { dateAfter } from '../availability/wall-clock.ts';
import { end as endAsPartner, expire, list, readBooking } from '../conformance/steps.ts';
import { collectionCallsOf } from '../support/collection-calls.ts';
import type { Json } from '../support/factories.ts';
import { bookSlot, expectStatus, operatorOf, placeHold, subscribe } from '../support/factories.ts';
import { startReceiver } from '../support/receiver.ts';
import { rowOf } from '../support/rows.ts';
import { startScene } from '../support/scene.ts';
import { hostedService } from '../support/service-host.ts';
import { verdict } from '../support/verdict.ts';

const BOOKINGS = '/api/v1/operator/bookings';

const service = await hostedService();
const receiver = await startReceiver();
afterAll(async () => {
  await service.stop();
  await receiver.close();
});
const calls = collectionCallsOf(service);
const scene = await startScene(service, { resources: [{ duration_minutes: 15 }] });
const { partner: seller, rival, slot: anySlot } = scene;
const venueId = scene.venue.id;

const operator = () => operatorOf(service);
const idOf = (booking: Json) => String(booking['booking_id']);
const end = (operation: 'cancel' | 'refund', booking: Json, key: string = randomUUID(), reason = 'Rain') =>
  operator().post(`${BOOKINGS}/${idOf(booking)}/${operation}`, { reason, idempotency_key: key });
const walkIn = async (fields: Json = {}) =>
  expectStatus(await operator().post('/api/v1/operator/walk-ins', { slot_id: anySlot(), ...fields }), 201);
const read = async (booking: Json) => expectStatus(await operator().get(`${BOOKINGS}/${idOf(booking)}`), 200);
const listedIds = async (query: string) => {
  const { data } = expectStatus(await operator().get(`${BOOKINGS}?limit=200&${query}`), 200);
  return (data as Json[]).map((booking) => booking['booking_id']);
};

const customer = { customer_name: 'Asha Rao-Iyer', customer_phone: '+91 98450 77210' };
const target = await bookSlot(seller, anySlot(), customer);
const other = await bookSlot(seller, anySlot(), { customer_name: 'Raoul Ash', customer_phone: '9845066210' });
const guest = await walkIn({ customer_name: 'José Núñez' });

test('an operator reads the bookings and walk-ins of all partners, or of one', async () => {
  const [first, second] = [await bookSlot(seller, anySlot()), await bookSlot(rival, anySlot())];
  const third = await walkIn();
  expect((await listedIds('')).slice(0, 3)).toEqual([third, second, first].map(idOf));
  expect(await listedIds(`partner_id=${rival.id}`)).toEqual([idOf(second)]);
  expect((await listedIds(`partner_id=${PLATFORM_PARTNER_ID}`))[0]).toBe(idOf(third));
  for (const booking of [first, second, third]) {
    expect(await read(booking)).toMatchObject({ booking_id: idOf(booking), status: 'BOOKED' });
  }
});

describe('an operator finds a booking', () => {
  const search = (text: string) => listedIds(`q=${encodeURIComponent(text)}`);

  test.each<[string, Json]>([
    ['IYER', target],
    ['rao ash iye', target],
    ['nunez', guest],
    ['jos', guest],
    ['7210', target],
    ['098450-77210', target],
    ['+91 98450 77210', target],
  ])('by any words of the name without accents, or the end of the phone: %s', async (text, booking) => {
    expect(await search(text)).toEqual([idOf(booking)]);
  });

  test('by a word of several customers, but not by the middle of a word or by words of two customers', async () => {
    expect(await search('Rao')).toEqual(expect.arrayContaining([target, other].map(idOf)));
    expect(await search('uñe')).toEqual([]);
    expect(await search('raoul iyer')).toEqual([]);
  });

  test('by the id of the booking or its hold, in either case', async () => {
    for (const id of [idOf(target), String(target['hold_id']), idOf(target).toUpperCase()])
      expect(await search(id)).toEqual([idOf(target)]);
    expect(await search(randomUUID())).toEqual([]);
  });

  test('by the day of play, at the venue, with other filters', async () => {
    // Slots of the venue begin on the same date in its zone and in UTC.
    const day = String((await read(target))['slot_start']).slice(0, 'YYYY-MM-DD'.length);
    const [before, after] = [dateAfter(day, -1), dateAfter(day, 1)];
    expect(await listedIds(`q=iyer&slot_from=${day}&slot_to=${day}`)).toEqual([idOf(target)]);
    expect(await listedIds(`q=iyer&slot_from=${before}&venue_id=${venueId}`)).toEqual([idOf(target)]);
    expect(await listedIds(`slot_to=${before}`)).toEqual([]);
    expect(await listedIds(`slot_from=${after}`)).toEqual([]);
    const partner = async (query: string) => (await list(seller, `/api/v1/bookings?${query}`)).map(idOf);
    expect(await partner(`slot_from=${day}&slot_to=${day}&limit=200`)).toContain(idOf(target));
    expect(await partner(`slot_from=${after}`)).toEqual([]);
  });

  test.each(['a', '12', '   '])('but not by %j: too short', async (text) => {
    const reply = await operator().get(`${BOOKINGS}?q=${encodeURIComponent(text)}`);
    expect(verdict(reply)).toBe('400 VALIDATION_ERROR q');
  });
});

test('a search after the migration finds a name that an older release folded differently', async () => {
  const booking = await walkIn({ customer_name: 'Strauß Łukasz' });
  const { db } = service.context;
  const old = { 'customer.nameFolded': 'strauß łukasz', 'customer.nameWords': ['strauß', 'łukasz'] };
  await db.collection('reservations').updateOne({ bookingId: idOf(booking) }, { $set: old });
  await service.migrate();
  expect(await listedIds('q=lukasz%20strauss')).toEqual([idOf(booking)]);
});

describe('an operator ends any booking', () => {
  test('as the platform, and its partner sees the reason', async () => {
    const booking = await bookSlot(seller, anySlot());
    const reply = expectStatus(await end('cancel', booking, 'operator-1', 'Flooded'), 200);
    const message = 'Booking cancelled successfully';
    expect(reply).toEqual({ message, booking_id: idOf(booking), status: 'CANCELLED' });
    const ended = { status: 'CANCELLED', cancellation_reason: 'Flooded' };
    expect(await readBooking(seller, booking)).toMatchObject(ended);
    const { outbox } = await rowOf(service, 'reservations', { bookingId: idOf(booking) });
    expect(outbox.at(-1)).toMatchObject({ type: 'booking_cancelled', originatorId: PLATFORM_PARTNER_ID });
  });

  test('including a walk-in, and can refund a cancelled one', async () => {
    const booking = await walkIn();
    expectStatus(await end('cancel', booking), 200);
    expectStatus(await end('refund', booking), 200);
    expect(await read(booking)).toMatchObject({ status: 'REFUNDED' });
    expect(verdict(await end('cancel', booking))).toBe('409 INVALID_HOLD_STATE');
  });

  test('with one key ends only one of two bookings, also in a race; control: without the index both end', async () => {
    const endBoth = async () => {
      const [first, second] = [await bookSlot(seller, anySlot()), await bookSlot(rival, anySlot())];
      const key = randomUUID();
      const verdicts: string[] = [];
      const endSecond = async () => void verdicts.push(verdict(await end('cancel', second, key)));
      const reply = await calls.beforeNext('reservations.findOneAndUpdate', endSecond, () => end('cancel', first, key));
      return [...verdicts, verdict(reply)];
    };
    expect(await endBoth()).toEqual(['200', '409 IDEMPOTENCY_KEY_MISMATCH']);
    await service.context.db.collection('reservations').dropIndex('ending_key_of_operators');
    expect(await endBoth()).toEqual(['200', '200']);
    await service.context.db.collection('reservations').updateMany({}, { $unset: { operatorEndings: '' } });
    await service.migrate();
  });

  test('with keys that are separate from the partner’s', async () => {
    const book = () => bookSlot(seller, anySlot());
    const [first, second, third] = [await book(), await book(), await book()];
    const key = randomUUID();
    const byPartner = (booking: Json) => endAsPartner(seller, 'cancel', idOf(booking), { idempotency_key: key });
    expectStatus(await end('cancel', first, key), 200);
    const own = await byPartner(second);
    expect([verdict(own), own.headers.get('idempotent-replayed')]).toEqual(['200', null]);
    expect(verdict(await byPartner(first))).toBe('409 IDEMPOTENCY_KEY_MISMATCH');
    expect(verdict(await end('cancel', third, key))).toBe('409 IDEMPOTENCY_KEY_MISMATCH');
    expect(await read(third)).toMatchObject({ status: 'BOOKED' });
  });

  test('only if it exists, and with a reason', async () => {
    const missing = { booking_id: randomUUID() };
    const path = `${BOOKINGS}/${missing.booking_id}`;
    expect(verdict(await end('cancel', missing))).toBe('404 BOOKING_NOT_FOUND');
    for (const asked of [path, `${path}/timeline`])
      expect(verdict(await operator().get(asked))).toBe('404 BOOKING_NOT_FOUND');
    const empty = await operator().post(`${path}/refund`, {});
    expect(verdict(empty)).toBe('400 VALIDATION_ERROR idempotency_key, reason');
  });
});

describe('the timeline of a booking', () => {
  const timeline = async (booking: Json) =>
    expectStatus(await operator().get(`${BOOKINGS}/${idOf(booking)}/timeline`), 200)['data'] as Json[];

  test('shows all actions in order, their actors, and each attempt to deliver', async () => {
    const { id: subscriptionId } = await subscribe(rival, receiver.url, ['booking_created']);
    const booking = await bookSlot(seller, anySlot());
    await service.dispatch(String(booking['hold_id']));
    const delivery = await rowOf(service, 'deliveries', { subscriptionId });
    await service.attempt(delivery._id);
    expectStatus(await end('refund', booking, randomUUID(), 'Flooded'), 200);

    const entries = await timeline(booking);

    const keys = expectStatus(await operator().get(`/api/v1/operator/partners/${seller.id}/keys`), 200);
    const [key] = keys['data'] as Json[];
    const byKey = { kind: 'api_key', partner_id: seller.id, key_id: key?.['key_id'] };
    const attempts = [{ attempt: 1, status_code: 200 }];
    expect(entries).toMatchObject([
      { event_type: 'hold_created', partner_id: seller.id, actor: byKey, deliveries: [] },
      {
        event_type: 'booking_created',
        actor: byKey,
        deliveries: [{ partner_id: rival.id, subscription_id: subscriptionId, state: 'succeeded', attempts }],
      },
      {
        event_type: 'booking_refunded',
        partner_id: PLATFORM_PARTNER_ID,
        actor: { kind: 'operator', partner_id: null, key_id: null },
        reason: 'Flooded',
        deliveries: [],
      },
    ]);
    await service.dispatch(String(booking['hold_id']));
    expect(await timeline(booking)).toEqual(entries);
    const row = await rowOf(service, 'events', { _id: delivery.eventId });
    const requestId = String(entries[1]?.['request_id']);
    expect(row.actor).toEqual({ kind: 'api_key', partnerId: seller.id, keyId: byKey.key_id, requestId });
    expect(new Set(entries.map((entry) => entry['request_id'])).size).toBe(3);
    expect(entries.every((entry) => typeof entry['request_id'] === 'string')).toBe(true);
  });

  test('names the operator of a walk-in, and the API key of a sandbox walk-in', async () => {
    const first = await walkIn();
    const path = `/api/v1/sandbox/slots/${anySlot()}/walk-in`;
    const second = expectStatus(await seller.api.post(path, {}), 201);
    expect(await timeline(first)).toMatchObject([{ actor: { kind: 'operator' } }]);
    expect(await timeline(second)).toMatchObject([
      { partner_id: PLATFORM_PARTNER_ID, actor: { kind: 'api_key', partner_id: seller.id } },
    ]);
  });

  test('names the service as the actor of an expiry', async () => {
    const hold = await placeHold(seller, anySlot());
    expectStatus(await expire(seller, hold['hold_id']), 200);
    const { outbox } = await rowOf(service, 'reservations', { _id: hold['hold_id'] });
    expect(outbox.map(({ actor }) => actor?.kind)).toEqual(['api_key', 'service']);
  });
});
