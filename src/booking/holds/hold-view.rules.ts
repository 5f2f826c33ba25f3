import { toRupees } from '../../domain/money.ts';
import { attachedView } from '../../reservations/attached.rules.ts';
import type { Reservation } from '../../reservations/reservations.model.ts';
import { holdStatusOf } from '../../reservations/reservations.rules.ts';

/** A hold as its partner sees it now. */
export function holdView(hold: Reservation): Record<string, unknown> {
  return {
    hold_id: hold._id,
    status: holdStatusOf(hold.status),
    venue_id: hold.venueId,
    resource_id: hold.resourceId,
    slot_id: hold.slotId,
    slot_start: hold.slotStart.toISOString(),
    slot_end: hold.slotEnd.toISOString(),
    price_rupees: toRupees(hold.pricePaise),
    hold_expiry_at: hold.holdExpiresAt.toISOString(),
    created_at: hold.placedAt.toISOString(),
    ...attachedView(hold),
    ...(hold.bookingId === undefined ? {} : { booking_id: hold.bookingId }),
  };
}

/** The response of placing: what was true then, whatever became of the hold since, so that a replay is alike. */
export function placedHoldView(hold: Reservation): Record<string, unknown> {
  const placedUntil = new Date(hold.placedAt.getTime() + (hold.ttlMs ?? 0));
  const { booking_id: _later, ...placed } = holdView(hold);
  return {
    ...placed,
    ...attachedView(hold.placedWith ?? hold),
    status: 'ACTIVE',
    hold_expiry_at: placedUntil.toISOString(),
  };
}
