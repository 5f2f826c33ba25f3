import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Json, Partner, Venue } from '../support/factories.ts';
import {
  anyPartner,
  anyVenue,
  bookSlot,
  expectStatus,
  freeSlotIds,
  operatorOf,
} from '../support/factories.ts';
import { rowOf } from '../support/rows.ts';
import type { SharedService } from '../support/service-host.ts';
import { sharedService } from '../support/service-host.ts';
import { verdict } from '../support/verdict.ts';

type Operation = 'cancel' | 'refund';
const ENDED = { cancel: 'CANCELLED', refund: 'REFUNDED' } as const;

let service: SharedService;
let venue: Venue;
let partner: Partner;
let slots: string[];

beforeAll(async () => {
  service = sharedService();
  venue = await anyVenue(service, [{}, {}, {}]);
  partner = await anyPartner(service, [venue.id]);
  slots = await freeSlotIds(partner, venue.id);
});
afterAll(() => service.stop());

let keys = 0;
const newKey = () => `key-${(keys += 1)}`;
const newBooking = () => bookSlot(partner, slots.shift() ?? '');
const idOf = (booking: Json) => String(booking['booking_id']);
const end = (operation: Operation, booking: Json, key = newKey(), by = partner) =>
  by.api.post(`/api/v1/bookings/${idOf(booking)}/${operation}`, {
    reason: `to ${operation}`,
    idempotency_key: key,
  });
const read = async (booking: Json) =>
  expectStatus(await partner.api.get(`/api/v1/bookings/${idOf(booking)}`), 200);
const eventsOf = async (booking: Json) =>
  (await rowOf(service, 'reservations', { bookingId: idOf(booking) })).outbox
    .slice(1)
    .map((event) => event.type);

/** A booking in a state, with the keys that brought it there. */
async function bookingIn(state: string): Promise<{ booking: Json; cancelKey: string; refundKey: string }> {
  const [booking, cancelKey, refundKey] = [await newBooking(), newKey(), newKey()];
  if (state.includes('CANCELLED')) expectStatus(await end('cancel', booking, cancelKey), 200);
  if (state.includes('REFUNDED')) expectStatus(await end('refund', booking, refundKey), 200);
  return { booking, cancelKey, refundKey };
}

describe.each<Operation>(['cancel', 'refund'])('POST /api/v1/bookings/{bookingId}/%s', (operation) => {
  test('can be done when the grant of the venue has ended', async () => {
    const own = await anyVenue(service);
    const seller = await anyPartner(service, [own.id]);
    const booking = await bookSlot(seller, (await freeSlotIds(seller, own.id))[0] ?? '');
    await operatorOf(service).delete(`/api/v1/operator/partners/${seller.id}/venues/${own.id}`);
    expect(verdict(await end(operation, booking, newKey(), seller))).toBe('200');
  });

  test.each(['$status', '$$NOW', 'it rained\n\tall day', '{"$set":{}}'])(
    'keeps the reason %j as it was given',
    async (reason) => {
      const booking = await newBooking();
      const body = { reason, idempotency_key: `${operation} ${reason.replace(/\s/g, ' ')}` };
      expectStatus(await partner.api.post(`/api/v1/bookings/${idOf(booking)}/${operation}`, body), 200);
      const field = operation === 'cancel' ? 'cancellation_reason' : 'refund_reason';
      expect(await read(booking)).toMatchObject({ [field]: reason });
    },
  );
});

describe('every call in every state', () => {
  const events = { CANCELLED: 'booking_cancelled', REFUNDED: 'booking_refunded' } as const;
  test.each<[string, Operation, string, string, string]>([
    ['CANCELLED', 'refund', 'new', '200', 'REFUNDED'],
    ['CANCELLED, REFUNDED', 'cancel', 'new', '409 INVALID_HOLD_STATE', 'REFUNDED'],
    ['CANCELLED, REFUNDED', 'cancel', 'cancel', '200 replay', 'REFUNDED'],
    ['CANCELLED, REFUNDED', 'cancel', 'refund', '409 IDEMPOTENCY_KEY_MISMATCH', 'REFUNDED'],
    ['CANCELLED, REFUNDED', 'refund', 'new', '409 INVALID_HOLD_STATE', 'REFUNDED'],
    ['CANCELLED, REFUNDED', 'refund', 'refund', '200 replay', 'REFUNDED'],
    ['CANCELLED, REFUNDED', 'refund', 'cancel', '409 IDEMPOTENCY_KEY_MISMATCH', 'REFUNDED'],
  ])('%s: %s with the %s key answers %s and leaves it %s', async (state, operation, which, answer, after) => {
    const { booking, cancelKey, refundKey } = await bookingIn(state);
    const before = await eventsOf(booking);
    const reply = await end(
      operation,
      booking,
      { new: newKey(), cancel: cancelKey, refund: refundKey }[which],
    );
    const isReplay = reply.headers.get('idempotent-replayed') === 'true';
    expect(verdict(reply) + (isReplay ? ' replay' : '')).toBe(answer);
    if (reply.status === 200) {
      // A replay answers what the call answered when it worked, whatever the booking has become since.
      expect(reply.body).toMatchObject({ booking_id: idOf(booking), status: ENDED[operation] });
    }
    expect(await read(booking)).toMatchObject({ status: after });
    const isNew = answer === '200';
    expect(await eventsOf(booking)).toEqual([...before, ...(isNew ? [events[ENDED[operation]]] : [])]);
  });
});

describe('the keys of cancels and refunds are one namespace', () => {
  test.each<[Operation, Operation]>([
    ['cancel', 'refund'],
    ['refund', 'cancel'],
  ])(
    'a key of a %s is 409 IDEMPOTENCY_KEY_MISMATCH for the %s of another booking, which stays',
    async (first, then) => {
      const [one, two, key] = [await newBooking(), await newBooking(), newKey()];
      expectStatus(await end(first, one, key), 200);
      expect(verdict(await end(then, two, key))).toBe('409 IDEMPOTENCY_KEY_MISMATCH');
      expect(await read(two)).toMatchObject({ status: 'BOOKED' });
    },
  );

  test('a call that failed leaves its key unused', async () => {
    const { booking } = await bookingIn('REFUNDED');
    const key = newKey();
    expect(verdict(await end('cancel', booking, key))).toBe('409 INVALID_HOLD_STATE');
    expect(verdict(await end('refund', await newBooking(), key))).toBe('200');
  });
});
