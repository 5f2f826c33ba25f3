import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import type * as Expiry from '../reservations/expiry.in-host.ts';
import type { Client } from '../support/client.ts';
import { collectionCallsOf } from '../support/collection-calls.ts';
import { dumpDatabase } from '../support/database-dump.ts';
import {
  anyPackage,
  bookSlot,
  buyPackage,
  confirmBody,
  expectStatus,
  type Json,
  operatorOf,
  type Partner,
  placeHold,
  subscribe,
} from '../support/factories.ts';
import { startReceivers } from '../support/receiver.ts';
import { rowOf, rowsOf } from '../support/rows.ts';
import { startScene } from '../support/scene.ts';
import { hostedService } from '../support/service-host.ts';
import { verdict } from '../support/verdict.ts';
import type * as Inside from './erase.in-host.ts';

const service = await hostedService();
const inside = service.inHost<typeof Inside>('test/customers/erase.in-host.ts');
const { expireAsWorker } = service.inHost<typeof Expiry>('test/reservations/expiry.in-host.ts');
const calls = collectionCallsOf(service);
let customers = 0;
/** The customer of the test, whom no other test uses. */
let phone: string;
let customer: Json;
const scene = await startScene(service, { resources: [{ duration_minutes: 15 }] });
const { partner: seller, rival, slot: anySlot } = scene;
const venueId = scene.venue.id;
const receivers = await startReceivers();
afterAll(async () => {
  await receivers.close();
  await service.stop();
});
beforeEach(() => {
  customers += 1;
  phone = `98450${String(10_000 + customers)}`;
  customer = {
    customer_name: `Canary${customers} Person`,
    customer_phone: phone,
    customer_email: `canary${customers}@mail.example`,
  };
});

const operator = () => operatorOf(service);
const sellWalkIn = async (body: Json) =>
  expectStatus(await operator().post('/api/v1/operator/walk-ins', { slot_id: anySlot(), ...body }), 201);
const erase = (input: unknown = `+91${phone}`) =>
  operator().post('/api/v1/operator/customers/erase', { customer_phone: input });
const eraseBooking = (bookingId: unknown) =>
  operator().post('/api/v1/operator/customers/erase', { booking_id: bookingId });
const idOf = (booking: Json) => String(booking['booking_id']);
const end = async (operation: 'cancel' | 'refund', booking: Json, caller: Partner = seller) => {
  const body = { reason: `Call ${phone}`, idempotency_key: `${operation}-${idOf(booking)}` };
  expectStatus(await caller.api.post(`/api/v1/bookings/${idOf(booking)}/${operation}`, body), 200);
};
const set = (collection: string, filter: Record<string, unknown>, fields: object) =>
  service.context.db.collection(collection).updateOne(filter, { $set: fields });
/** Moves the booking into the past. */
const moveToPast = (booking: Json) =>
  set('reservations', { bookingId: idOf(booking) }, { slotEnd: new Date(Date.now() - 1000) });
/** Lets a hold expire. */
const expire = (hold: Json) =>
  set('reservations', { _id: hold['hold_id'] }, { holdExpiresAt: new Date(Date.now() - 1) });
/** Lets a purchase expire. */
const lapse = ({ id }: Json) => set('package_purchases', { _id: id }, { expiresAt: new Date(0) });
/** Sells a package with these credits to the customer. */
const sellPackage = async (partner: Partner, credits = 1, fields: Json = {}) =>
  buyPackage(partner, await anyPackage(service, partner, [venueId], { credits }), { customer_phone: phone, ...fields });
const canaries = () => [phone, `Canary${customers}`, `canary${customers}`];
const whereCanariesAre = async () => {
  const logs = await service.logs();
  const inLog = canaries().filter((canary) => logs.includes(canary));
  return [...(await inside.whereStored(canaries())), ...inLog.map((canary) => `${canary} in log`)];
};
/** Texts that partners attach to holds and bookings, with the customer in them. */
const attached = () => ({
  order_reference: `order of ${phone}`,
  metadata: { note: `for Canary${customers} Person` },
});

describe('after the erasure of a customer', () => {
  test('nothing stored or logged contains the name, phone or email, and other data stays', async () => {
    const receiver = receivers.open();
    await subscribe(seller, receiver.url, ['booking_cancelled']);
    const purchase = await sellPackage(seller);
    const cancelled = await bookSlot(seller, anySlot(), { ...customer, use_package_credit: true });
    const past = await bookSlot(rival, anySlot(), { ...customer, customer_phone: `+91 ${phone}` });
    const refunded = await bookSlot(seller, anySlot(), customer);
    const walkIn = await sellWalkIn({ customer_name: customer['customer_name'], customer_phone: phone });
    // A receiver that echoes the event, a missing worker, and a listing searched by phone.
    receiver.respondWith((_request, response) => response.end(`Thanks for ${phone}`));
    await end('cancel', cancelled);
    await service.dispatch(String(cancelled['hold_id']));
    const [delivery] = await rowsOf(service, 'deliveries', { partnerId: seller.id });
    await service.attempt(String(delivery?._id));
    await end('refund', refunded);
    await seller.api.get(`/api/v1/bookings?customer_phone=${phone}`);
    for (const booking of [past, walkIn]) await moveToPast(booking);
    expect(new Set((await whereCanariesAre()).map((each) => each.split(' ').at(-1)))).toEqual(new Set(['database']));

    expect(expectStatus(await erase(), 200)).toEqual({ bookings: 4, holds: 0, purchases: 1 });

    expect(await whereCanariesAre()).toEqual([]);
    const view = expectStatus(await rival.api.get(`/api/v1/bookings/${idOf(past)}`), 200);
    expect(view).toMatchObject({
      status: 'BOOKED',
      payment_reference: 'pay_123',
      customer_name: '[erased]',
      customer_phone: '[erased]',
      customer_email: null,
    });
    const other = expectStatus(await seller.api.get(`/api/v1/bookings/${idOf(refunded)}`), 200);
    expect(other).toMatchObject({ status: 'REFUNDED', refund_reason: '[erased]', cancellation_reason: null });
    const bought = await seller.api.get(`/api/v1/packages/purchases/${String(purchase['id'])}`);
    expect(expectStatus(bought, 200)['purchase']).toMatchObject({ customer_phone: '[erased]' });
    const timeline = await operator().get(`/api/v1/operator/bookings/${idOf(cancelled)}/timeline`);
    expect(timeline.text).toContain('[erased]');
    expect(canaries().filter((canary) => timeline.text.includes(canary))).toEqual([]);
  });

  test('a redelivery no longer has the reason', async () => {
    const receiver = receivers.open();
    const { id } = await subscribe(seller, receiver.url, ['booking_cancelled']);
    const booking = await bookSlot(seller, anySlot(), customer);
    await end('cancel', booking);
    expectStatus(await erase(), 200);
    const { _id } = await rowOf(service, 'deliveries', { subscriptionId: id });
    await service.attempt(_id);
    expect(receiver.received.map(({ body }) => (body['details'] as Json)['reason'])).toEqual(['[erased]']);
  });

  test('a dispatcher that read the reason before the erasure does not restore it', async () => {
    const booking = await bookSlot(seller, anySlot(), customer);
    await end('cancel', booking);
    const { outbox } = await rowOf(service, 'reservations', { bookingId: idOf(booking) });
    expectStatus(await erase(), 200);
    // A slow dispatcher writes the event back.
    await set('reservations', { _id: booking['hold_id'] }, { outbox, outboxSince: new Date() });
    await service.dispatch(String(booking['hold_id']));
    expect(await whereCanariesAre()).toEqual([]);
  });

  test('the keys of old calls stay valid: nothing is booked or sold again', async () => {
    const hold = await placeHold(seller, anySlot());
    const body = confirmBody(hold['hold_id'], customer);
    const booking = expectStatus(await seller.api.post('/api/v1/bookings/confirm', body), 201);
    const packageId = await anyPackage(service, seller, [venueId], { credits: 1 });
    const key = { customer_phone: phone, idempotency_key: `key-${phone.slice(-3)}x` };
    const { id } = await buyPackage(seller, packageId, key);
    await lapse({ id });
    await end('cancel', booking);
    expectStatus(await erase(), 200);
    const replayed = await seller.api.post('/api/v1/bookings/confirm', body);
    expect([verdict(replayed), (replayed.body as Json)['booking_id']]).toEqual(['201', idOf(booking)]);
    const bought = { payment_method: 'upi', ...key };
    expect(verdict(await seller.api.post(`/api/v1/packages/${packageId}/purchase`, bought))).toBe(
      '409 IDEMPOTENCY_KEY_MISMATCH',
    );
    expect(await whereCanariesAre()).toEqual([]);
  });

  test('nothing contains customer data that partners put into keys, references, metadata and payment methods', async () => {
    const { customer_name: name, customer_email: email } = customer;
    const spaced = `+91 ${phone.slice(0, 5)}-${phone.slice(5)}`;
    const hold = await placeHold(seller, anySlot(), { idempotency_key: `hold-${phone}`, ...attached() });
    const body = confirmBody(hold['hold_id'], {
      ...customer,
      payment_reference: `upi:${phone}@okhdfc`,
      metadata: { note: 'another' },
      idempotency_key: `confirm ${spaced}`,
    });
    const first = expectStatus(await seller.api.post('/api/v1/bookings/confirm', body), 201);
    const second = await bookSlot(seller, anySlot(), {
      ...customer,
      payment_reference: String(email).toUpperCase(),
      idempotency_key: `for ${String(name).toLowerCase().replace(' ', '_')}`,
    });
    // Another call, with the family name first.
    const words = String(name).split(' ').toReversed();
    await bookSlot(rival, anySlot(), {
      ...customer,
      customer_email: undefined,
      payment_reference: `invoice/${words.join(', Ms ')}`,
      idempotency_key: words.join('').toLowerCase(),
    }).then(moveToPast);
    const third = await bookSlot(seller, anySlot(), { ...customer, idempotency_key: `91${phone}` });
    const texts = { payment_method: `upi ${phone}`, idempotency_key: `buy-${String(email)}` };
    const bought = await sellPackage(seller, 1, texts);
    await lapse(bought);
    const endWith = async (caller: Client, path: string, key: string) =>
      expectStatus(await caller.post(path, { reason: `${String(name)} rang`, idempotency_key: key }), 200);
    await endWith(seller.api, `/api/v1/bookings/${idOf(first)}/cancel`, `cancel-${phone}`);
    await endWith(seller.api, `/api/v1/bookings/${idOf(first)}/refund`, `refund-0${phone}`);
    await endWith(seller.api, `/api/v1/bookings/${idOf(second)}/cancel`, 'unrelated-key');
    await endWith(operator(), `/api/v1/operator/bookings/${idOf(third)}/cancel`, `ops-${phone}`);
    const before = await rowsOf(service, 'reservations', { 'customer.name': String(name) });
    expect(before).toHaveLength(4);

    expectStatus(await erase(), 200);

    expect(await whereCanariesAre()).toEqual([]);
    const after = await Promise.all(before.map(({ _id }) => rowOf(service, 'reservations', { _id })));
    const keysOf = (row: (typeof after)[0]) => [
      row.holdKey,
      row.confirmKey,
      ...[...(row.endings ?? []), ...(row.operatorEndings ?? [])].map(({ key }) => key),
    ];
    const overwritten = after.flatMap(keysOf).filter((key) => key?.startsWith('[erased]') === true);
    // The hold, four confirms, cancel, refund, the operator's cancel.
    expect(overwritten).toHaveLength(8);
    expect(new Set(overwritten).size).toBe(8);
    expect(after.flatMap(keysOf)).toContain('unrelated-key');
    const view = expectStatus(await seller.api.get(`/api/v1/bookings/${idOf(first)}`), 200);
    const erased = { payment_reference: '[erased]', order_reference: '[erased]', metadata: {} };
    expect(view).toMatchObject({ ...erased, status: 'REFUNDED' });
    const purchase = await seller.api.get(`/api/v1/packages/purchases/${String(bought['id'])}`);
    expect(expectStatus(purchase, 200)['purchase']).toMatchObject({ payment_method: '[erased]' });
    // A repeated call with an overwritten key has no effect.
    const again = await seller.api.post('/api/v1/bookings/confirm', body);
    expect(verdict(again)).toBe('409 INVALID_HOLD_STATE');
  });

  test('unconfirmed holds and responses of receivers are erased too', async () => {
    const receiver = receivers.open();
    const { id: subscriptionId } = await subscribe(rival, receiver.url, ['hold_created', 'hold_cancelled']);
    receiver.respondWith((_request, response) => response.end(`Noted for ${String(customer['customer_email'])}`));
    const hold = await placeHold(seller, anySlot(), attached());
    const cancelled = { reason: `${String(customer['customer_name'])} rang` };
    expectStatus(await seller.api.post(`/api/v1/partner/holds/${String(hold['hold_id'])}/cancel`, cancelled), 200);
    const expired = await placeHold(rival, anySlot(), { idempotency_key: `canary${customers}_person` });
    await expire(expired);
    expectStatus(await rival.api.get(`/api/v1/partner/holds/${String(expired['hold_id'])}`), 200);
    const unrelated = await placeHold(seller, anySlot(), { idempotency_key: `order-${customers}` });
    const other = { reason: 'Rain' };
    expectStatus(await seller.api.post(`/api/v1/partner/holds/${String(unrelated['hold_id'])}/cancel`, other), 200);
    const holds = [hold, expired, unrelated].map((each) => String(each['hold_id']));
    for (const holdId of holds) await service.dispatch(holdId);
    for (const { _id } of await rowsOf(service, 'deliveries', { subscriptionId })) await service.attempt(_id);
    const past = await bookSlot(seller, anySlot(), customer);
    await end('cancel', past);

    expect(expectStatus(await erase(), 200)).toEqual({ bookings: 1, holds: 2, purchases: 0 });

    expect(await whereCanariesAre()).toEqual([]);
    const row = await rowOf(service, 'reservations', { _id: holds[2] ?? '' });
    expect(row).toMatchObject({ holdKey: `order-${customers}`, releaseReason: 'Rain' });
    expect(expectStatus(await erase(), 200)).toEqual({ bookings: 0, holds: 0, purchases: 0 });
  });

  test('a walk-in without a phone is erased by its booking id; other customers stay', async () => {
    const booking = await sellWalkIn({ customer_name: customer['customer_name'] });
    const namesake = await sellWalkIn({ customer_name: 'Somebody Else' });
    expect(verdict(await eraseBooking(idOf(booking)))).toBe('409 CUSTOMER_HAS_UPCOMING_BOOKINGS');
    for (const each of [booking, namesake]) await moveToPast(each);
    expect(expectStatus(await eraseBooking(idOf(booking)), 200)).toEqual({ bookings: 1, holds: 0, purchases: 0 });
    expect(await whereCanariesAre()).toEqual([]);
    expect(expectStatus(await eraseBooking(idOf(booking)), 200)).toEqual({ bookings: 0, holds: 0, purchases: 0 });
    const other = expectStatus(await operator().get(`/api/v1/operator/bookings/${idOf(namesake)}`), 200);
    expect(other).toMatchObject({ customer_name: 'Somebody Else' });
  });

  test('a concurrent refund does not restore data', async () => {
    const booking = await bookSlot(seller, anySlot(), customer);
    await end('cancel', booking);
    // Otherwise the first write of this kind would be the dispatch of the booking's events.
    await service.dispatch(String(booking['hold_id']));
    const refund = async () => {
      await end('refund', booking);
      await service.dispatch(String(booking['hold_id']));
    };
    const erased = await calls.beforeNext('reservations.bulkWrite', refund, async () => erase());
    expect(expectStatus(erased, 200)).toEqual({ bookings: 1, holds: 0, purchases: 0 });
    expect(await whereCanariesAre()).toEqual([]);
    const view = expectStatus(await seller.api.get(`/api/v1/bookings/${idOf(booking)}`), 200);
    expect(view).toMatchObject({ status: 'REFUNDED', refund_reason: '[erased]' });
  });

  test('a hold that expires during the erasure does not restore data', async () => {
    const hold = await placeHold(seller, anySlot(), attached());
    const holdId = String(hold['hold_id']);
    await service.dispatch(holdId);
    await expire(hold);
    // After its events are overwritten, and before the hold is.
    const erased = await calls.beforeNext(
      'deliveries.updateMany',
      async () => {
        await expireAsWorker(holdId);
        await service.dispatch(holdId);
      },
      async () => erase(),
    );
    expect(expectStatus(erased, 200)).toEqual({ bookings: 0, holds: 1, purchases: 0 });
    expect(await rowsOf(service, 'events', { holdId })).toHaveLength(2);
    expect(await whereCanariesAre()).toEqual([]);
  });

  test('a refund gives no credit back to an erased purchase', async () => {
    const { id } = await sellPackage(seller);
    const booking = await bookSlot(seller, anySlot(), { ...customer, use_package_credit: true });
    await end('cancel', booking);
    expect(expectStatus(await erase(), 200)).toEqual({ bookings: 1, holds: 0, purchases: 1 });
    await end('refund', booking);
    const purchase = await seller.api.get(`/api/v1/packages/purchases/${String(id)}`);
    expect(expectStatus(purchase, 200)['purchase']).toMatchObject({ status: 'EXHAUSTED', credits_remaining: 0 });
  });
});

describe('a customer with an upcoming booking is not erased', () => {
  test.each<[string, () => Promise<unknown>]>([
    ['a booking of any partner', () => bookSlot(rival, anySlot(), customer)],
    ['a walk-in', () => sellWalkIn({ customer_phone: phone })],
    ['package credit', () => sellPackage(rival)],
  ])('%s', async (_what, book) => {
    const past = await bookSlot(seller, anySlot(), customer);
    await end('cancel', past);
    await book();
    const before = await dumpDatabaseButAudit();
    const refused = await erase();
    expect(verdict(refused)).toBe('409 CUSTOMER_HAS_UPCOMING_BOOKINGS');
    // The message says how long the erasure must wait.
    expect(refused.text).toMatch(/\d{4}-\d\d-\d\dT.*again/);
    expect(await dumpDatabaseButAudit()).toBe(before);
  });

  test('a booking that is made during the erasure stays', async () => {
    const past = await Promise.all(Array.from({ length: 4 }, () => bookSlot(seller, anySlot(), customer)));
    for (const booking of past) await end('cancel', booking);
    const [reply, booking] = await Promise.all([erase(), bookSlot(rival, anySlot(), customer)]);
    expect(['200', '409 CUSTOMER_HAS_UPCOMING_BOOKINGS']).toContain(verdict(reply));
    const view = expectStatus(await rival.api.get(`/api/v1/bookings/${idOf(booking)}`), 200);
    expect(view).toMatchObject({ status: 'BOOKED', ...customer });
  });

  test('package credit prevents the erasure until an operator ends the purchase, which the partner sees', async () => {
    const purchase = await sellPackage(rival, 2);
    const url = `/api/v1/operator/purchases/${String(purchase['id'])}`;
    const purchaseList = await operator().get(`/api/v1/operator/purchases?customer_phone=${phone}`);
    expect(expectStatus(purchaseList, 200)['data']).toEqual([{ ...purchase, partner_id: rival.id }]);
    expect(verdict(await operator().post(`${url}/end`, {}))).toBe('400 VALIDATION_ERROR reason');
    const endedPurchase = expectStatus(await operator().post(`${url}/end`, { reason: `Paid ${phone} back` }), 200);
    expect(endedPurchase).toMatchObject({ status: 'EXPIRED', credits_remaining: 2, end_reason: `Paid ${phone} back` });
    expect(expectStatus(await operator().post(`${url}/end`, { reason: 'Again' }), 200)).toEqual(endedPurchase);
    const view = await rival.api.get(`/api/v1/packages/purchases/${String(purchase['id'])}`);
    const { partner_id: _, ...asPartner } = endedPurchase;
    expect(expectStatus(view, 200)['purchase']).toEqual(asPartner);
    // The ended purchase cannot be used.
    const active = await rival.api.get(`/api/v1/packages/active?customer_phone=${phone}&venue_id=${venueId}`);
    expect(expectStatus(active, 200)).toMatchObject({ count: 0 });
    const booking = await bookSlot(rival, anySlot(), { ...customer, use_package_credit: true });
    expect(booking['package_credit_consumed']).toBeUndefined();
    await moveToPast(booking);
    expect(expectStatus(await erase(), 200)).toEqual({ bookings: 1, holds: 0, purchases: 1 });
    expect(await whereCanariesAre()).toEqual([]);
    expect(verdict(await operator().get(url.slice(0, -1)))).toBe('404 PURCHASE_NOT_FOUND');
  });

  const id = crypto.randomUUID();
  test.each<[string, Json]>([
    ['400 VALIDATION_ERROR booking_id, customer_phone', {}],
    ['400 VALIDATION_ERROR booking_id, customer_phone', { customer_phone: '9845011111', booking_id: id }],
    ['400 VALIDATION_ERROR booking_id', { booking_id: 'BK-1' }],
    ['404 BOOKING_NOT_FOUND', { booking_id: id }],
  ])('the customer must be named in exactly one way: %s for %j', async (refusal, input) => {
    expect(verdict(await operator().post('/api/v1/operator/customers/erase', input))).toBe(refusal);
  });
});

const dumpDatabaseButAudit = async () =>
  (await dumpDatabase(service))
    .split('\n')
    .filter((line) => !line.includes('"eraseCustomer"'))
    .join('\n');
