import { DomainError } from '../domain/errors.ts';
import { requireKeyInForce } from '../partners/authentication.service.ts';
import type { PartnerCaller } from '../partners/partners.service.ts';
import { onePer } from '../platform/coalesced.ts';
import { leasedCacheOf } from '../platform/leased-cache.ts';
import type { Db } from '../platform/mongo.ts';
import { counter } from '../platform/process-metrics.ts';
import { sharedRuns } from '../platform/shared-runs.ts';
import type { Lease } from '../platform/version-leases.ts';
import { partnerActor, withoutCause } from '../reservations/actor-types.ts';
import type { Claimant } from '../reservations/claim-reads.store.ts';
import { claimSlot, findClaimsToLoseTo, isStillClaimed } from '../reservations/claims.service.ts';
import { insertHold } from '../reservations/insert-hold.store.ts';
import { findReservationByKey } from '../reservations/reservation-reads.store.ts';
import type { Attached, Reservation } from '../reservations/reservations.model.ts';
import type { NewReservation, Written } from '../reservations/reservations.store.ts';
import type { SlotReference } from '../slots/slots.service.ts';
import { loadSlot, slotNotFound } from '../slots/slots.service.ts';
import { holdLimitReached, insertWithinLimit } from './active-hold-limit.service.ts';
import type { HoldDeps } from './holds.service.ts';
import { conflictWith, slotNotAvailable } from './slot-conflict.service.ts';

export type PlaceHold = SlotReference & {
  ttlSeconds?: number;
  idempotencyKey?: string;
  attached?: Attached;
};

type PlacedHold = { hold: Reservation; isReplay: boolean };

const runsOf = onePer(sharedRuns<PlacedHold>);

/**
 * Reserves a slot for the partner until `hold_expiry_at`. Of any number of racing calls for overlapping slots exactly
 * one succeeds, by the guard index; of any number for different slots no more than the partner may hold, by the index on
 * ordinals. With an idempotency key a repeated call returns the first one's hold, and equal calls at once share a run.
 * @throws DomainError VENUE_NOT_AUTHORIZED, RESOURCE_NOT_FOUND, SLOT_NOT_FOUND, VALIDATION_ERROR, SLOT_NOT_AVAILABLE (with
 * `conflict`), HOLD_LIMIT_REACHED, IDEMPOTENCY_KEY_MISMATCH
 */
export async function placeHold(
  deps: HoldDeps,
  caller: PartnerCaller,
  input: PlaceHold,
): Promise<PlacedHold> {
  const place = () => countingRefusals(deps.db, () => placeOnce(deps, caller, input));
  return input.idempotencyKey === undefined ? place() : runsOf(deps.db)([withoutCause(caller), input], place);
}

/** For how long a call tries to place a hold, in all, before it is 503. */
const TRIES_FOR_MS = 3000;

async function placeOnce(deps: HoldDeps, caller: PartnerCaller, input: PlaceHold): Promise<PlacedHold> {
  const untilMs = performance.now() + TRIES_FOR_MS;
  for (let isRepeat = false; performance.now() < untilMs; isRepeat = true) {
    // Take the lease before reading: it only covers reads that start after it.
    const lease = await leasedCacheOf(deps.db).lease(untilMs - performance.now());
    const placed = lease && (await tryToPlace(deps, caller, input, lease, isRepeat));
    if (placed !== undefined) return placed;
  }
  throw new DomainError(
    'SERVICE_UNAVAILABLE',
    'The hold was not placed: the database is too slow at the moment. Retry after the time in Retry-After.',
  );
}

/** Undefined if no hold was placed and the slot may still be free: the call has to try again under its next lease. */
async function tryToPlace(
  deps: HoldDeps,
  caller: PartnerCaller,
  input: PlaceHold,
  lease: Lease,
  isRepeat: boolean,
): Promise<PlacedHold | undefined> {
  const { partnerId } = caller;
  // The body of the call may have come long after its headers.
  await requireKeyInForce(deps, caller.keyId);
  const slot = await loadSlot(deps, partnerId, input);
  const findReplay = () => findHoldOfKey(deps, partnerId, slot.slotId, input.idempotencyKey);
  // On any rejection, look the idempotency key up: it may already have placed this hold.
  const orReplay = async (rejection: () => DomainError | Promise<DomainError>) => {
    const replay = await findReplay();
    if (replay === undefined) throw await rejection();
    return replay;
  };
  if (slot.offer === null) return orReplay(() => slotNotFound());
  const { draft, unsellable } = slot.offer;
  if (unsellable !== null) return orReplay(() => slotNotAvailable(deps, slot, { reason: unsellable }));

  const outcome = await claimWithinLimit(deps, caller, draft, input, lease, isRepeat);
  if ('lostTo' in outcome) {
    const { lostTo } = outcome;
    const conflict = conflictWith(lostTo, partnerId);
    const mayBeItsOwn = input.idempotencyKey !== undefined || conflict.holdId !== undefined;
    const [replay, isTaken] = await Promise.all([
      findReplay(),
      // A deposed primary shows claims that its successor never had, such as one of an earlier try of this call.
      !mayBeItsOwn || isStillClaimed(deps.db, lostTo),
    ]);
    if (replay === undefined && isTaken) throw await slotNotAvailable(deps, slot, conflict);
    return replay;
  }
  if (outcome.won === 'limit reached') return orReplay(() => holdLimitReached(deps));
  if (outcome.won === null) return undefined;
  const { reservation: hold, eventId } = outcome.won;

  // Both are hints, and the call does not wait for Redis: the sweeps find what it rejects.
  void deps.queues.enqueueDispatch(hold._id, eventId);
  void deps.queues.scheduleHoldExpiry({ holdId: hold._id, expiresAt: hold.holdExpiresAt }, deps.clock.now());
  holdsPlaced(deps.db).inc();
  return { hold, isReplay: false };
}

const holdsPlaced = counter({
  name: 'holds_placed_total',
  help: 'Holds that were placed, replays left out.',
});
const holdsRefused = counter({
  name: 'holds_refused_total',
  help: 'Calls that placed no hold, by the code of the error, and the reason of a slot that was not available.',
  labelNames: ['code', 'reason'],
});

async function countingRefusals<T>(db: Db, place: () => Promise<T>): Promise<T> {
  try {
    return await place();
  } catch (err) {
    if (err instanceof DomainError) {
      const reason = err.extras.conflict?.['reason'];
      holdsRefused(db).inc({ code: err.code, reason: typeof reason === 'string' ? reason : '' });
    }
    throw err;
  }
}

/** `won` is null if the hold was not inserted under this lease. */
async function claimWithinLimit(
  deps: HoldDeps,
  caller: PartnerCaller,
  draft: NewReservation,
  input: PlaceHold,
  lease: Lease,
  isRepeat: boolean,
): Promise<{ won: Written | null | 'limit reached' } | { lostTo: Claimant[] }> {
  const ttlMs = (input.ttlSeconds ?? deps.config.holdTtlSeconds) * 1000;
  const { idempotencyKey: holdKey, attached = {} } = input;
  const options = { ttlMs, holdKey, attached, actor: partnerActor(caller) };
  const lostTo = await findClaimsToLoseTo(deps, draft.cells);
  if (lostTo.length > 0) return { lostTo };
  return claimSlot(deps, draft.cells, () =>
    insertWithinLimit(deps, draft.partnerId, (holdOrdinal) =>
      insertHold(deps.db, draft, { ...options, holdOrdinal }, lease, isRepeat),
    ),
  );
}

/**
 * The hold that this key placed before, ended or not: its key returns it for ever. Undefined if it placed none.
 * @throws DomainError IDEMPOTENCY_KEY_MISMATCH if that was for another slot
 */
async function findHoldOfKey(
  deps: HoldDeps,
  partnerId: string,
  slotId: string,
  key: string | undefined,
): Promise<PlacedHold | undefined> {
  if (key === undefined) return undefined;
  const hold = await findReservationByKey(deps.db, partnerId, 'holdKey', key);
  if (hold === null) return undefined;
  if (hold.slotId === slotId) return { hold, isReplay: true };
  throw new DomainError(
    'IDEMPOTENCY_KEY_MISMATCH',
    'This idempotency_key has already placed a hold on another slot. Use a new key for each hold.',
  );
}
