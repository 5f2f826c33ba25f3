import {
  freeSlotView,
  type ListedSlot,
  lastDateOnSale,
  type UnavailableReason,
} from '../../catalog/slots/slot.rules.ts';
import type { SlotTarget } from '../../catalog/slots/slot-targets.service.ts';
import { type Audience, DomainError } from '../../domain/errors.ts';
import { toRupees } from '../../domain/money.ts';
import { omitUndefined } from '../../platform/objects.ts';
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
  // Omit the booking: it was made later.
  const { booking_id: _, ...placed } = holdView(hold);
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

/** `consequence` completes the message after the id of the booking. */
export function holdConsumed({ bookingId }: Pick<Reservation, 'bookingId'>, consequence: string): DomainError {
  return new DomainError(
    'INVALID_HOLD_STATE',
    `The hold has been confirmed into booking ${bookingId}, ${consequence}`,
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

export function holdLimitReached(maxActiveHolds: number): DomainError {
  return new DomainError(
    'HOLD_LIMIT_REACHED',
    `You have ${maxActiveHolds} ACTIVE holds, which is the maximum. Confirm or cancel some first.`,
  );
}

/** `freeAt`: when the conflicting hold expires. `holdId`: the conflicting hold, if the caller owns it. */
export type Conflict = { reason: UnavailableReason; freeAt?: Date; holdId?: string };

/** A slot that the call could not hold; `conflict` is null if the schedule has no such slot. */
export type RejectedSlot = { slot: SlotTarget; conflict: Conflict | null };

/** `horizonDays`: for how many days from today the venue sells slots. */
type Horizon = { now: Date; horizonDays: number; timeZone: string };

export function slotNotAvailable(
  { reason, freeAt, holdId }: Conflict,
  alternatives: readonly ListedSlot[],
  horizon: Horizon,
): DomainError {
  return new DomainError('SLOT_NOT_AVAILABLE', slotMessage(reason, holdId, horizon), {
    conflict: {
      reason,
      ...omitUndefined({ free_at: freeAt?.toISOString(), hold_id: holdId }),
      alternatives: alternatives.map(freeSlotView),
    },
  });
}

function slotMessage(
  reason: UnavailableReason,
  holdId: string | undefined,
  { now, horizonDays, timeZone }: Horizon,
): string {
  if (holdId !== undefined)
    return 'You already hold the slot (conflict.hold_id). Confirm or extend that hold, or cancel it to place another.';
  if (reason === 'beyond_horizon')
    return `The slot cannot be held yet (beyond_horizon): the last date on sale at the venue is ${lastDateOnSale(now, horizonDays, timeZone)}, ${horizonDays} days from today. Wait, or take one of conflict.alternatives.`;
  return `The slot cannot be held (${reason}). Read availability again, or take one of conflict.alternatives.`;
}

/** @param rejected the slots in the caller's order of preference */
export function noneFree(rejected: readonly RejectedSlot[], alternatives: readonly ListedSlot[]): DomainError {
  return new DomainError(
    'SLOT_NOT_AVAILABLE',
    'None of the slots is free; conflict.resources says why. Take one of conflict.alternatives, or another time.',
    {
      conflict: {
        reason: 'none_free',
        resources: rejected.map(({ slot: { resource, slotId }, conflict }) => ({
          resource_id: resource._id,
          slot_id: conflict === null ? null : slotId,
          reason: conflict?.reason ?? 'no_slot',
          ...omitUndefined({ free_at: conflict?.freeAt?.toISOString() }),
        })),
        alternatives: alternatives.map(freeSlotView),
      },
    },
  );
}

/** The slot is free, but not at the price that the caller has seen. */
export function priceChanged(slot: { slotId: string; pricePaise: number }, expectedPaise: number): DomainError {
  const [price, expected] = [toRupees(slot.pricePaise), toRupees(expectedPaise)];
  return new DomainError(
    'PRICE_CHANGED',
    `The slot costs ${price} rupees, not ${expected}, so nothing is held. Ask the customer, then send expected_price_rupees: ${price}.`,
    {
      conflict: {
        reason: 'price_changed',
        price_rupees: price,
        expected_price_rupees: expected,
        slot_id: slot.slotId,
        alternatives: [],
      },
    },
  );
}
