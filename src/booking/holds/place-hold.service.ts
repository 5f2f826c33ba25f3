import type { SlotReference } from '../../catalog/slots/slots.service.ts';
import { findSlotForSale, slotNotFound } from '../../catalog/slots/slots.service.ts';
import { DomainError } from '../../domain/errors.ts';
import { requireKeyInForce } from '../../partners/authentication.service.ts';
import type { PartnerCaller } from '../../partners/partners.service.ts';
import { deduplicatedCalls } from '../../platform/deduplicated-calls.ts';
import { leasedCacheOf } from '../../platform/leased-cache.ts';
import { counter } from '../../platform/process-metrics.ts';
import { partnerActor, withoutCause } from '../../reservations/actor-types.ts';
import type { HoldTerms } from '../../reservations/insert-hold.store.ts';
import { insertHold } from '../../reservations/insert-hold.store.ts';
import { findReservationByKey } from '../../reservations/reservation-reads.store.ts';
import type { Attached, Reservation } from '../../reservations/reservations.model.ts';
import { findFreeOrdinals, holdLimitReached, takeOrdinal } from './active-hold-limit.service.ts';
import { expiryOf, type HoldDeps } from './holds.service.ts';
import type { Conflict } from './slot-conflict.service.ts';
import { findConflict, isStillClaimed, slotNotAvailable, wasLostLately } from './slot-conflict.service.ts';

export type PlaceHold = SlotReference & {
  ttlSeconds?: number;
  idempotencyKey?: string;
  attached?: Attached;
};

type PlacedHold = { hold: Reservation; isReplay: boolean };

const deduplicate = deduplicatedCalls<PlacedHold>();

/**
 * Reserves a slot for the partner until `hold_expiry_at`. Unique indexes decide races: one hold a slot, and no more
 * holds than the partner may have. With an idempotency key a repeated call returns the first hold, and concurrent equal
 * calls share a run.
 * @throws DomainError VENUE_NOT_AUTHORIZED, RESOURCE_NOT_FOUND, SLOT_NOT_FOUND, VALIDATION_ERROR, SLOT_NOT_AVAILABLE
 * (with `conflict`), HOLD_LIMIT_REACHED, IDEMPOTENCY_KEY_MISMATCH
 */
export async function placeHold(deps: HoldDeps, caller: PartnerCaller, input: PlaceHold): Promise<PlacedHold> {
  const place = () => placeUnderLease(deps, caller, input);
  try {
    if (input.idempotencyKey === undefined) return await place();
    return await deduplicate(deps.db, [withoutCause(caller), input], place);
  } catch (err) {
    countRejection(deps, err);
    throw err;
  }
}

/** How long a call tries to place a hold before it fails with 503. */
const TRIES_FOR_MS = 3000;

/** Inserts the hold and lets the unique indexes decide. Starts again under a new lease if the obstacle is gone. */
async function placeUnderLease(deps: HoldDeps, caller: PartnerCaller, input: PlaceHold): Promise<PlacedHold> {
  const { db } = deps;
  const { partnerId } = caller;
  const untilMs = performance.now() + TRIES_FOR_MS;
  let isAlone = false;
  while (performance.now() < untilMs) {
    const [key, slot] = await Promise.all([
      // The key may have been revoked since the call's headers came.
      requireKeyInForce(deps, caller.keyId),
      findSlotForSale(deps, partnerId, input),
    ]);

    let rejection: DomainError | Conflict | undefined;
    if (slot.offer === null) rejection = slotNotFound();
    else if (slot.offer.unsellable !== null) rejection = { reason: slot.offer.unsellable };
    else {
      const { draft } = slot.offer;
      const lease = key && (await leasedCacheOf(db).lease([key, ...slot.entries], untilMs - performance.now()));
      if (lease === null || lease === undefined) continue;
      const outcome = wasLostLately(db, slot.slotId)
        ? 'cell taken'
        : await insertHold(db, { ...draft, ...termsOf(deps, caller, input) }, lease, isAlone);
      switch (outcome) {
        case 'late':
          isAlone = true;
          continue;
        case 'ordinal taken':
          if (await findFreeOrdinals(deps, partnerId)) continue;
          rejection = holdLimitReached(deps);
          break;
        case 'cell taken':
          rejection = await findConflict(deps, draft);
          if (rejection === undefined) continue;
          break;
        case 'key taken':
          break;
        default:
          offerJobsOfHold(deps, outcome);
          holdsPlaced(db).inc();
          return { hold: outcome, isReplay: false };
      }
    }

    // On any rejection, look the idempotency key up: it may already have placed this hold.
    const replay = await findHoldOfKey(deps, partnerId, slot.slotId, input.idempotencyKey);
    if (replay !== undefined) return replay;
    if (rejection === undefined) continue;
    if (rejection instanceof DomainError) throw rejection;
    // A deposed primary shows claims that its successor never had, such as one of an earlier try of this call.
    if (rejection.holdId !== undefined && !(await isStillClaimed(db, rejection.holdId))) continue;
    throw await slotNotAvailable(deps, slot, rejection);
  }
  throw new DomainError(
    'SERVICE_UNAVAILABLE',
    'The database is too slow, so the hold was not placed. Repeat the call after the seconds in Retry-After.',
  );
}

function termsOf(deps: HoldDeps, caller: PartnerCaller, input: PlaceHold): HoldTerms {
  const { ttlSeconds = deps.config.holdTtlSeconds, idempotencyKey, attached = {} } = input;
  return {
    ttlMs: ttlSeconds * 1000,
    ...(idempotencyKey === undefined ? {} : { holdKey: idempotencyKey }),
    holdOrdinal: takeOrdinal(deps, caller.partnerId),
    attached,
    actor: partnerActor(caller),
  };
}

/** Enqueues the jobs of a placed hold without waiting for Redis: the sweeps find what it rejects. */
function offerJobsOfHold({ queues, clock }: HoldDeps, hold: Reservation): void {
  for (const { eventId, type } of hold.outbox) void queues.enqueueDispatch(hold._id, eventId, type);
  void queues.scheduleHoldExpiry(expiryOf(hold), clock.now());
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

function countRejection({ db }: HoldDeps, err: unknown): void {
  if (!(err instanceof DomainError)) return;
  const reason = err.extras.conflict?.['reason'];
  holdsRefused(db).inc({ code: err.code, reason: typeof reason === 'string' ? reason : '' });
}

/**
 * The hold that this key placed before, ended or not. Undefined if it placed none.
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
