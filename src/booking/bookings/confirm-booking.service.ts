import { DomainError } from '../../domain/errors.ts';
import { requireCustomerPhone } from '../../domain/phone.ts';
import { findCachedGrant } from '../../partners/partners.store.ts';
import { newId } from '../../platform/ids.ts';
import { inTransaction, unlessDuplicate } from '../../platform/mongo.ts';
import { counter } from '../../platform/process-metrics.ts';
import { deduplicatedCalls } from '../../platform/single-flight.ts';
import { type PartnerActor, withoutCause } from '../../reservations/actor-types.ts';
import { customerOf } from '../../reservations/customer.rules.ts';
import {
  findReservation,
  findReservationAndGrant,
  findReservationByKey,
} from '../../reservations/reservation-reads.store.ts';
import { attachedBy } from '../../reservations/reservation-views.rules.ts';
import type { Attached, Reservation } from '../../reservations/reservations.model.ts';
import {
  expireHolds,
  type ReservationDeps,
  scheduleJobs,
  transitionReservation,
} from '../../reservations/reservations.service.ts';
import { applyTransition, type Change } from '../../reservations/reservations.store.ts';
import { holdConsumed, holdExpired, holdNotFound, holdNotGranted } from '../holds/holds.rules.ts';
import { consumeCredit } from '../packages/packages.service.ts';

export type ConfirmDeps = ReservationDeps & { config: { defaultRegion: string } };

export type ConfirmBooking = Attached & {
  holdId: string;
  paymentReference: string;
  customerName: string;
  customerPhone: string;
  customerEmail?: string;
  /** 'required': do not confirm without a credit. */
  usePackageCredit: boolean | 'required';
  idempotencyKey: string;
};

type Confirmed = { booking: Reservation; isReplay: boolean };

const deduplicate = deduplicatedCalls<Confirmed>();

/**
 * Turns the partner's ACTIVE hold into a booking, in one update that checks the expiry by the database's clock. The
 * same key and hold always return the original booking. Of concurrent calls, one makes the booking.
 * @throws DomainError HOLD_NOT_FOUND, VENUE_NOT_AUTHORIZED if the grant for its venue has ended, HOLD_EXPIRED,
 *   INVALID_HOLD_STATE, NO_PACKAGE_CREDIT, DOUBLE_BOOKING_ATTEMPT, IDEMPOTENCY_KEY_MISMATCH, VALIDATION_ERROR for an
 *   invalid phone number
 */
export async function confirmBooking(
  deps: ConfirmDeps,
  actor: PartnerActor,
  input: ConfirmBooking,
): Promise<Confirmed> {
  const phoneE164 = requireCustomerPhone(input.customerPhone, deps.config.defaultRegion);
  return deduplicate(deps.db, [withoutCause(actor), input], async () => {
    const { partnerId } = actor;
    const hold = await findReservation(deps.db, input.holdId);
    if (hold === null || hold.partnerId !== partnerId) throw holdNotFound();
    // Revoking a grant releases its holds; reject a hold that an interrupted revoke left ACTIVE.
    const isRevoked = hold.status === 'ACTIVE' && (await findCachedGrant(deps.db, partnerId, hold.venueId)) === null;
    const outcome = isRevoked ? null : await tryConfirm(deps, actor, hold, input, phoneE164);
    if (outcome !== null && outcome !== 'no credit') {
      bookingsConfirmed(deps.db).inc();
      return { booking: outcome, isReplay: false };
    }
    const reservationOfKey = await findReservationByKey(deps.db, partnerId, 'confirmKey', input.idempotencyKey);
    if (reservationOfKey?._id === input.holdId) return { booking: reservationOfKey, isReplay: true };
    if (reservationOfKey !== null)
      throw new DomainError(
        'IDEMPOTENCY_KEY_MISMATCH',
        'This idempotency_key has already confirmed another hold. Use a new key for each hold.',
      );
    throw isRevoked ? holdNotGranted() : await whyNotConfirmed(deps, input.holdId, outcome === 'no credit');
  });
}

const bookingsConfirmed = counter({
  name: 'bookings_confirmed_total',
  help: 'Confirmed holds, without replays.',
});

/**
 * Null if the hold cannot be confirmed now, or the key belongs to another hold; 'no credit' if a credit is required and
 * there is none.
 */
async function tryConfirm(
  deps: ConfirmDeps,
  actor: PartnerActor,
  hold: Reservation,
  input: ConfirmBooking,
  phoneE164: string,
): Promise<Reservation | null | 'no credit'> {
  const { customerName: name, customerPhone: phone, customerEmail: email = null } = input;
  const change = {
    actor,
    set: {
      bookingId: newId(),
      confirmKey: input.idempotencyKey,
      paymentReference: input.paymentReference,
      customer: customerOf({ name, phone, phoneE164, email }),
      packageCreditRequested: input.usePackageCredit !== false,
    },
    attached: attachedBy(input),
  };
  if (input.usePackageCredit !== false) {
    const outcome = await unlessDuplicate(confirmWithCredit(deps, hold, phoneE164, change));
    if (outcome !== 'no credit' || input.usePackageCredit === 'required') return outcome;
  }
  return unlessDuplicate(transitionReservation(deps, 'confirm', hold._id, change));
}

/** Confirms the hold and takes one credit, both or neither. Null if the hold cannot be confirmed. */
async function confirmWithCredit(
  deps: ConfirmDeps,
  hold: Reservation,
  phoneE164: string,
  change: Change,
): Promise<Reservation | null | 'no credit'> {
  const outcome = await inTransaction(deps.db, async (tx) => {
    const packagePurchaseId = await consumeCredit(deps.db, hold.partnerId, phoneE164, hold.venueId, tx);
    if (packagePurchaseId === null) return 'no credit';
    const withCredit = { ...change, set: { ...change.set, packagePurchaseId } };
    const booking = await applyTransition(deps.db, 'confirm', hold._id, withCredit, tx);
    // Aborts the transaction, so the credit is not taken.
    if (booking === null) throw new NotConfirmable();
    return booking;
  }).catch((err: unknown) => {
    if (err instanceof NotConfirmable) return null;
    throw err;
  });
  if (outcome !== null && outcome !== 'no credit') scheduleJobs(deps, outcome, 'confirm');
  return outcome;
}

class NotConfirmable extends Error {}

async function whyNotConfirmed(deps: ConfirmDeps, holdId: string, lacksCredit: boolean): Promise<DomainError> {
  const found = await findReservationAndGrant(deps.db, holdId);
  if (found === null) return holdNotFound();
  const { reservation, isGranted } = found;
  // A booking still belongs to its partner after the grant ends.
  if (!isGranted && reservation.bookingId === undefined) return holdNotGranted();
  if (lacksCredit && reservation.status === 'ACTIVE')
    return new DomainError(
      'NO_PACKAGE_CREDIT',
      'The customer has no package credit at this venue, so the hold was not confirmed and stays ACTIVE. Confirm it without "required", or sell a package first.',
    );
  switch (reservation.status) {
    case 'ACTIVE':
    case 'EXPIRED':
      await expireHolds(deps, [holdId]);
      return holdExpired();
    case 'DISPLACED':
      return new DomainError(
        'DOUBLE_BOOKING_ATTEMPT',
        'The venue sold the slot to another channel before the hold was confirmed. Place a hold on another slot.',
      );
    case 'RELEASED':
      return new DomainError('INVALID_HOLD_STATE', 'The hold has been released. Place a new hold on the slot.');
    case 'BOOKED':
    case 'CANCELLED':
    case 'REFUNDED':
      return holdConsumed(
        reservation,
        'with another idempotency_key. Read that booking, or send the first key to get the original response.',
      );
  }
}
