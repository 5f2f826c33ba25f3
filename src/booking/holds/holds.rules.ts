import { type Audience, DomainError } from '../../domain/errors.ts';
import { toRupees } from '../../domain/money.ts';
import { attachedView } from '../../reservations/reservation-views.rules.ts';
import type { Reservation } from '../../reservations/reservations.model.ts';
import { holdStatusOf } from '../../reservations/reservations.rules.ts';

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

/** The response of placing a hold: the hold as placed, so that replays are equal. */
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

const NOT_FOUND: Record<Audience, string> = {
  partner: 'You have no hold with that id. Use hold_id as returned when the hold was placed.',
  operator: 'There is no hold with that id.',
};

export function holdNotFound(audience: Audience = 'partner'): DomainError {
  return new DomainError('HOLD_NOT_FOUND', NOT_FOUND[audience]);
}

/** The grant for the venue has ended: the hold can be read and released, but not extended or confirmed. */
export function holdNotGranted(): DomainError {
  return new DomainError(
    'VENUE_NOT_AUTHORIZED',
    'The venue of this hold is no longer granted to you, so you cannot extend or confirm the hold. Ask the platform operator for the grant. Your bookings there stay.',
  );
}

export function holdConsumed({ bookingId }: Pick<Reservation, 'bookingId'>, what: string): DomainError {
  return new DomainError(
    'INVALID_HOLD_STATE',
    `The hold has been confirmed into booking ${bookingId}, ${what}`,
    bookingId === undefined ? {} : { booking_id: bookingId },
  );
}

const EXPIRED: Record<Audience, string> = {
  partner: 'The hold expired at hold_expiry_at, so its slot is free again. Place a new hold on the slot.',
  operator: 'The hold expired at hold_expiry_at, so there is nothing to release.',
};

export function holdExpired(audience: Audience = 'partner'): DomainError {
  return new DomainError('HOLD_EXPIRED', EXPIRED[audience]);
}
