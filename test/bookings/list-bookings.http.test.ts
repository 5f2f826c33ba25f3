import { afterAll, describe, expect, test } from '@jest/globals';
import { end, list as listAt, readBooking } from '../conformance/steps.ts';
import type { Json, Partner } from '../support/factories.ts';
import {
  anyPackage,
  anyPartner,
  bookSlot,
  buyPackage,
  expectStatus,
  operatorOf,
  placeHold,
} from '../support/factories.ts';
import { sortedQueriesOf } from '../support/query-plans.ts';
import { startScene } from '../support/scene.ts';
import { hostedService } from '../support/service-host.ts';

const service = await hostedService();
afterAll(() => service.stop());
const { venue, slot } = await startScene(service, { resources: [{}, {}, {}] });

const newPartner = () => anyPartner(service, [venue.id]);
const book = async (partner: Partner, fields: Json = {}) =>
  String((await bookSlot(partner, slot(), fields))['booking_id']);

function list(partner: Partner, query: Record<string, string> = {}): Promise<Json[]> {
  const text = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return listAt(partner, `/api/v1/bookings?${text.join('&')}`);
}
const idsOf = (bookings: Json[]) => bookings.map((booking) => String(booking['booking_id']));
const listIds = async (partner: Partner, query: Record<string, string>) => idsOf(await list(partner, query));

describe('the filter', () => {
  test('hold_id and payment_reference find the booking of a hold, and the bookings of a payment', async () => {
    const [seller, rival] = [await newPartner(), await newPartner()];
    const paid = { payment_reference: 'pay 7/α' };
    const first = await bookSlot(seller, slot(), paid);
    const [id, holdId] = [String(first['booking_id']), String(first['hold_id'])];
    const second = await book(seller, paid);
    await book(seller, { payment_reference: 'pay 7' });
    const rivalId = await book(rival, paid);
    expect(await listIds(seller, { hold_id: holdId })).toEqual([id]);
    expect(await listIds(rival, { hold_id: holdId })).toEqual([]);
    const { hold_id: unconfirmed } = await placeHold(seller, slot());
    expect(await listIds(seller, { hold_id: String(unconfirmed) })).toEqual([]);
    const ofPayment = await listIds(seller, paid);
    expect(ofPayment).toEqual([second, id]);
    expect(await listIds(rival, paid)).toEqual([rivalId]);
    expect(await listIds(seller, { payment_reference: 'PAY 7/α' })).toEqual([]);
    expect(await listIds(seller, { ...paid, hold_id: holdId, status: 'CANCELLED' })).toEqual([]);
  });

  test('hold_id and payment_reference read no other bookings', async () => {
    const seller = await newPartner();
    const first = await bookSlot(seller, slot(), { payment_reference: 'once' });
    for (let count = 0; count < 4; count += 1) await book(seller);
    const plans = await sortedQueriesOf(service, 'reservations', async () => {
      await list(seller, { hold_id: String(first['hold_id']) });
      await list(seller, { payment_reference: 'once' });
      await operatorOf(service).get('/api/v1/operator/bookings?payment_reference=once');
    });
    expect(plans.map(({ docsExamined }) => docsExamined)).toEqual([1, 1, 1]);
  });
});

describe('a booking on a page', () => {
  test('equals its own read, in any state', async () => {
    const seller = await newPartner();
    const [cancelled, refunded] = [await book(seller), await book(seller)];
    const creditless = await book(seller, { customer_email: 'asha@example.org', use_package_credit: true });
    await buyPackage(seller, await anyPackage(service, seller, [venue.id]));
    const credited = await book(seller, { use_package_credit: true });
    for (const bookingId of [cancelled, refunded]) expectStatus(await end(seller, 'cancel', bookingId), 200);
    expectStatus(await end(seller, 'refund', refunded), 200);
    const listed = await list(seller);
    expect(idsOf(listed)).toEqual([credited, creditless, refunded, cancelled]);
    for (const booking of listed) expect(await readBooking(seller, booking)).toEqual(booking);
  });

  test('is read without hidden fields', async () => {
    const seller = await newPartner();
    const bookingId = await book(seller);
    const endings = Array.from({ length: 1000 }, (_, n) => ({ key: `${bookingId} ${n}`, operation: 'cancel' }));
    await service.context.db.collection('reservations').updateOne({ bookingId }, { $set: { endings } });
    const [plan] = await sortedQueriesOf(service, 'reservations', () => list(seller));
    expect(plan?.responseLength).toBeLessThan(4000);
  });
});
