/** The partner's calls: a hold, its booking, a hold that expires, and the cancellation. */

import { PartnerApiError, type Schemas } from '../../../packages/client/src/index.ts';
import { addDays, localDateOf } from '../../platform/calendar.ts';
import { requireEqual, requireRejected } from './checks.ts';
import type { Seller } from './setup.ts';

type Hold = Schemas['Hold'];

/** The time zone of the imported venues. */
const timeZone = 'Asia/Kolkata';
const firstDayAhead = 3;
/** Within the booking horizon of 90 days. */
const lastDayAhead = 80;
const customer = {
  payment_reference: 'pay_demo_1',
  customer_name: 'Asha Rao',
  customer_phone: '+919876543210',
};

/** Holds a free slot; a second hold on it is rejected. */
export async function holdOnce(seller: Seller): Promise<Hold> {
  const { client, transcript } = seller;
  const hold = await placeHold(seller);
  requireEqual('status of a new hold', hold.status, 'ACTIVE');
  await requireRejected(client.placeHold({ body: { slot_id: hold.slot_id } }), 'SLOT_NOT_AVAILABLE');
  await requireAvailability(seller, hold, 'held');
  transcript.passed('the slot is held: a second hold on it is rejected, and availability shows it as held');
  return hold;
}

/** Confirms a hold twice with one idempotency key, as after a lost response. Returns the id of the one booking. */
export async function bookOnce(seller: Seller, hold: Hold): Promise<string> {
  const { client, transcript } = seller;
  const body = { hold_id: hold.hold_id, ...customer, idempotency_key: `confirm-${hold.hold_id}` };
  const booking = await client.confirmBooking({ body });
  requireEqual('status of the booking', booking.status, 'BOOKED');
  requireEqual('price of the booking', booking.price_rupees, hold.price_rupees);
  await requireAvailability(seller, hold, 'booked');
  transcript.passed('the hold is now a booking, at the same price');

  transcript.note('The same request again, as after a lost response:');
  requireEqual('the response to the replay', await client.confirmBooking({ body }), booking);
  const { data } = await client.listBookings();
  requireEqual('the number of bookings of this partner', data.length, 1);
  transcript.passed('the same response again, marked as a replay; there is one booking, not two');
  return booking.booking_id;
}

/** Lets a hold expire; a late confirm is rejected, and the slot is free. */
export async function letExpire(seller: Seller): Promise<Hold> {
  const { client, transcript } = seller;
  const hold = await placeHold(seller);
  transcript.note(`It would expire by itself at ${hold.hold_expiry_at}; the sandbox makes it expire now:`);
  const expired = await client.expireHold({ path: { holdId: hold.hold_id } });
  requireEqual('status of the expired hold', expired.status, 'EXPIRED');
  const body = { hold_id: hold.hold_id, ...customer, idempotency_key: `late-${hold.hold_id}` };
  await requireRejected(client.confirmBooking({ body }), 'HOLD_EXPIRED');
  await requireAvailability(seller, hold, 'free');
  transcript.passed('expired: it can no longer be confirmed, and its slot is free again');
  return hold;
}

/** Cancels the booking, which frees its slot. */
export async function cancelBooking(seller: Seller, hold: Hold, bookingId: string): Promise<void> {
  const { client, transcript } = seller;
  const body = { reason: 'Rain', idempotency_key: `cancel-${bookingId}` };
  const cancelled = await client.cancelBooking({ path: { bookingId }, body });
  requireEqual('status of the booking', cancelled.status, 'CANCELLED');
  await requireAvailability(seller, hold, 'free');
  transcript.passed('cancelled; its slot is free again');
}

/** Holds the first free slot, three days ahead or later; skips a slot that another channel takes first. */
async function placeHold({ client, venueId, transcript }: Seller): Promise<Hold> {
  for (let daysAhead = firstDayAhead; daysAhead <= lastDayAhead; daysAhead += 1) {
    const date = addDays(localDateOf(new Date(), timeZone), daysAhead);
    const { slots } = await client.getAvailability({ query: { venue_id: venueId, date } });
    for (const slot of slots.filter((each) => each.is_available)) {
      try {
        return await client.placeHold({ body: { slot_id: slot.slot_id } });
      } catch (error) {
        if (!(error instanceof PartnerApiError && error.code === 'SLOT_NOT_AVAILABLE')) throw error;
        transcript.note('Another channel was first; trying the next free slot.');
      }
    }
  }
  throw new Error(`No slot is free in the next ${lastDayAhead} days`);
}

/** Checks that availability shows the slot as `expected`: free, or unavailable for that reason. */
async function requireAvailability(
  { client, venueId, transcript }: Seller,
  slot: Pick<Hold, 'slot_id' | 'slot_start'>,
  expected: 'free' | 'held' | 'booked',
): Promise<void> {
  const date = localDateOf(new Date(slot.slot_start), timeZone);
  const { slots } = await client.getAvailability({ query: { venue_id: venueId, date } });
  const listed = slots.find(({ slot_id: slotId }) => slotId === slot.slot_id);
  const shown = listed?.is_available ? 'free' : listed?.unavailable_reason;
  requireEqual(`availability of ${slot.slot_id}`, shown, expected);
  transcript.note(`${slot.slot_id}: ${expected}`);
}
