import { afterAll, describe, expect, test } from '@jest/globals';
import {
  expectReplay,
  extend,
  list,
  readBooking,
  readHold,
  release,
  confirm as sendConfirm,
  end as sendEnd,
  hold as sendHold,
} from '../conformance/steps.ts';
import type { Json, Partner } from '../support/factories.ts';
import { bookSlot, expectStatus, operatorOf, placeHold } from '../support/factories.ts';
import { startScene } from '../support/scene.ts';
import { sharedService } from '../support/service-host.ts';
import { errorOf, verdict } from '../support/verdict.ts';

const ATTACHED = {
  order_reference: 'order-4711',
  metadata: { basket: 'b-118', empty: '', tricky: '$status' },
};

const service = sharedService();
afterAll(() => service.stop());
const { venue, partner, rival: other, slot: newSlot } = await startScene(service, { resources: [{}, {}] });

const hold = (fields: Json = {}) => placeHold(partner, newSlot(), fields);
const confirm = async ({ hold_id: id }: Json, fields: Json = {}) =>
  expectStatus(await sendConfirm(partner, id, fields), 201);

describe('data that a partner attaches', () => {
  test('to a hold is shown with the hold and its booking', async () => {
    const placed = await hold(ATTACHED);
    expect(placed).toMatchObject(ATTACHED);
    expect(await readHold(partner, placed)).toMatchObject(ATTACHED);
    expect(await readBooking(partner, await confirm(placed))).toMatchObject(ATTACHED);
  });

  test('on confirm replaces order_reference or metadata; a replay of the hold does not change', async () => {
    const slot = newSlot();
    const placed = await placeHold(partner, slot, { ...ATTACHED, idempotency_key: slot });
    const booking = await readBooking(partner, await confirm(placed, { metadata: { basket: 'b-119' } }));
    expect([booking['order_reference'], booking['metadata']]).toEqual(['order-4711', { basket: 'b-119' }]);
    expect(await placeHold(partner, slot, { idempotency_key: slot })).toEqual(placed);
  });

  test('finds the booking by order_reference, for its partner alone', async () => {
    const query = 'bookings?order_reference=order-find-me';
    const { booking_id } = await confirm(await hold(), { order_reference: 'order-find-me' });
    expect(await list(partner, `/api/v1/${query}`)).toMatchObject([{ booking_id }]);
    expect(await list(other, `/api/v1/${query}`)).toEqual([]);
    const byOperator = await operatorOf(service).get(`/api/v1/operator/${query}`);
    expect(expectStatus(byOperator, 200)['data']).toMatchObject([{ booking_id }]);
  });

  test('is only in its own partner’s events, with the values at the time of each event', async () => {
    const placed = await hold(ATTACHED);
    const { booking_id: id } = await confirm(placed, { order_reference: 'order-later' });
    expectStatus(await sendEnd(partner, 'cancel', id), 200);
    await service.dispatch(String(placed['hold_id']));
    const details = async (reader: Partner) =>
      (await list(reader, `/api/v1/partner/events?venue_id=${venue.id}&limit=200`))
        .filter((event) => event['hold_id'] === placed['hold_id'])
        .map((event) => event['details'] as Json)
        .map(({ order_reference: order, metadata }) => [order, metadata]);
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
  const placed = await hold();
  expect(placed).not.toHaveProperty('booking_id');
  const { booking_id: bookingId } = await confirm(placed);
  expect(await readHold(partner, placed)).toMatchObject({ status: 'CONSUMED', booking_id: bookingId });
  const { hold_id: id } = placed;
  for (const reply of [await sendConfirm(partner, id), await extend(partner, id, 600), await release(partner, id)]) {
    expect(verdict(reply)).toBe('409 INVALID_HOLD_STATE');
    expect(errorOf(reply).booking_id).toBe(bookingId);
  }
});

test('a cancel is replayed after the refund, and a rejected call does not use up its key', async () => {
  const [first, second] = [await bookSlot(partner, newSlot()), await bookSlot(partner, newSlot())];
  const end = (operation: string, { booking_id: id }: Json, key: string) =>
    sendEnd(partner, operation, id, { idempotency_key: key });
  const cancelled = await end('cancel', first, 'cancel');
  expectStatus(await end('refund', first, 'refund'), 200);
  expectReplay(await end('cancel', first, 'cancel'), cancelled);
  expect(verdict(await end('cancel', first, 'unused'))).toBe('409 INVALID_HOLD_STATE');
  expectStatus(await end('refund', second, 'unused'), 200);
});
