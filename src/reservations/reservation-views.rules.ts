import { omitUndefined } from '../platform/objects.ts';
import type { Attached, Reservation } from './reservations.model.ts';

/** The attachments of a hold or booking (reference and metadata), as fields of a response. */
export function attachedView({ orderReference, metadata }: Attached): Record<string, unknown> {
  return { order_reference: orderReference ?? null, metadata: metadata ?? {} };
}

/** The attachments of a hold or booking, as fields of an event. */
export function attachedInEvent({ orderReference, metadata }: Attached): Record<string, unknown> {
  return omitUndefined({ order_reference: orderReference, metadata });
}

/** The attachments in the input of a call. */
export function attachedBy({ orderReference, metadata }: Attached): Attached {
  return omitUndefined({ orderReference, metadata });
}

type Claim = Pick<Reservation, '_id' | 'bookingId' | 'partnerId' | 'slotId' | 'slotStart' | 'slotEnd'>;

/** A hold or a booking in a report for operators. */
export function claimView({ _id: holdId, bookingId, ...claim }: Claim): Record<string, unknown> {
  return {
    ...(bookingId === undefined ? { hold_id: holdId } : { booking_id: bookingId }),
    partner_id: claim.partnerId,
    slot_id: claim.slotId,
    slot_start: claim.slotStart.toISOString(),
    slot_end: claim.slotEnd.toISOString(),
  };
}

export const MAX_CONFLICTS_SHOWN = 1000;

/** The holds and bookings on slots that a change takes off sale, for operators. */
export function conflictsView(claims: readonly Claim[]): Record<string, unknown> {
  return {
    conflict_count: claims.length,
    conflicts: claims.slice(0, MAX_CONFLICTS_SHOWN).map(claimView),
  };
}
