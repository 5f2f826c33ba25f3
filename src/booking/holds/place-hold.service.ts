import type { WantedSlot } from '../../catalog/slots/slot-targets.service.ts';
import { findSlotsForSale, type SlotDeps, type SlotForSale } from '../../catalog/slots/slots.service.ts';
import { DomainError } from '../../domain/errors.ts';
import { requireKeyInForce } from '../../partners/authentication.service.ts';
import { type Entry, leasedCacheOf } from '../../platform/leased-cache.ts';
import { counter } from '../../platform/process-metrics.ts';
import { deduplicatedCalls } from '../../platform/single-flight.ts';
import type { Queues } from '../../queues/queues.ts';
import { type PartnerActor, withoutCause } from '../../reservations/actor-types.ts';
import { type HoldTerms, insertHold } from '../../reservations/insert-claim.store.ts';
import { findReservationByKey } from '../../reservations/reservation-reads.store.ts';
import { attachedBy } from '../../reservations/reservation-views.rules.ts';
import type { Attached, Reservation } from '../../reservations/reservations.model.ts';
import { scheduleJobs } from '../../reservations/reservations.service.ts';
import {
  countRejection,
  findConflict,
  findFreeOrdinals,
  rejectionOf,
  takeOrdinal,
  wasRecentlyTaken,
} from './hold-conflicts.service.ts';
import { type Conflict, holdLimitReached } from './holds.rules.ts';

export type HoldDeps = SlotDeps & {
  queues: Pick<Queues, 'enqueueDispatch' | 'scheduleHoldExpiry' | 'removeHoldExpiry'>;
  config: { holdTtlSeconds: number; maxActiveHolds: number };
};

export type PlaceHold = WantedSlot &
  Attached & {
    /** The price that the caller has seen: no hold is placed at another price. */
    expectedPaise?: number;
    ttlSeconds?: number;
    idempotencyKey?: string;
  };

type PlacedHold = { hold: Reservation; isReplay: boolean };

const deduplicate = deduplicatedCalls<PlacedHold>();

/**
 * Holds the first free slot that the call accepts, until `hold_expiry_at`. Unique indexes decide races: one hold per
 * slot, and no more holds than the partner may have. With an idempotency key, a repeated call returns the first hold,
 * and concurrent equal calls are deduplicated.
 * @throws DomainError VENUE_NOT_AUTHORIZED, RESOURCE_NOT_FOUND, SLOT_NOT_FOUND, VALIDATION_ERROR, SLOT_NOT_AVAILABLE
 *   and PRICE_CHANGED (with `conflict`), HOLD_LIMIT_REACHED, IDEMPOTENCY_KEY_MISMATCH
 */
export async function placeHold(deps: HoldDeps, actor: PartnerActor, input: PlaceHold): Promise<PlacedHold> {
  const place = () => placeUnderLease(deps, actor, input);
  try {
    if (input.idempotencyKey === undefined) return await place();
    return await deduplicate(deps.db, [withoutCause(actor), input], place);
  } catch (err) {
    countRejection(deps, err);
    throw err;
  }
}

/** How long a call tries to place a hold before it fails with 503. */
const TRIES_FOR_MS = 3000;

/**
 * Tries until a slot is held, or until it is certain that none can be held. Each try reads the rules and gets a lease:
 * the time in which a hold may be written by these rules.
 */
async function placeUnderLease(deps: HoldDeps, actor: PartnerActor, input: PlaceHold): Promise<PlacedHold> {
  const { partnerId } = actor;
  const untilMs = performance.now() + TRIES_FOR_MS;
  let isBatched = true;
  while (performance.now() < untilMs) {
    const [apiKey, slots] = await Promise.all([
      // The key may have been revoked since authentication.
      requireKeyInForce(deps, actor.keyId),
      findSlotsForSale(deps, partnerId, input, input.expectedPaise),
    ]);
    const outcome = await holdFirst(deps, actor, input, { apiKey, slots, untilMs, isBatched });
    if (outcome === 'late') isBatched = false;
    if (outcome === 'late' || outcome === 'again') continue;
    if (typeof outcome === 'object' && 'hold' in outcome) {
      scheduleJobs(deps, outcome.hold);
      void deps.queues.scheduleHoldExpiry(expiryOf(outcome.hold), deps.clock.now());
      holdsPlaced(deps.db).inc();
      return { hold: outcome.hold, isReplay: false };
    }

    // On any rejection, look the idempotency key up: it may already have placed this hold.
    const replay = await findHoldOfKey(deps, partnerId, slots, input.idempotencyKey);
    if (replay !== undefined) return replay;
    if (outcome === 'key taken') continue;
    if (outcome === 'limit') throw holdLimitReached(deps.config.maxActiveHolds);
    const rejection = await rejectionOf(deps, input, slots, outcome.conflicts);
    if (rejection !== undefined) throw rejection;
  }
  throw new DomainError(
    'SERVICE_UNAVAILABLE',
    'The database is too slow, so the hold was not placed. Repeat the call after the seconds in Retry-After.',
  );
}

type Conflicts = ReadonlyMap<SlotForSale, Conflict>;
/** 'late': the lease had ended; 'again': read again and try once more; 'limit': the partner may have no more holds. */
type Outcome = { hold: Reservation } | { conflicts: Conflicts } | 'again' | 'late' | 'key taken' | 'limit';
type Try = { apiKey: Entry | null; slots: readonly SlotForSale[]; untilMs: number; isBatched: boolean };

/**
 * Inserts a hold on the first free slot that is on sale at the price that the caller has seen. `conflicts`: why each
 * slot that was tried is not free.
 */
async function holdFirst(
  deps: HoldDeps,
  actor: PartnerActor,
  input: PlaceHold,
  { apiKey, slots, untilMs, isBatched }: Try,
): Promise<Outcome> {
  const { db } = deps;
  const conflicts = new Map<SlotForSale, Conflict>();
  const onSale = slots.flatMap((slot) => {
    const { draft, unsellable } = slot;
    if (draft === null || unsellable !== null) return [];
    return (input.expectedPaise ?? draft.pricePaise) === draft.pricePaise ? [{ slot, draft }] : [];
  });
  if (onSale.length === 0) return { conflicts };
  const entries = onSale.flatMap(({ slot }) => slot.entries);
  const lease = apiKey && (await leasedCacheOf(db).lease([apiKey, ...entries], untilMs - performance.now()));
  if (lease === null || lease === undefined) return 'again';
  const terms = termsOf(deps, actor, input);
  for (const { slot, draft } of onSale) {
    const outcome = wasRecentlyTaken(db, slot.slotId)
      ? 'cell taken'
      : await insertHold(db, { ...draft, ...terms }, lease, isBatched);
    switch (outcome) {
      case 'late':
      case 'key taken':
        return outcome;
      case 'ordinal taken':
        return (await findFreeOrdinals(deps, actor.partnerId)) ? 'again' : 'limit';
      case 'cell taken': {
        const conflict = await findConflict(deps, draft);
        if (conflict === undefined) return 'again';
        conflicts.set(slot, conflict);
        break;
      }
      default:
        return { hold: outcome };
    }
  }
  return { conflicts };
}

function termsOf(deps: HoldDeps, actor: PartnerActor, input: PlaceHold): HoldTerms {
  const { ttlSeconds = deps.config.holdTtlSeconds, idempotencyKey } = input;
  return {
    ttlMs: ttlSeconds * 1000,
    ...(idempotencyKey === undefined ? {} : { holdKey: idempotencyKey }),
    holdOrdinal: takeOrdinal(deps, actor.partnerId),
    attached: attachedBy(input),
    actor,
  };
}

/** The data of a hold's expiry job. */
export function expiryOf({ _id: holdId, slotId, venueId, holdExpiresAt: expiresAt }: Reservation) {
  return { holdId, slotId, venueId, expiresAt };
}

const holdsPlaced = counter({
  name: 'holds_placed_total',
  help: 'Holds placed, without replays.',
});

/**
 * The hold that this key placed, in any status; undefined if none.
 * @throws DomainError IDEMPOTENCY_KEY_MISMATCH if that hold is on none of `slots`
 */
async function findHoldOfKey(
  deps: HoldDeps,
  partnerId: string,
  slots: readonly SlotForSale[],
  key: string | undefined,
): Promise<PlacedHold | undefined> {
  if (key === undefined) return undefined;
  const hold = await findReservationByKey(deps.db, partnerId, 'holdKey', key);
  if (hold === null) return undefined;
  if (slots.some(({ slotId }) => slotId === hold.slotId)) return { hold, isReplay: true };
  throw new DomainError(
    'IDEMPOTENCY_KEY_MISMATCH',
    'This idempotency_key has already placed a hold on another slot. Use a new key for each hold.',
  );
}
