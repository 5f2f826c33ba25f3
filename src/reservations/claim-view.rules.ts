import type { Reservation } from './reservations.model.ts';

type Claim = Pick<Reservation, '_id' | 'bookingId' | 'partnerId' | 'slotId' | 'slotStart' | 'slotEnd'>;

/** A hold or a booking as a report for operators names it: its id, whose it is, and what it claims. */
export function claimView({ _id: holdId, bookingId, ...claim }: Claim): Record<string, unknown> {
  return {
    ...(bookingId === undefined ? { hold_id: holdId } : { booking_id: bookingId }),
    partner_id: claim.partnerId,
    slot_id: claim.slotId,
    slot_start: claim.slotStart.toISOString(),
    slot_end: claim.slotEnd.toISOString(),
  };
}
