import { DomainError } from '../domain/errors.ts';
import type { PartnerCaller } from '../partners/partners.service.ts';
import { venueNotAuthorized } from '../partners/partners.service.ts';
import { onePer } from '../platform/coalesced.ts';
import { leasedCacheOf } from '../platform/leased-cache.ts';
import type { Db } from '../platform/mongo.ts';
import { counter } from '../platform/process-metrics.ts';
import { sharedRuns } from '../platform/shared-runs.ts';
import type { Lease } from '../platform/version-leases.ts';
import { partnerActor, withoutCause } from '../reservations/actor-types.ts';
import type { Claimant } from '../reservations/claim-reads.store.ts';
import { claimSlot, findClaimsToLoseTo } from '../reservations/claims.service.ts';
import { findReservationByKey } from '../reservations/reservation-reads.store.ts';
import type { Attached, Reservation } from '../reservations/reservations.model.ts';
import type { NewReservation, Written } from '../reservations/reservations.store.ts';
import type { LoadedSlot, SlotReference } from '../slots/slots.service.ts';
import { loadSlot, slotNotFound } from '../slots/slots.service.ts';
import { holdLimitReached, insertWithinLimit } from './active-hold-limit.service.ts';
import type { HoldDeps } from './holds.service.ts';
import type { NotSellable } from './insert-checked-hold.service.ts';
import { insertCheckedHold } from './insert-checked-hold.service.ts';
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

async function placeOnce(deps: HoldDeps, caller: PartnerCaller, input: PlaceHold): Promise<PlacedHold> {
  const { partnerId } = caller;
  // First: it is for what is read after it.
  const lease = await leasedCacheOf(deps.db).lease();
  const slot = await loadSlot(deps, partnerId, input);
  // Asked where the hold cannot be placed: the index on keys keeps a key from placing a second one.
  const orReplay = async (rejection: () => DomainError | Promise<DomainError>) => {
    const earlier = await findHoldOfKey(deps, partnerId, slot.slotId, input.idempotencyKey);
    if (earlier === null) throw await rejection();
    return { hold: earlier, isReplay: true };
  };
  if (slot.offer === null) return orReplay(() => slotNotFound());
  const { draft, unsellable } = slot.offer;
  if (unsellable !== null) return orReplay(() => slotNotAvailable(deps, slot, { reason: unsellable }));

  const outcome = await claimWithinLimit(deps, caller, draft, input, lease);
  if ('lostTo' in outcome) {
    return orReplay(() => slotNotAvailable(deps, slot, conflictWith(outcome.lostTo, partnerId)));
  }
  const { won } = outcome;
  if (won === null) return orReplay(() => holdLimitReached(deps));
  if ('unsellable' in won) return orReplay(() => rejectionOf(won, deps, slot, input));
  const { reservation: hold, eventId } = won;

  // Both are hints that do not wait for Redis: what it does not take, the sweeps find.
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

/** Null where the partner has as many holds as it may have. */
async function claimWithinLimit(
  deps: HoldDeps,
  caller: PartnerCaller,
  draft: NewReservation,
  input: PlaceHold,
  lease: Lease | undefined,
): Promise<{ won: Written | NotSellable | null } | { lostTo: Claimant[] }> {
  const ttlMs = (input.ttlSeconds ?? deps.config.holdTtlSeconds) * 1000;
  const { idempotencyKey: holdKey, attached = {} } = input;
  const options = { ttlMs, holdKey, attached, actor: partnerActor(caller) };
  // A primary that was deposed, and does not know it yet, has claims that are gone, and no lease.
  const lostTo = lease === undefined ? [] : await findClaimsToLoseTo(deps, draft.cells);
  if (lostTo.length > 0) return { lostTo };
  return claimSlot(deps, draft.cells, () =>
    insertWithinLimit(deps, draft.partnerId, (holdOrdinal) =>
      insertCheckedHold(deps, draft, { ...options, holdOrdinal }, lease),
    ),
  );
}

/** Of a slot that was taken off sale while it was being held. */
function rejectionOf(
  { unsellable }: NotSellable,
  deps: HoldDeps,
  slot: LoadedSlot,
  input: PlaceHold,
): DomainError | Promise<DomainError> {
  if (unsellable !== 'not_granted') return slotNotAvailable(deps, slot, { reason: unsellable });
  return input.venueId === undefined ? slotNotFound() : venueNotAuthorized();
}

/**
 * The hold that this key placed before, ended or not: its key returns it for ever.
 * @throws DomainError IDEMPOTENCY_KEY_MISMATCH where that was for another slot
 */
async function findHoldOfKey(
  deps: HoldDeps,
  partnerId: string,
  slotId: string,
  key: string | undefined,
): Promise<Reservation | null> {
  if (key === undefined) return null;
  const earlier = await findReservationByKey(deps.db, partnerId, 'holdKey', key);
  if (earlier === null || earlier.slotId === slotId) return earlier;
  throw new DomainError(
    'IDEMPOTENCY_KEY_MISMATCH',
    'This idempotency_key has already placed a hold on another slot. Use a new key for each hold.',
  );
}
