import { audienceOf, DomainError } from '../../domain/errors.ts';
import type { Db } from '../../platform/mongo.ts';
import type { OperatorActor, PartnerActor } from '../../reservations/actor-types.ts';
import { extendHold, makeOverdue } from '../../reservations/hold-expiry.store.ts';
import {
  findReservation,
  findReservationAfterConflict,
  findReservationAndGrant,
} from '../../reservations/reservation-reads.store.ts';
import type { Reservation } from '../../reservations/reservations.model.ts';
import { holdStatusOf } from '../../reservations/reservations.rules.ts';
import { expireHolds, type ReservationDeps, transitionReservation } from '../../reservations/reservations.service.ts';
import { holdConsumed, holdExpired, holdNotFound, holdNotGranted } from './holds.rules.ts';
import { expiryOf, type HoldDeps } from './place-hold.service.ts';

export { listHoldRows } from '../../reservations/hold-reads.store.ts';

/**
 * A hold of the partner, or of any partner if `partnerId` is absent (operators). `afterConflict`: reads the state that
 * made the caller's update fail. @throws DomainError HOLD_NOT_FOUND also for another partner's hold
 */
export async function getHold(
  deps: { db: Db },
  partnerId: string | undefined,
  holdId: string,
  afterConflict = false,
): Promise<Reservation> {
  const hold = await (afterConflict
    ? findReservationAfterConflict(deps.db, { _id: holdId })
    : findReservation(deps.db, holdId));
  if (hold === null || (partnerId !== undefined && hold.partnerId !== partnerId)) {
    throw holdNotFound(audienceOf(partnerId));
  }
  return hold;
}

/**
 * Releases an ACTIVE hold and frees its slot; repeating the call changes nothing. A partner releases its own holds. An
 * operator releases any hold, as the built-in partner `platform`.
 * @throws DomainError HOLD_NOT_FOUND, HOLD_EXPIRED, INVALID_HOLD_STATE for a confirmed hold
 */
export async function releaseHold(
  deps: ReservationDeps,
  caller: PartnerActor | OperatorActor,
  holdId: string,
  reason: string | undefined,
): Promise<Reservation> {
  const isOperator = caller.kind === 'operator';
  const partnerId = isOperator ? undefined : caller.partnerId;
  await getHold(deps, partnerId, holdId);
  const released = await transitionReservation(deps, 'release', holdId, {
    actor: caller,
    isOfPlatform: isOperator,
    ...(reason === undefined ? {} : { reason, set: { releaseReason: reason } }),
  });
  if (released !== null) return released;
  const hold = await getHold(deps, partnerId, holdId, true);
  switch (holdStatusOf(hold.status)) {
    case 'RELEASED':
      return hold;
    case 'CONSUMED':
      throw holdConsumed(hold, 'and cannot be released. Cancel the booking instead.');
    case 'EXPIRED':
    case 'ACTIVE':
      await expireHolds(deps, [holdId]);
      throw holdExpired(audienceOf(partnerId));
  }
}

export const MAX_LIFE_SECONDS = 7200;

/**
 * Extends an ACTIVE hold to `ttlSeconds` from now, at most to the end of its slot; never shortens it.
 * @throws DomainError HOLD_NOT_FOUND, VENUE_NOT_AUTHORIZED if the grant for its venue has ended, HOLD_EXPIRED,
 *   INVALID_HOLD_STATE; HOLD_LIMIT_REACHED if the hold would last more than two hours in all.
 */
export async function extendHoldBy(
  deps: HoldDeps,
  partnerId: string,
  holdId: string,
  ttlSeconds: number,
): Promise<Reservation> {
  const found = await findReservationAndGrant(deps.db, holdId);
  if (found === null || found.reservation.partnerId !== partnerId) throw holdNotFound();
  if (!found.isGranted) throw holdNotGranted();
  const extended = await extendHold(deps.db, holdId, ttlSeconds * 1000, MAX_LIFE_SECONDS * 1000);
  if (extended !== null) {
    if (extended.holdExpiresAt > found.reservation.holdExpiresAt) {
      void deps.queues.scheduleHoldExpiry(expiryOf(extended), deps.clock.now());
      void deps.queues.removeHoldExpiry(expiryOf(found.reservation));
    }
    return extended;
  }
  const hold = await getHold(deps, partnerId, holdId, true);
  const { status } = hold;
  if (status === 'ACTIVE') {
    throw new DomainError(
      'HOLD_LIMIT_REACHED',
      `A hold ends at most ${MAX_LIFE_SECONDS} s after it was placed. Send a smaller ttl_seconds, or confirm the hold.`,
    );
  }
  if (status === 'EXPIRED') throw holdExpired();
  if (hold.bookingId !== undefined) throw holdConsumed(hold, 'so it needs no extension.');
  throw new DomainError('INVALID_HOLD_STATE', 'The hold is no longer ACTIVE, so it cannot be extended.');
}

/**
 * Sets an ACTIVE hold's expiry to now and expires the hold, as a worker would (contract: sandbox/expire-hold).
 * @throws DomainError HOLD_NOT_FOUND, HOLD_EXPIRED, INVALID_HOLD_STATE
 */
export async function expireHoldNow(deps: HoldDeps, partnerId: string, holdId: string): Promise<Reservation> {
  const hold = await getHold(deps, partnerId, holdId);
  if (await makeOverdue(deps.db, holdId)) {
    void deps.queues.removeHoldExpiry(expiryOf(hold));
    await expireHolds(deps, [holdId]);
    return getHold(deps, partnerId, holdId);
  }
  const { status } = await getHold(deps, partnerId, holdId, true);
  if (status === 'EXPIRED') throw holdExpired();
  throw new DomainError('INVALID_HOLD_STATE', 'The hold is no longer ACTIVE, so it cannot expire.');
}
