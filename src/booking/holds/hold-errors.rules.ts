import type { Audience } from '../../domain/errors.ts';
import { DomainError } from '../../domain/errors.ts';
import type { Reservation } from '../../reservations/reservations.model.ts';

const NOT_FOUND: Record<Audience, string> = {
  partner: 'You have no hold with that id. Use hold_id as returned when the hold was placed.',
  operator: 'There is no hold with that id.',
};

export function holdNotFound(audience: Audience = 'partner'): DomainError {
  return new DomainError('HOLD_NOT_FOUND', NOT_FOUND[audience]);
}

/** Of a hold of the caller's own, at a venue whose grant has ended: it is read and released as ever, and sold no more. */
export function holdNotGranted(): DomainError {
  return new DomainError(
    'VENUE_NOT_AUTHORIZED',
    'The venue of this hold is no longer granted to you, so you cannot extend or confirm the hold. Ask the platform operator for the grant. Your bookings there stay.',
  );
}

/** Of a hold of the caller's own; names the booking that it became. */
export function holdConsumed({ bookingId }: Pick<Reservation, 'bookingId'>, what: string): DomainError {
  return new DomainError(
    'INVALID_HOLD_STATE',
    `The hold has been confirmed into booking ${bookingId}, ${what}`,
    {
      ...(bookingId === undefined ? {} : { booking_id: bookingId }),
    },
  );
}

const EXPIRED: Record<Audience, string> = {
  partner: 'The hold expired at hold_expiry_at, so its slot is free again. Place a new hold on the slot.',
  operator: 'The hold expired at hold_expiry_at, so there is nothing to release.',
};

export function holdExpired(audience: Audience = 'partner'): DomainError {
  return new DomainError('HOLD_EXPIRED', EXPIRED[audience]);
}
