/** A hold becomes a booking, once, and the booking is cancelled. */

import { randomUUID } from 'node:crypto';
import { field } from '../embedded/api-caller.ts';
import { requireEqual } from './expectations.ts';
import { type Hold, requireAvailability } from './hold-steps.ts';
import type { StepContext } from './step-context.ts';
import type { Venue } from './venue-step.ts';

export type Booking = Hold & {
  bookingId: string;
};

/** Confirms, and once more with the same key, as after a lost response: the same booking, made once. */
export async function confirmTwice(context: StepContext, venue: Venue, hold: Hold): Promise<Booking> {
  const { partner, transcript, cleanup } = context;
  const path = '/api/v1/bookings/confirm';
  const body = {
    hold_id: hold.holdId,
    payment_reference: 'pay_demo_1',
    customer_name: 'Asha Rao',
    customer_phone: '+919876543210',
    idempotency_key: `confirm-${randomUUID()}`,
  };
  const show = ['booking_id', 'status', 'price_rupees'];
  const first = await partner.call('POST', path, { body, expect: [201], show });
  const bookingId = first.text('booking_id');
  hold.isEnded();
  const isEnded = cleanup.add(() => partner.ask(...cancelCall(bookingId)));
  requireEqual('status of the booking', first.text('status'), 'BOOKED');
  requireEqual('price, as availability showed it', field(first.body, 'price_rupees'), hold.priceRupees);
  await requireAvailability(context, venue, [hold], 'booked');
  transcript.passed('the hold is now a booking, at the price that availability showed');

  transcript.note('The same request again, as after a lost response:');
  const replay = await partner.call('POST', path, { body, expect: [201], show });
  requireEqual('the response to the replay', replay.body, first.body);
  const marker = replay.headers.get('idempotent-replayed');
  transcript.values('←', { 'header Idempotent-Replayed': marker });
  requireEqual('header Idempotent-Replayed', marker, 'true');
  const bookings = (await partner.call('GET', '/api/v1/bookings', { show: ['count'] })).list('data');
  const ids = bookings.map((booking) => field(booking, 'booking_id'));
  requireEqual('the bookings of this partner', ids, [bookingId]);
  transcript.passed('the same response again, marked as a replay; there is one booking, not two');
  return { ...hold, bookingId, isEnded };
}

/** Cancels the booking, which frees its slot. */
export async function cancel(context: StepContext, venue: Venue, booking: Booking): Promise<void> {
  const { partner, transcript } = context;
  const [method, path, options] = cancelCall(booking.bookingId);
  await partner.call(method, path, { ...options, show: ['message'] });
  booking.isEnded();
  const read = await partner.call('GET', `/api/v1/bookings/${booking.bookingId}`, {
    show: ['status', 'cancelled_at'],
  });
  requireEqual('status of the booking', read.text('status'), 'CANCELLED');
  await requireAvailability(context, venue, [booking], 'free');
  transcript.passed('cancelled; its slot is free again');
}

function cancelCall(bookingId: string) {
  const body = { reason: 'Rain', idempotency_key: `cancel-${bookingId}` };
  return ['POST', `/api/v1/bookings/${bookingId}/cancel`, { body }] as const;
}
