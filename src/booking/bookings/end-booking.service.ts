import { DomainError } from '../../domain/errors.ts';
import { inTransaction, unlessDuplicate } from '../../platform/mongo.ts';
import { deduplicatedCalls } from '../../platform/single-flight.ts';
import { type OperatorActor, type PartnerActor, withoutCause } from '../../reservations/actor-types.ts';
import {
  findReservationAfterConflict,
  findReservationByBookingId,
  findReservationByKey,
} from '../../reservations/reservation-reads.store.ts';
import type { Reservation } from '../../reservations/reservations.model.ts';
import { type ReservationDeps, scheduleJobs, transitionReservation } from '../../reservations/reservations.service.ts';
import { applyTransition, type Change } from '../../reservations/reservations.store.ts';
import { giveCreditBack } from '../packages/packages.service.ts';
import { bookingNotFound } from './bookings.service.ts';

export type EndOperation = 'cancel' | 'refund';
type EndBooking = { bookingId: string; reason: string; idempotencyKey: string };

export const ENDED_STATUS = { cancel: 'CANCELLED', refund: 'REFUNDED' } as const;

type Caller = PartnerActor | OperatorActor;

const deduplicate = deduplicatedCalls<{ isReplay: boolean }>();

/**
 * Cancels or refunds a booking and frees its slot if it was still booked; no money is moved. A repeated call with the
 * same key succeeds and changes nothing; concurrent equal calls are deduplicated. A partner ends its own bookings. An
 * operator ends any booking or walk-in, as the built-in partner `platform`. The idempotency keys of operators are one
 * namespace, separate from those of partners.
 * @throws DomainError BOOKING_NOT_FOUND, UNAUTHORIZED for another partner's booking, IDEMPOTENCY_KEY_MISMATCH for a key
 *   used for another booking or the other operation, INVALID_HOLD_STATE
 */
export async function endBooking(
  deps: ReservationDeps,
  caller: Caller,
  operation: EndOperation,
  input: EndBooking,
): Promise<{ isReplay: boolean }> {
  return deduplicate(deps.db, [withoutCause(caller), operation, input], async () => {
    const booking = await requireBooking(deps, caller, operation, input.bookingId);
    if (await tryEnd(deps, caller, booking, operation, input)) return { isReplay: false };
    if (await isReplayOf(deps, caller, operation, input)) return { isReplay: true };
    throw new DomainError('INVALID_HOLD_STATE', await rejectionMessage(deps, operation, input.bookingId));
  });
}

async function requireBooking(deps: ReservationDeps, caller: Caller, operation: EndOperation, bookingId: string) {
  const reservation = await findReservationByBookingId(deps.db, bookingId);
  if (reservation === null) throw bookingNotFound(caller.kind === 'operator' ? 'operator' : 'partner');
  if (caller.kind === 'operator' || reservation.partnerId === caller.partnerId) return reservation;
  throw new DomainError(
    'UNAUTHORIZED',
    `The booking belongs to another partner; only the partner that made it can ${operation} it.`,
  );
}

/**
 * Whether an earlier call with this key ended this booking by this operation.
 * @throws DomainError IDEMPOTENCY_KEY_MISMATCH for a key used otherwise
 */
async function isReplayOf(
  deps: ReservationDeps,
  caller: Caller,
  operation: EndOperation,
  { bookingId, idempotencyKey }: EndBooking,
): Promise<boolean> {
  const field = namespaceOf(caller);
  const partnerId = caller.kind === 'operator' ? null : caller.partnerId;
  const reservationOfKey = await findReservationByKey(deps.db, partnerId, `${field}.key`, idempotencyKey);
  if (reservationOfKey === null) return false;
  const ending = reservationOfKey[field]?.find(({ key }) => key === idempotencyKey);
  if (reservationOfKey.bookingId === bookingId && ending?.operation === operation) return true;
  throw new DomainError(
    'IDEMPOTENCY_KEY_MISMATCH',
    'This idempotency_key was used for another booking or for the other operation (cancel or refund). Use a new key.',
  );
}

function namespaceOf(caller: Caller): 'endings' | 'operatorEndings' {
  return caller.kind === 'operator' ? 'operatorEndings' : 'endings';
}

/** False if the booking's state does not allow the operation, or the key has been used before. */
async function tryEnd(
  deps: ReservationDeps,
  caller: Caller,
  { _id: reservationId, packagePurchaseId }: Reservation,
  operation: EndOperation,
  { reason, idempotencyKey }: EndBooking,
): Promise<boolean> {
  const change: Change = {
    actor: caller,
    isOfPlatform: caller.kind === 'operator',
    reason,
    set: operation === 'cancel' ? { cancellationReason: reason } : { refundReason: reason },
    ending: { namespace: namespaceOf(caller), key: idempotencyKey, operation },
  };
  const writing =
    operation === 'refund' && packagePurchaseId !== undefined
      ? refundWithCredit(deps, reservationId, packagePurchaseId, change)
      : transitionReservation(deps, operation, reservationId, change);
  return (await unlessDuplicate<unknown>(writing)) !== null;
}

/** Refunds and gives the consumed credit back, both or neither. */
async function refundWithCredit(
  deps: ReservationDeps,
  reservationId: string,
  packagePurchaseId: string,
  change: Change,
): Promise<Reservation | null> {
  const refunded = await inTransaction(deps.db, async (tx) => {
    const reservation = await applyTransition(deps.db, 'refund', reservationId, change, tx);
    if (reservation !== null) await giveCreditBack(deps.db, packagePurchaseId, tx);
    return reservation;
  });
  if (refunded !== null) scheduleJobs(deps, refunded, 'refund');
  return refunded;
}

async function rejectionMessage(deps: ReservationDeps, operation: EndOperation, bookingId: string): Promise<string> {
  const status = (await findReservationAfterConflict(deps.db, { bookingId }))?.status ?? 'unknown';
  const remedy =
    operation === 'cancel' && status === 'CANCELLED'
      ? 'Repeat the original call with its idempotency_key to get its response, or refund the booking.'
      : 'Repeat the original call with its idempotency_key to get its response.';
  return `The booking is ${status}, so it cannot be ${operation === 'cancel' ? 'cancelled' : 'refunded'} by this call. ${remedy}`;
}
