import type { DuePosition } from '../platform/backlog.store.ts';
import type { Logger } from '../platform/logger.ts';
import { type Db, isDuplicateKey } from '../platform/mongo.ts';
import { BATCH_SIZES, counter, histogram } from '../platform/process-metrics.ts';
import { type SweptPage, sweepBatches } from '../platform/sweep.ts';
import type { Queues } from '../queues/queues.ts';
import { cellsOf, spacesOf } from './cells.rules.ts';
import { type Claimant, findClaimants, findLiveClaimsOfResource, type LiveWindow } from './claim-reads.store.ts';
import { type ExpiryResult, expireOverdueHolds, type TriedHold } from './hold-expiry.store.ts';
import { findOverdueHolds, type PageOfDue } from './hold-reads.store.ts';
import type { Reservation } from './reservations.model.ts';
import { TRANSITIONS, type TransitionName } from './reservations.rules.ts';
import { addCells, applyTransition, type Change } from './reservations.store.ts';

export type { Customer } from './reservations.model.ts';

export type ReservationDeps = { db: Db; queues: Pick<Queues, 'enqueueDispatch' | 'removeHoldExpiry'> };

/** Carries out a transition and schedules its jobs. Null if the transition is not legal. */
export async function transitionReservation(
  deps: ReservationDeps,
  name: TransitionName,
  reservationId: string,
  change: Change,
): Promise<Reservation | null> {
  const reservation = await applyTransition(deps.db, name, reservationId, change);
  if (reservation !== null) scheduleJobs(deps, reservation, name);
  return reservation;
}

/**
 * Carries out a transition for the reservations that `findBatch` finds, until it finds none; returns the changed ones.
 */
export async function transitionAll(
  deps: ReservationDeps,
  name: TransitionName,
  findBatch: () => Promise<Pick<Reservation, '_id'>[]>,
  change: Change,
): Promise<Reservation[]> {
  const changed: Reservation[] = [];
  for (;;) {
    const batch = await findBatch();
    if (batch.length === 0) return changed;
    const results = await Promise.all(batch.map(({ _id }) => transitionReservation(deps, name, _id, change)));
    changed.push(...results.filter((reservation) => reservation !== null));
  }
}

/**
 * Enqueues the last event of a reservation, and removes the expiry job of a hold that the transition has ended. Does
 * not wait for Redis (ADR 0009): the sweeps find an event without a job, and a job that stays finds nothing to do.
 */
export function scheduleJobs(
  { queues }: ReservationDeps,
  { _id, holdExpiresAt, outbox }: Reservation,
  transition?: TransitionName,
): void {
  const event = outbox.at(-1);
  if (event !== undefined) void queues.enqueueDispatch(_id, event.eventId, event.type);
  const hasEndedHold = transition !== undefined && TRANSITIONS[transition].from.includes('ACTIVE');
  if (hasEndedHold) void queues.removeHoldExpiry({ holdId: _id, expiresAt: holdExpiresAt });
}

/** Expires the holds that are overdue by the database's clock, each with its one `hold_expired` event. */
async function expireOverdue(deps: ReservationDeps, holdIds: readonly string[]): Promise<ExpiryResult[]> {
  const results = await expireOverdueHolds(deps.db, holdIds);
  for (const { holdId, eventId } of results.filter(isExpired))
    void deps.queues.enqueueDispatch(holdId, eventId, 'hold_expired');
  return results;
}

/** Whether this call expired the hold. */
const isExpired = (result: ExpiryResult): result is TriedHold & { eventId: string } =>
  result !== null && !(result instanceof Error) && result.eventId !== null;

/** Expires overdue holds; only one of concurrent calls expires a hold. Rejects if a hold cannot be expired. */
export async function expireHolds(deps: ReservationDeps, holdIds: readonly string[]): Promise<void> {
  const results = await expireOverdue(deps, holdIds);
  for (const hold of results.filter(isExpired)) void deps.queues.removeHoldExpiry(hold);
  for (const result of results) if (result instanceof Error) throw result;
}

const holdsExpired = counter({
  name: 'holds_expired_total',
  help: 'Holds that this process expired.',
});
const expiryBatches = histogram({
  name: 'hold_expiry_batch_size',
  help: 'Holds in one expiry batch.',
  buckets: BATCH_SIZES,
});

type ExpiryDeps = ReservationDeps & { log: Logger };

/** Expires the holds of a batch of jobs if they are overdue. Returns results in the order of `holdIds`. */
export async function expireDueHolds(deps: ExpiryDeps, holdIds: readonly string[]): Promise<ExpiryResult[]> {
  const beganAt = performance.now();
  const results = await expireOverdue(deps, holdIds);
  const expiredIds = results.filter(isExpired).map(({ holdId }) => holdId);
  expiryBatches(deps.db).observe(holdIds.length);
  holdsExpired(deps.db).inc(expiredIds.length);
  if (expiredIds.length > 0)
    deps.log.info(
      { holds: expiredIds.length, hold_ids: expiredIds, duration_ms: Math.round(performance.now() - beganAt) },
      'holds expired',
    );
  return results;
}

export async function sweepOverdueHolds(
  deps: ExpiryDeps,
  { stopping, ...page }: PageOfDue & { stopping: AbortSignal },
): Promise<SweptPage<DuePosition>> {
  const { ids, next } = await findOverdueHolds(deps.db, page);
  const expire = async (batch: readonly string[]) => {
    const results = await expireDueHolds(deps, batch);
    for (const [index, result] of results.entries()) {
      if (result instanceof Error)
        deps.log.error({ hold_id: batch[index], err: result }, 'a hold could not be expired; the sweep retries it');
    }
    const expired = results.filter(isExpired);
    for (const hold of expired) void deps.queues.removeHoldExpiry(hold);
    return expired.length;
  };
  const onError = (err: unknown, batch: readonly string[]) =>
    deps.log.error({ hold_ids: batch, err }, 'holds could not be expired; the sweep retries them');
  return { count: await sweepBatches(ids, stopping, expire, onError), next };
}

const isOverdue = ({ status }: Claimant): boolean => status === 'EXPIRED';
const overdueIdsOf = (claimants: readonly Claimant[]) => claimants.filter(isOverdue).map(({ _id }) => _id);

/**
 * The live claims on cells for which the unique index has rejected an insert; none if the cells have become free. Also
 * expires overdue holds on the cells: they would be the next conflict of a walk-in that overrides holds.
 */
export async function findClaimsInTheWay(deps: ReservationDeps, cells: readonly string[]): Promise<Claimant[]> {
  const claimants = await findClaimants(deps.db, cells);
  await expireHolds(deps, overdueIdsOf(claimants));
  return claimants.filter((claim) => !isOverdue(claim));
}

/**
 * Makes every live claim on `resourceId` also fill the space shared with `otherId`, so that the unique index rejects
 * overlaps with earlier claims too. Safe to repeat. Returns the claims that could not be extended, because other claims
 * have taken some of their shared space.
 */
export async function addSharedCellsToClaims(
  deps: { db: Db },
  resourceId: string,
  otherId: string,
): Promise<LiveWindow[]> {
  const shared = spacesOf(resourceId, [otherId]).filter((space) => space !== resourceId);
  const overlapping: LiveWindow[] = [];
  for (const claim of await findLiveClaimsOfResource(deps.db, resourceId)) {
    const cells = cellsOf(shared, claim.slotStart, claim.slotEnd);
    if (!(await tryAddCells(deps, claim._id, cells, [resourceId, otherId]))) overlapping.push(claim);
  }
  return overlapping;
}

/** False if another live claim fills one of the cells. Expires overdue holds on the cells. */
async function tryAddCells(
  deps: { db: Db },
  reservationId: string,
  cells: readonly string[],
  resourceIds: readonly string[],
): Promise<boolean> {
  for (let isRetry = false; ; isRetry = true) {
    try {
      await addCells(deps.db, reservationId, cells, resourceIds);
      return true;
    } catch (err) {
      if (!isDuplicateKey(err)) throw err;
    }
    const claimants = await findClaimants(deps.db, cells);
    // The `hold_expired` events get no jobs; the sweep finds them.
    await expireOverdueHolds(deps.db, overdueIdsOf(claimants));
    // The claim itself already has some of the cells. If there is no other live claim, the conflicting one has just
    // ended.
    const isTaken = claimants.some((claim) => claim._id !== reservationId && !isOverdue(claim));
    if (isTaken || isRetry) return false;
  }
}
