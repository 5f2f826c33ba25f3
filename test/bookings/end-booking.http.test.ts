import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Json, Partner } from '../support/factories.ts';
import { anyPartner, anyVenue, bookSlot, freeSlotIds, operatorOf } from '../support/factories.ts';
import { rowOf } from '../support/rows.ts';
import { sharedService } from '../support/service-host.ts';
import { verdict } from '../support/verdict.ts';

type Operation = 'cancel' | 'refund';

const service = sharedService();
let venueId: string;
let partner: Partner;
let slots: string[];
beforeAll(async () => {
  venueId = (await anyVenue(service)).id;
  partner = await anyPartner(service, [venueId]);
  slots = await freeSlotIds(partner, venueId);
});
afterAll(() => service.stop());

const newBooking = () => bookSlot(partner, slots.shift() ?? '');
const idOf = (booking: Json) => String(booking['booking_id']);
const end = async (operation: Operation, booking: Json, key: string, by = partner) => {
  const body = { reason: `to ${operation}`, idempotency_key: key };
  const reply = await by.api.post(`/api/v1/bookings/${idOf(booking)}/${operation}`, body);
  return verdict(reply) + (reply.headers.get('idempotent-replayed') === null ? '' : ' replay');
};

test('a booking that was cancelled, then refunded, replays each call by its own key and rejects every other', async () => {
  const booking = await newBooking();
  const keys = { cancel: idOf(booking), refund: `refund ${idOf(booking)}` };
  expect([await end('cancel', booking, keys.cancel), await end('refund', booking, keys.refund)]).toEqual([
    '200',
    '200',
  ]);
  for (const [operation, other] of [
    ['cancel', 'refund'],
    ['refund', 'cancel'],
  ] as const) {
    expect(await end(operation, booking, keys[operation])).toBe('200 replay');
    expect(await end(operation, booking, keys[other])).toBe('409 IDEMPOTENCY_KEY_MISMATCH');
    expect(await end(operation, booking, `new ${operation}`)).toBe('409 INVALID_HOLD_STATE');
  }
  const { status, outbox } = await rowOf(service, 'reservations', { bookingId: idOf(booking) });
  expect([status, ...outbox.slice(2).map(({ type }) => type)]).toEqual([
    'REFUNDED',
    'booking_cancelled',
    'booking_refunded',
  ]);
  // A rejected call leaves its key unused, for either operation.
  expect(await end('refund', await newBooking(), 'new cancel')).toBe('200');
});

describe.each<Operation>(['cancel', 'refund'])('a %s', (operation) => {
  test('works after the grant of the venue has ended', async () => {
    const seller = await anyPartner(service, [venueId]);
    const booking = await bookSlot(seller, slots.shift() ?? '');
    await operatorOf(service).delete(`/api/v1/operator/partners/${seller.id}/venues/${venueId}`);
    expect(await end(operation, booking, 'after the grant', seller)).toBe('200');
  });
});
