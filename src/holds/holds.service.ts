import { findAlternatives } from '../availability/alternatives.service.ts';
import type { UnavailableReason } from '../availability/availability.service.ts';
import {
  lastDateOnSale,
  reasonOf,
  sellableWindow,
  unsellableReason,
} from '../availability/availability.service.ts';
import { findBlackoutsAt } from '../blackouts/blackouts.service.ts';
import type { Audience } from '../domain/errors.ts';
import { audienceOf, DomainError } from '../domain/errors.ts';
import { PLATFORM_PARTNER_ID } from '../domain/platform-partner.ts';
import type { PartnerCaller } from '../partners/partners.service.ts';
import { venueNotAuthorized } from '../partners/partners.service.ts';
import type { Clock } from '../platform/clock.ts';
import type { Db } from '../platform/mongo.ts';
import type { Page, Position } from '../platform/pagination.ts';
import { sharedRuns } from '../platform/shared-runs.ts';
import type { Queues } from '../queues/queues.ts';
import { actorOf, OPERATOR, SERVICE } from '../reservations/actor-types.ts';
import { claimSlot } from '../reservations/claim-slot.service.ts';
import { listHoldRows } from '../reservations/hold-list.store.ts';
import type { Claimant } from '../reservations/reservation-reads.store.ts';
import {
  findReservation,
  findReservationAndGrant,
  findReservationByKey,
} from '../reservations/reservation-reads.store.ts';
import type { Reservation } from '../reservations/reservations.model.ts';
import type { HoldStatus } from '../reservations/reservations.rules.ts';
import { holdStatusOf } from '../reservations/reservations.rules.ts';
import type { ReservationDeps } from '../reservations/reservations.service.ts';
import { enqueueDispatch, moveReservation, settleLapsedHold } from '../reservations/reservations.service.ts';
import { extendHold, forgetHoldKey, insertHold, lapseNow } from '../reservations/reservations.store.ts';
import { reasonLostMeanwhile } from '../slots/revalidate-claim.service.ts';
import { slotView } from '../slots/slot-view.rules.ts';
import type { SlotReference, SlotTarget } from '../slots/slots.service.ts';
import {
  draftReservation,
  requireScheduledSlot,
  resolveSlotTarget,
  slotNotFound,
} from '../slots/slots.service.ts';
import { insertWithinLimit } from './hold-limit.service.ts';

export type HoldDeps = {
  db: Db;
  clock: Clock;
  queues: Pick<Queues, 'enqueueDispatch' | 'scheduleHoldExpiry'>;
  config: { holdTtlSeconds: number; maxActiveHolds: number; bookingHorizonDays: number };
};

export type PlaceHold = SlotReference & { ttlSeconds?: number; idempotencyKey?: string };

/** Why a slot is lost; `freeAt` where a hold is in the way that would lapse, `holdId` where it is the caller's own. */
type Conflict = { reason: UnavailableReason; freeAt?: Date; holdId?: string };

type Placed = { hold: Reservation; isReplay: boolean };

const shareRun = sharedRuns<Placed>();

/**
 * Reserves a slot for the partner until `hold_expiry_at`. Of any number of racing calls for overlapping slots exactly
 * one succeeds, by the guard index; of any number for different slots no more than the partner may hold, by the index on
 * ordinals. With an idempotency key a repeated call returns the first one's hold, and equal calls at once share
 * a run.
 * @throws DomainError VENUE_NOT_AUTHORIZED, RESOURCE_NOT_FOUND, SLOT_NOT_FOUND, VALIDATION_ERROR, SLOT_NOT_AVAILABLE (with
 * `conflict`), HOLD_LIMIT_REACHED, IDEMPOTENCY_KEY_MISMATCH
 */
export async function placeHold(deps: HoldDeps, caller: PartnerCaller, input: PlaceHold): Promise<Placed> {
  const place = () => placeOnce(deps, caller, input);
  return input.idempotencyKey === undefined ? place() : shareRun(deps.db, [caller, input], place);
}

async function placeOnce(deps: HoldDeps, caller: PartnerCaller, input: PlaceHold): Promise<Placed> {
  const { partnerId } = caller;
  const target = await resolveSlotTarget(deps, partnerId, input);
  const replayed = await findReplay(deps, partnerId, target, input.idempotencyKey, false);
  if (replayed !== null) return { hold: replayed, isReplay: true };

  // What an earlier call with the key was told may be too young for the first look, which takes what a majority has.
  const orReplay = async (refusal: () => Promise<DomainError>) => {
    const twin = await findReplay(deps, partnerId, target, input.idempotencyKey, true);
    if (twin === null) throw await refusal();
    return { hold: twin, isReplay: true };
  };
  const slot = requireScheduledSlot(target);
  const { venue, resource } = target;
  const blackouts = await findBlackoutsAt(deps, venue._id, slot.start, slot.end);
  const unsellable = unsellableReason(venue, resource, slot, sellableWindow(deps, venue), blackouts);
  if (unsellable !== null) return orReplay(() => slotNotAvailable(deps, target, { reason: unsellable }));

  const draft = draftReservation(partnerId, target, slot);
  const ttlMs = (input.ttlSeconds ?? deps.config.holdTtlSeconds) * 1000;
  const options = { ttlMs, holdKey: input.idempotencyKey, actor: actorOf(caller) };
  const outcome = await claimSlot(deps, draft.cells, () =>
    insertWithinLimit(deps, partnerId, (holdOrdinal) =>
      insertHold(deps.db, draft, { ...options, holdOrdinal }),
    ),
  );
  const written = 'won' in outcome ? outcome.won : null;
  if (written === null) {
    return orReplay(async () =>
      'lostTo' in outcome
        ? slotNotAvailable(deps, target, conflictWith(outcome.lostTo, partnerId))
        : holdLimitReached(deps),
    );
  }
  const { reservation } = written;
  const reason = await giveUpIfLost(deps, reservation);
  if (reason === 'not_granted') throw input.venueId === undefined ? slotNotFound() : venueNotAuthorized();
  if (reason !== null) throw await slotNotAvailable(deps, target, { reason });
  enqueueDispatch(deps, written);
  scheduleExpiry(deps, reservation);
  return { hold: reservation, isReplay: false };
}

/**
 * Releases a hold that must not stand after all, unless somebody else has ended it first, and returns why; its key may be sent
 * again either way. Null where it stands.
 */
async function giveUpIfLost(
  deps: HoldDeps,
  hold: Reservation,
): Promise<'not_granted' | 'blackout' | 'held' | null> {
  const reason = await reasonLostMeanwhile(deps, hold);
  if (reason === null) return null;
  const released = await moveReservation(deps, 'release', hold._id, { actor: SERVICE, forgetHoldKey: true });
  // Else the key that is rejected now would return, as ACTIVE, a hold that somebody else ended.
  if (released === null) await forgetHoldKey(deps.db, hold._id);
  return reason;
}

/** The hold that this key placed before, if it stands. @throws DomainError IDEMPOTENCY_KEY_MISMATCH where that was for another slot. */
async function findReplay(
  deps: HoldDeps,
  partnerId: string,
  target: SlotTarget,
  key: string | undefined,
  afterConflict: boolean,
): Promise<Reservation | null> {
  if (key === undefined) return null;
  const earlier = await findReservationByKey(deps.db, partnerId, 'holdKey', key, afterConflict);
  if (earlier === null) return null;
  if (earlier.slotId !== target.slotId) {
    throw new DomainError(
      'IDEMPOTENCY_KEY_MISMATCH',
      'This idempotency_key has already placed a hold on another slot. Use a new key for each hold.',
    );
  }
  const isLost = earlier.status === 'ACTIVE' && (await giveUpIfLost(deps, earlier)) !== null;
  return isLost ? null : earlier;
}

function holdLimitReached({ config }: HoldDeps): DomainError {
  return new DomainError(
    'HOLD_LIMIT_REACHED',
    `You have ${config.maxActiveHolds} ACTIVE holds, the most that a partner may have. Confirm or cancel some first.`,
  );
}

/** A blocking hold tells when it would lapse; with several in the way, the last of them. Where all are the caller's own it is named. */
function conflictWith(claims: readonly Claimant[], partnerId: string): Conflict {
  if (claims.some((claim) => reasonOf(claim.status) === 'booked')) return { reason: 'booked' };
  const last = claims.toSorted((a, b) => b.holdExpiresAt.getTime() - a.holdExpiresAt.getTime())[0];
  if (last === undefined) return { reason: 'held' };
  const isOwn = claims.every((claim) => claim.partnerId === partnerId);
  return { reason: 'held', freeAt: last.holdExpiresAt, ...(isOwn ? { holdId: last._id } : {}) };
}

async function slotNotAvailable(
  deps: HoldDeps,
  target: SlotTarget,
  conflict: Conflict,
): Promise<DomainError> {
  const alternatives = await findAlternatives(deps, target.venue, target.resource, target.start);
  return new DomainError('SLOT_NOT_AVAILABLE', whyNotAvailable(deps, target, conflict), {
    conflict: {
      reason: conflict.reason,
      ...(conflict.freeAt === undefined ? {} : { free_at: conflict.freeAt.toISOString() }),
      ...(conflict.holdId === undefined ? {} : { hold_id: conflict.holdId }),
      alternatives: alternatives.map(slotView),
    },
  });
}

function whyNotAvailable(deps: HoldDeps, { venue }: SlotTarget, { reason, holdId }: Conflict): string {
  if (holdId !== undefined) {
    return 'You hold the slot already (conflict.hold_id). Confirm or extend that hold, or cancel it to place another.';
  }
  if (reason === 'beyond_horizon') {
    const { bookingHorizonDays: days } = deps.config;
    return `The slot cannot be held yet (beyond_horizon): slots are sold that start until ${lastDateOnSale(deps, venue)} (${days} days from today, by the date at the venue). Wait, or take one of conflict.alternatives.`;
  }
  return `The slot cannot be held (${reason}). Read availability again, or take one of conflict.alternatives.`;
}

/**
 * A hold of the partner; of any partner for an operator, who names none. `afterConflict`: as the change left it to which the caller
 * has just lost.
 * @throws DomainError HOLD_NOT_FOUND for a hold that is missing or another partner's.
 */
export async function getHold(
  deps: { db: Db },
  partnerId: string | undefined,
  holdId: string,
  afterConflict = false,
): Promise<Reservation> {
  const hold = await findReservation(deps.db, holdId, afterConflict);
  if (hold === null || (partnerId !== undefined && hold.partnerId !== partnerId)) {
    throw holdNotFound(audienceOf(partnerId));
  }
  return hold;
}

/** The partner's holds, newest first. */
export async function listHolds(
  deps: { db: Db },
  partnerId: string,
  query: { status?: HoldStatus; after?: Position; limit: number },
): Promise<Page<Reservation>> {
  return listHoldRows(deps.db, partnerId, query.status, query.after, query.limit);
}

/**
 * Releases an ACTIVE hold and frees its slot; releasing it again changes nothing and succeeds. A partner releases
 * its own; an operator any, in the name of the built-in partner `platform`.
 * @throws DomainError HOLD_NOT_FOUND, HOLD_EXPIRED, INVALID_HOLD_STATE for a hold that was confirmed.
 */
export async function releaseHold(
  deps: ReservationDeps,
  caller: PartnerCaller | 'operator',
  holdId: string,
  reason: string | undefined,
): Promise<Reservation> {
  const isOperator = caller === 'operator';
  const partnerId = isOperator ? undefined : caller.partnerId;
  await getHold(deps, partnerId, holdId);
  const released = await moveReservation(deps, 'release', holdId, {
    ...(isOperator ? { actor: OPERATOR, originatorId: PLATFORM_PARTNER_ID } : { actor: actorOf(caller) }),
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
      await settleLapsedHold(deps, holdId);
      throw holdExpired(audienceOf(partnerId));
  }
}

/** No hold lives longer than this after it was placed. */
export const MAX_LIFE_SECONDS = 7200;

/**
 * Extends an ACTIVE hold to `ttlSeconds` from now; an end that is earlier than its own leaves it as it is.
 * @throws DomainError HOLD_NOT_FOUND, VENUE_NOT_AUTHORIZED where the grant for its venue has ended, HOLD_EXPIRED,
 * INVALID_HOLD_STATE; HOLD_LIMIT_REACHED for an end later than two hours after it was placed.
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
    scheduleExpiry(deps, extended);
    return extended;
  }
  const hold = await getHold(deps, partnerId, holdId, true);
  const { status } = hold;
  if (status === 'ACTIVE') {
    throw new DomainError(
      'HOLD_LIMIT_REACHED',
      `A hold ends at most ${MAX_LIFE_SECONDS} s after it was placed. Ask for less, or confirm it.`,
    );
  }
  if (status === 'EXPIRED') throw holdExpired();
  if (hold.bookingId !== undefined) throw holdConsumed(hold, 'so it needs no extension.');
  throw new DomainError('INVALID_HOLD_STATE', 'The hold is not ACTIVE any more, so it cannot be extended.');
}

function scheduleExpiry(deps: HoldDeps, { _id: holdId, holdExpiresAt: expiresAt }: Reservation): void {
  void deps.queues.scheduleHoldExpiry({ holdId, expiresAt }, deps.clock.now());
}

/**
 * Brings an ACTIVE hold's expiry forward to now and settles it, as its worker would (contract: sandbox/expire-hold).
 * @throws DomainError HOLD_NOT_FOUND, HOLD_EXPIRED, INVALID_HOLD_STATE
 */
export async function expireHoldNow(deps: HoldDeps, partnerId: string, holdId: string): Promise<Reservation> {
  await getHold(deps, partnerId, holdId);
  if (await lapseNow(deps.db, holdId)) {
    await settleLapsedHold(deps, holdId);
    return getHold(deps, partnerId, holdId);
  }
  const { status } = await getHold(deps, partnerId, holdId, true);
  if (status === 'EXPIRED') throw holdExpired();
  throw new DomainError('INVALID_HOLD_STATE', 'The hold is not ACTIVE any more, so it cannot expire.');
}

const NOT_FOUND: Record<Audience, string> = {
  partner: 'You have no hold with that id. Use hold_id as returned when it was placed.',
  operator: 'There is no hold with that id.',
};

export function holdNotFound(audience: Audience = 'partner'): DomainError {
  return new DomainError('HOLD_NOT_FOUND', NOT_FOUND[audience]);
}

/** Of a hold of the caller's own, at a venue whose grant has ended: it is read and released as ever, and sold no more. */
export function holdNotGranted(): DomainError {
  return new DomainError(
    'VENUE_NOT_AUTHORIZED',
    'The venue of this hold is not granted to you any more, so the hold can be neither extended nor confirmed. Ask the platform operator for the grant; what you have booked there stays yours.',
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
  partner: 'The hold has reached hold_expiry_at, so its slot is free again. Place a new hold to try again.',
  operator: 'The hold has reached hold_expiry_at, so its slot is free already: there is nothing to release.',
};

export function holdExpired(audience: Audience = 'partner'): DomainError {
  return new DomainError('HOLD_EXPIRED', EXPIRED[audience]);
}
