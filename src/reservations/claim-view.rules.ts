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

/** How many conflicts one response names. */
export const MAX_CONFLICTS_SHOWN = 1000;

/** The holds and bookings that a change leaves where they cannot be sold any more, as operators are told of them. */
export function conflictsView(claims: readonly Claim[]): Record<string, unknown> {
  return {
    conflict_count: claims.length,
    conflicts: claims.slice(0, MAX_CONFLICTS_SHOWN).map(claimView),
  };
}
