import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Json, Partner, Venue } from '../support/factories.ts';
import {
  anyPartner,
  anyVenue,
  confirmBody,
  expectStatus,
  freeSlotIds,
  json,
  operatorOf,
  placeHold,
} from '../support/factories.ts';
import { sharedService } from '../support/service-host.ts';
import { verdict } from '../support/verdict.ts';

const ATTACHED = {
  order_reference: 'order-4711',
  metadata: { basket: 'b-118', empty: '', tricky: '$status' },
};
const NOTHING = { order_reference: null, metadata: {} };

const service = sharedService();
let venue: Venue;
let partner: Partner;
let other: Partner;
let slots: string[];

beforeAll(async () => {
  venue = await anyVenue(service, [{}, {}]);
  [partner, other] = [await anyPartner(service, [venue.id]), await anyPartner(service, [venue.id])];
  slots = await freeSlotIds(partner, venue.id);
});
afterAll(() => service.stop());

const newSlot = (): string => slots.pop() ?? 'none left';
const hold = (fields: Json = {}) => placeHold(partner, newSlot(), fields);
const confirm = async (holdId: unknown, fields: Json = {}) =>
  expectStatus(await partner.api.post('/api/v1/bookings/confirm', confirmBody(holdId, fields)), 201);
const read = async (path: string) => expectStatus(await partner.api.get(path), 200);
const booking = (id: unknown) => read(`/api/v1/bookings/${String(id)}`);

describe('what a partner attaches', () => {
  test('to a hold is shown with the hold and its booking', async () => {
    const placed = await hold(ATTACHED);
    expect(placed).toMatchObject(ATTACHED);
    expect(await read(`/api/v1/partner/holds/${String(placed['hold_id'])}`)).toMatchObject(ATTACHED);
    expect(await booking((await confirm(placed['hold_id']))['booking_id'])).toMatchObject(ATTACHED);
    const plain = await hold();
    expect(plain).toMatchObject(NOTHING);
    expect((await booking((await confirm(plain['hold_id']))['booking_id']))['metadata']).toEqual({});
  });

  test('on confirm replaces each given part; a replay of the hold stays as it was', async () => {
    const slot = newSlot();
    const placed = await placeHold(partner, slot, { ...ATTACHED, idempotency_key: slot });
    const { booking_id: id } = await confirm(placed['hold_id'], { metadata: { basket: 'b-119' } });
    expect(await booking(id)).toMatchObject({ order_reference: 'order-4711' });
    expect((await booking(id))['metadata']).toEqual({ basket: 'b-119' });
    const again = await placeHold(partner, slot, { idempotency_key: slot });
    expect(again).toEqual(placed);
  });

  test('finds the booking by order_reference, for its partner alone', async () => {
    const order = 'order-find-me';
    const { booking_id: id } = await confirm((await hold())['hold_id'], { order_reference: order });
    const path = `/api/v1/bookings?order_reference=${order}`;
    const found = async ({ api }: Pick<Partner, 'api'>) =>
      (json(await api.get(path))['data'] as Json[]).map((each) => each['booking_id']);
    expect(await found(partner)).toEqual([id]);
    expect(await found(other)).toEqual([]);
    const byOperator = await operatorOf(service).get(`/api/v1/operator/bookings?order_reference=${order}`);
    expect((json(byOperator)['data'] as Json[]).map((each) => each['booking_id'])).toEqual([id]);
  });

  test('is in the events of its own partner alone, as it was at the time of each event', async () => {
    const { hold_id: holdId } = await hold(ATTACHED);
    const { booking_id: id } = await confirm(holdId, { order_reference: 'order-later' });
    const reason = { reason: 'Rain', idempotency_key: `cancel-${String(id)}` };
    expectStatus(await partner.api.post(`/api/v1/bookings/${String(id)}/cancel`, reason), 200);
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
    expect(await details(other)).toEqual([
      [undefined, undefined],
      [undefined, undefined],
      [undefined, undefined],
    ]);
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
  const reply = await partner.api.post('/api/v1/partner/holds', { slot_id: newSlot(), ...fields });
  expect(verdict(reply)).toBe(`400 VALIDATION_ERROR ${field}`);
  const confirmed = await partner.api.post('/api/v1/bookings/confirm', confirmBody('any', fields));
  expect(verdict(confirmed)).toBe(`400 VALIDATION_ERROR ${field}`);
});

test('20 keys of 40 characters with values of 500 are accepted', async () => {
  const metadata = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`k${n}`.padEnd(40, 'x'), 'v'.repeat(500)]));
  expect(await hold({ metadata, order_reference: 'o'.repeat(255) })).toMatchObject({ metadata });
});
