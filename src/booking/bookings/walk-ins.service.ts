import { slotNotFound, type WantedSlot } from '../../catalog/slots/slot-targets.service.ts';
import {
  checkClaim,
  findSlotsForWalkIn,
  type SlotDeps,
  type SlotForWalkIn,
} from '../../catalog/slots/slots.service.ts';
import { inVenueTransaction } from '../../catalog/venues/venue-transaction.service.ts';
import { audienceOf, DomainError } from '../../domain/errors.ts';
import { requireCustomerPhone } from '../../domain/phone.ts';
import { addYears, daysFrom, localDateOf } from '../../platform/calendar.ts';
import { newId } from '../../platform/ids.ts';
import { unlessDuplicate } from '../../platform/mongo.ts';
import type { Actor } from '../../reservations/actor-types.ts';
import { customerOf } from '../../reservations/customer.rules.ts';
import { insertBooked } from '../../reservations/insert-claim.store.ts';
import { findReservation } from '../../reservations/reservation-reads.store.ts';
import type { NewReservation, Reservation } from '../../reservations/reservations.model.ts';
import {
  findClaimsInTheWay,
  type ReservationDeps,
  scheduleJobs,
  transitionReservation,
} from '../../reservations/reservations.service.ts';
import { applyTransition } from '../../reservations/reservations.store.ts';
import type { BookingDetail } from './bookings.service.ts';

export type WalkInDeps = ReservationDeps & Pick<SlotDeps, 'clock'> & { config: { defaultRegion: string } };

export type PlaceWalkIn = WantedSlot & {
  customerName: string | null;
  customerPhone: string | null;
  overrideHolds: boolean;
  /** In the sandbox, the partner that simulates the walk-in; only its own holds are overridden. */
  simulatedBy?: string;
  actor: Actor;
};

/** How far ahead a walk-in may be: a later date is probably a mistyped year. */
const MAX_YEARS_AHEAD = 3;
/** A walk-in tries again, because conflicting holds may expire and others may be placed meanwhile. */
const MAX_TRIES = 3;

/**
 * Books the first free slot of those in `input`, for a customer at the counter, as the built-in partner `platform`. A
 * slot that has begun can still be sold. One transaction reads the blackouts and inserts the booking. With
 * `overrideHolds`, and only if no slot is free, the transaction also ends the conflicting holds (DISPLACED).
 * @throws DomainError SLOT_NOT_FOUND, VENUE_NOT_FOUND, VALIDATION_ERROR, SLOT_NOT_AVAILABLE
 */
export async function placeWalkIn(deps: WalkInDeps, input: PlaceWalkIn): Promise<BookingDetail> {
  const slots = await findSlotsForWalkIn(deps, input, input.simulatedBy);
  const rejections: string[] = [];
  for (const overrideHolds of slots.length > 1 && input.overrideHolds ? [false, true] : [input.overrideHolds]) {
    for (const slot of slots) {
      try {
        return await sellSlot(deps, slot, { ...input, overrideHolds });
      } catch (err) {
        if (slots.length === 1 || !(err instanceof DomainError) || err.code !== 'SLOT_NOT_AVAILABLE') throw err;
        rejections.push(`${slot.resource._id} (${String(err.extras.conflict?.['reason'])})`);
      }
    }
  }
  throw new DomainError(
    'SLOT_NOT_AVAILABLE',
    `No slot is free: ${rejections.slice(-slots.length).join(', ')}. Choose another time.`,
    { conflict: { reason: 'none_free', alternatives: [] } },
  );
}

async function sellSlot(
  deps: WalkInDeps,
  { rules, resource, slot, draft }: SlotForWalkIn,
  input: PlaceWalkIn,
): Promise<BookingDetail> {
  const { venue } = rules;
  if (venue.status !== 'active' || resource.status !== 'active') throw slotNotAvailable('inactive');
  const now = deps.clock.now();
  if (slot.end <= now) throw slotNotAvailable('past');
  const date = localDateOf(slot.start, venue.timeZone);
  const lastDate = addYears(localDateOf(now, venue.timeZone), MAX_YEARS_AHEAD);
  if (daysFrom(lastDate, date) > 0) {
    const remedy = `It begins on ${date}; the last date for walk-ins is ${lastDate}, at the venue.`;
    throw slotNotAvailable('beyond_horizon', remedy);
  }
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const sold = await insertWalkIn(deps, draft, input);
    if (sold !== null) {
      for (const hold of sold.displaced) scheduleJobs(deps, hold, 'displace');
      scheduleJobs(deps, sold.booking);
      return { booking: sold.booking, venue, resource };
    }
    const claims = await findClaimsInTheWay(deps, draft.cells);
    if (claims.some(({ status }) => status === 'BOOKED')) throw slotNotAvailable('booked');
    if (claims.length > 0 && !input.overrideHolds) break;
  }
  throw slotNotAvailable('held', input.overrideHolds ? NOT_OVERRIDDEN : undefined);
}

const NOT_OVERRIDDEN =
  'It now has another hold, or one that this walk-in may not end. Repeat the call, or choose another slot.';

/** Null if another claim fills one of the cells. */
async function insertWalkIn(
  deps: WalkInDeps,
  draft: NewReservation,
  { customerName: name, customerPhone: phone, overrideHolds, simulatedBy, actor }: PlaceWalkIn,
): Promise<{ booking: Reservation; displaced: Reservation[] } | null> {
  const phoneE164 = phone === null ? null : requireCustomerPhone(phone, deps.config.defaultRegion);
  const sale = {
    bookingId: newId(),
    paymentReference: null,
    customer: customerOf({ name, phone, phoneE164, email: null }),
    actor,
    ...(simulatedBy === undefined ? {} : { playedFor: simulatedBy }),
  };
  const claims = overrideHolds ? await findClaimsInTheWay(deps, draft.cells) : [];
  const holds = claims.filter(
    ({ status, partnerId }) => status === 'ACTIVE' && (simulatedBy === undefined || partnerId === simulatedBy),
  );
  const inserting = inVenueTransaction(deps.db, draft.venueId, async (tx, venue) => {
    const checked = await checkClaim(deps, venue, draft, tx);
    if (checked.unsellable === 'off schedule') throw slotNotFound(audienceOf(simulatedBy));
    if (checked.unsellable !== null) throw slotNotAvailable(checked.unsellable);
    const displaced: Reservation[] = [];
    for (const { _id } of holds) {
      const hold = await applyTransition(deps.db, 'displace', _id, { actor, isOfPlatform: true }, tx);
      if (hold !== null) displaced.push(hold);
    }
    return { booking: await insertBooked(deps.db, checked.draft, sale, tx), displaced };
  });
  return unlessDuplicate(inserting);
}

/** Cancels a walk-in that the partner simulated (sandbox). @throws DomainError SLOT_NOT_FOUND, BOOKING_NOT_FOUND */
export async function cancelSimulatedWalkIn(
  deps: WalkInDeps,
  slotId: string,
  simulatedBy: string,
  actor: Actor,
): Promise<BookingDetail> {
  for (const { rules, resource, draft } of await findSlotsForWalkIn(deps, { slotId }, simulatedBy)) {
    for (const { _id } of await findClaimsInTheWay(deps, draft.cells)) {
      const claim = await findReservation(deps.db, _id);
      if (claim?.playedFor !== simulatedBy || claim.slotId !== draft.slotId) continue;
      const booking = await transitionReservation(deps, 'cancel', _id, { actor });
      if (booking !== null) return { booking, venue: rules.venue, resource };
    }
  }
  throw new DomainError(
    'BOOKING_NOT_FOUND',
    'This slot has no walk-in to release. Call POST /api/v1/sandbox/slots/{slotId}/walk-in first.',
  );
}

const REMEDIES = {
  inactive: 'Activate the venue and the resource first.',
  past: 'Choose another slot.',
  held: 'Send override_holds: true to take it from the hold.',
  booked: 'Choose another slot.',
  blackout: 'Withdraw the blackout first, or choose another slot.',
  beyond_horizon: 'Choose an earlier slot.',
};

function slotNotAvailable(reason: keyof typeof REMEDIES, remedy = REMEDIES[reason]): DomainError {
  return new DomainError('SLOT_NOT_AVAILABLE', `The slot cannot be sold (${reason}). ${remedy}`, {
    conflict: { reason, alternatives: [] },
  });
}
