import { LRUCache } from 'lru-cache';
import { reasonOf } from '../../catalog/slots/slot.rules.ts';
import { slotNotFound, type WantedSlot } from '../../catalog/slots/slot-targets.service.ts';
import type { SlotDeps, SlotForSale } from '../../catalog/slots/slots.service.ts';
import { DomainError } from '../../domain/errors.ts';
import { memoizeByObject } from '../../platform/memoize-by-object.ts';
import type { Db } from '../../platform/mongo.ts';
import { counter } from '../../platform/process-metrics.ts';
import { findActiveHolds } from '../../reservations/hold-reads.store.ts';
import { findReservationAfterConflict } from '../../reservations/reservation-reads.store.ts';
import type { NewReservation } from '../../reservations/reservations.model.ts';
import { expireHolds, findClaimsInTheWay, type ReservationDeps } from '../../reservations/reservations.service.ts';
import { findAlternatives } from '../availability/alternatives.service.ts';
import { type Conflict, noneFree, priceChanged, type RejectedSlot, slotNotAvailable } from './holds.rules.ts';

const takenSlotsOf = memoizeByObject((_db: Db) => new LRUCache<string, true>({ max: 10_000 }));

/**
 * Whether a call of this process recently found the slot taken. If so, read its claims before inserting: a failed
 * insert costs more (ADR 0002).
 */
export const wasRecentlyTaken = (db: Db, slotId: string): boolean => takenSlotsOf(db).has(slotId);

/** Why the slot is taken; undefined if it has become free. Expires overdue holds on it. */
export async function findConflict(
  deps: ReservationDeps,
  { slotId, cells, partnerId }: NewReservation,
): Promise<Conflict | undefined> {
  const claims = await findClaimsInTheWay(deps, cells);
  if (claims.length === 0) {
    takenSlotsOf(deps.db).delete(slotId);
    return undefined;
  }
  takenSlotsOf(deps.db).set(slotId, true);
  if (claims.some((claim) => reasonOf(claim) === 'booked')) return { reason: 'booked' };
  // If several holds conflict, the slot is free when the last of them has expired.
  const last = claims.reduce((one, other) => (one.holdExpiresAt < other.holdExpiresAt ? other : one));
  const isOwn = claims.every((claim) => claim.partnerId === partnerId);
  return { reason: 'held', freeAt: last.holdExpiresAt, ...(isOwn ? { holdId: last._id } : {}) };
}

/**
 * The error for a call that held none of its slots; undefined if a slot has become free. `conflicts`: why each slot
 * that was tried is not free.
 */
export async function rejectionOf(
  deps: SlotDeps & ReservationDeps,
  { resourceIds, sportCategory, expectedPaise }: WantedSlot & { expectedPaise?: number },
  slots: readonly SlotForSale[],
  conflicts: ReadonlyMap<SlotForSale, Conflict>,
): Promise<DomainError | undefined> {
  for (const { holdId } of conflicts.values()) {
    if (holdId === undefined) continue;
    // A former primary can show a claim that was never replicated, such as an earlier try of this call.
    const hold = await findReservationAfterConflict(deps.db, { _id: holdId });
    if (hold?.claimed !== true) return undefined;
  }
  const rejected: RejectedSlot[] = [];
  for (const slot of slots) {
    const { draft, unsellable } = slot;
    if (draft === null) {
      rejected.push({ slot, conflict: null });
      continue;
    }
    const conflict =
      unsellable !== null ? { reason: unsellable } : (conflicts.get(slot) ?? (await findConflict(deps, draft)));
    // A free slot that was not tried has an unexpected price.
    if (conflict === undefined) return expectedPaise === undefined ? undefined : priceChanged(draft, expectedPaise);
    rejected.push({ slot, conflict });
  }
  const onSchedule = rejected.filter(({ conflict }) => conflict !== null);
  const listed = sportCategory === undefined ? rejected : onSchedule;
  const [preferred] = listed;
  if (preferred === undefined || onSchedule.length === 0) return slotNotFound();
  const alternatives = await findAlternatives(deps, preferred.slot);
  if (sportCategory !== undefined || resourceIds !== undefined || preferred.conflict === null)
    return noneFree(listed, alternatives);
  const { timeZone } = preferred.slot.rules.venue;
  const horizon = { now: deps.clock.now(), horizonDays: deps.config.bookingHorizonDays, timeZone };
  return slotNotAvailable(preferred.conflict, alternatives, horizon);
}

const holdsRejected = counter({
  name: 'holds_refused_total',
  help: 'Rejected holds, by error code and, if the slot was not available, by reason.',
  labelNames: ['code', 'reason'],
});

export function countRejection({ db }: { db: Db }, err: unknown): void {
  if (!(err instanceof DomainError)) return;
  const reason = err.extras.conflict?.['reason'];
  holdsRejected(db).inc({ code: err.code, reason: typeof reason === 'string' ? reason : '' });
}

type HoldLimitDeps = ReservationDeps & { config: { maxActiveHolds: number } };

const MAX_CACHED_ORDINALS = 500;

/**
 * Free ordinals by partner, as last read. A unique index gives each live hold its own ordinal below the limit, so that
 * no partner exceeds its limit of live holds (ADR 0002).
 */
const freeOrdinalsOf = memoizeByObject((_db: Db) => new LRUCache<string, number[]>({ max: 1000 }));

/** A random ordinal below `maxActiveHolds` for a new hold, so that concurrent calls seldom collide. */
export function takeOrdinal({ db, config }: HoldLimitDeps, partnerId: string): number {
  const free = freeOrdinalsOf(db).get(partnerId) ?? [];
  const [ordinal = randomBelow(config.maxActiveHolds)] = free.splice(randomBelow(free.length), 1);
  return ordinal;
}

/**
 * Reads which ordinals are free, for later calls of `takeOrdinal`, and expires the partner's overdue holds to free
 * their ordinals. False if the partner has reached its limit of live holds.
 */
export async function findFreeOrdinals(deps: HoldLimitDeps, partnerId: string): Promise<boolean> {
  const { maxActiveHolds } = deps.config;
  const { ordinals, overdueIds } = await findActiveHolds(deps.db, partnerId);
  if (ordinals.length >= maxActiveHolds) return false;
  await expireHolds(deps, overdueIds);
  const taken = new Set(ordinals);
  const start = randomBelow(maxActiveHolds);
  const free: number[] = [];
  for (let step = 0; step < maxActiveHolds && free.length < MAX_CACHED_ORDINALS; step += 1) {
    const ordinal = (start + step) % maxActiveHolds;
    if (!taken.has(ordinal)) free.push(ordinal);
  }
  freeOrdinalsOf(deps.db).set(partnerId, free);
  return true;
}

const randomBelow = (end: number): number => Math.floor(Math.random() * end);
