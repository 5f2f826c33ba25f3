import { afterAll, describe, expect, test } from '@jest/globals';
import { release, confirm as sendConfirm, end as sendEnd, hold as sendHold } from '../conformance/steps.ts';
import type { Json, Partner } from '../support/factories.ts';
import { bookSlot, expectStatus, json, operatorOf, placeHold } from '../support/factories.ts';
import { startScene } from '../support/scene.ts';
import { sharedService } from '../support/service-host.ts';
import { errorOf, verdict } from '../support/verdict.ts';

const ATTACHED = {
  order_reference: 'order-4711',
  metadata: { basket: 'b-118', empty: '', tricky: '$status' },
};
const NOTHING = { order_reference: null, metadata: {} };

const service = sharedService();
afterAll(() => service.stop());
const { venue, partner, rival: other, slot: newSlot } = await startScene(service, { resources: [{}, {}] });

const hold = (fields: Json = {}) => placeHold(partner, newSlot(), fields);
const confirm = async (holdId: unknown, fields: Json = {}) =>
  expectStatus(await sendConfirm(partner, holdId, fields), 201);
const read = async (path: string) => expectStatus(await partner.api.get(path), 200);
const readBooking = (id: unknown) => read(`/api/v1/bookings/${String(id)}`);

describe('data that a partner attaches', () => {
  test('to a hold is shown with the hold and its booking', async () => {
    const placed = await hold(ATTACHED);
    expect(placed).toMatchObject(ATTACHED);
    expect(await read(`/api/v1/partner/holds/${String(placed['hold_id'])}`)).toMatchObject(ATTACHED);
    expect(await readBooking((await confirm(placed['hold_id']))['booking_id'])).toMatchObject(ATTACHED);
    const plain = await hold();
    expect(plain).toMatchObject(NOTHING);
    expect((await readBooking((await confirm(plain['hold_id']))['booking_id']))['metadata']).toEqual({});
  });

  test('on confirm replaces order_reference or metadata; a replay of the hold does not change', async () => {
    const slot = newSlot();
    const placed = await placeHold(partner, slot, { ...ATTACHED, idempotency_key: slot });
    const { booking_id: id } = await confirm(placed['hold_id'], { metadata: { basket: 'b-119' } });
    expect(await readBooking(id)).toMatchObject({ order_reference: 'order-4711' });
    expect((await readBooking(id))['metadata']).toEqual({ basket: 'b-119' });
    const again = await placeHold(partner, slot, { idempotency_key: slot });
    expect(again).toEqual(placed);
  });

  test('finds the booking by order_reference, for its partner alone', async () => {
    const order = 'order-find-me';
    const { booking_id: id } = await confirm((await hold())['hold_id'], { order_reference: order });
    const path = `/api/v1/bookings?order_reference=${order}`;
    const bookingIdsOf = async ({ api }: Pick<Partner, 'api'>) =>
      (json(await api.get(path))['data'] as Json[]).map((each) => each['booking_id']);
    expect(await bookingIdsOf(partner)).toEqual([id]);
    expect(await bookingIdsOf(other)).toEqual([]);
    const byOperator = await operatorOf(service).get(`/api/v1/operator/bookings?order_reference=${order}`);
    expect((json(byOperator)['data'] as Json[]).map((each) => each['booking_id'])).toEqual([id]);
  });

  test('is only in its own partner’s events, with the values at the time of each event', async () => {
    const { hold_id: holdId } = await hold(ATTACHED);
    const { booking_id: id } = await confirm(holdId, { order_reference: 'order-later' });
    expectStatus(await sendEnd(partner, 'cancel', id), 200);
    await service.dispatch(String(holdId));
    const details = async ({ api }: Partner) => {
      const { data } = expectStatus(await api.get(`/api/v1/partner/events?venue_id=${venue.id}&limit=200`), 200);
      return (data as { hold_id: unknown; details: Json }[])
        .filter((each) => each.hold_id === holdId)
        .map(({ details: { order_reference: order, metadata } }) => [order, metadata]);
    };
    const { metadata } = ATTACHED;
    expect(await details(partner)).toEqual([
      ['order-4711', metadata],
      ['order-later', metadata],
      ['order-later', metadata],
    ]);
    expect(await details(other)).toEqual([1, 2, 3].map(() => [undefined, undefined]));
  });
});

test.each<[string, Json, string]>([
  ['21 keys', { metadata: Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`k${n}`, 'x'])) }, 'metadata'],
  ['a key of 41 characters', { metadata: { ['k'.repeat(41)]: 'x' } }, 'metadata'],
  ['a key with a dot', { metadata: { 'a.b': 'x' } }, 'metadata'],
  ['a key that begins with a dollar', { metadata: { $set: 'x' } }, 'metadata'],
  ['a value of 501 characters', { metadata: { k: 'x'.repeat(501) } }, 'metadata'],
  ['a number as value', { metadata: { k: 1 } }, 'metadata'],
  ['a list', { metadata: ['x'] }, 'metadata'],
  ['an order_reference of 256 characters', { order_reference: 'x'.repeat(256) }, 'order_reference'],
])('%s is rejected by hold and confirm', async (_what, fields, field) => {
  const replies = [await sendHold(partner, newSlot(), fields), await sendConfirm(partner, 'any', fields)];
  expect(replies.map(verdict)).toEqual(Array(2).fill(`400 VALIDATION_ERROR ${field}`));
});

test('20 keys of 40 characters with values of 500 are accepted', async () => {
  const metadata = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`k${n}`.padEnd(40, 'x'), 'v'.repeat(500)]));
  expect(await hold({ metadata, order_reference: 'o'.repeat(255) })).toMatchObject({ metadata });
});

test('a CONSUMED hold names its booking, and errors of later calls do too', async () => {
  const slotId = newSlot();
  const placed = await placeHold(partner, slotId, { idempotency_key: 'placed once' });
  expect(placed).not.toHaveProperty('booking_id');
  const path = `/api/v1/partner/holds/${String(placed['hold_id'])}`;
  const confirmAgain = () => sendConfirm(partner, placed['hold_id']);
  const { booking_id: bookingId } = expectStatus(await confirmAgain(), 201);
  expect((await partner.api.get(path)).body).toMatchObject({ status: 'CONSUMED', booking_id: bookingId });
  for (const reply of [
    await confirmAgain(),
    await partner.api.post(`${path}/extend`, { ttl_seconds: 600 }),
    await release(partner, placed['hold_id']),
  ]) {
    expect(verdict(reply)).toBe('409 INVALID_HOLD_STATE');
    expect(errorOf(reply).booking_id).toBe(bookingId);
  }
  // A replay returns the original response.
  expect((await sendHold(partner, slotId, { idempotency_key: 'placed once' })).body).toEqual(placed);
});

test('a cancel is replayed after the refund, and a rejected call does not use up its key', async () => {
  const [first, second] = [await bookSlot(partner, newSlot()), await bookSlot(partner, newSlot())];
  const end = (operation: string, { booking_id: id }: Json, key: string) =>
    sendEnd(partner, operation, id, { idempotency_key: `${key} ${String(first['booking_id'])}` });
  const cancelled = expectStatus(await end('cancel', first, 'cancel'), 200);
  expectStatus(await end('refund', first, 'refund'), 200);
  const again = await end('cancel', first, 'cancel');
  expect([again.body, again.headers.get('idempotent-replayed')]).toEqual([cancelled, 'true']);
  expect(verdict(await end('cancel', first, 'unused'))).toBe('409 INVALID_HOLD_STATE');
  expectStatus(await end('refund', second, 'unused'), 200);
});
