import { LRUCache } from 'lru-cache';
import { reasonOf, type UnavailableReason } from '../../catalog/slots/slot.rules.ts';
import { memoizeByObject } from '../../platform/memoize-by-object.ts';
import type { Db } from '../../platform/mongo.ts';
import type { Claimant } from '../../reservations/claim-reads.store.ts';
import { findActiveHolds } from '../../reservations/hold-reads.store.ts';
import { findReservationAfterConflict } from '../../reservations/reservation-reads.store.ts';
import { expireHolds, findClaimsInTheWay, type ReservationDeps } from '../../reservations/reservations.service.ts';
import type { NewReservation } from '../../reservations/reservations.store.ts';

/** `freeAt`: when the conflicting hold expires. `holdId`: the conflicting hold, if the caller owns it. */
export type Conflict = { reason: UnavailableReason; freeAt?: Date; holdId?: string };

const lostSlotsOf = memoizeByObject((_db: Db) => new LRUCache<string, true>({ max: 10_000 }));

/**
 * Whether a call of this process recently found the slot taken. If so, read its claims: a failed insert costs more (ADR
 * 0002).
 */
export const wasLostLately = (db: Db, slotId: string): boolean => lostSlotsOf(db).has(slotId);

/** Why the slot is taken; undefined if it has become free. Expires lapsed (overdue) holds on it. */
export async function findConflict(
  deps: ReservationDeps,
  { slotId, cells, partnerId }: NewReservation,
): Promise<Conflict | undefined> {
  const claims = await findClaimsInTheWay(deps, cells);
  if (claims.length === 0) {
    lostSlotsOf(deps.db).delete(slotId);
    return undefined;
  }
  lostSlotsOf(deps.db).set(slotId, true);
  return conflictWith(claims, partnerId);
}

/** Whether the hold still claims its slot, confirmed by the primary. */
export async function isStillClaimed(db: Db, holdId: string): Promise<boolean> {
  return (await findReservationAfterConflict(db, { _id: holdId }))?.claimed === true;
}

/** If several holds conflict, the slot is free when the last of them has expired. */
function conflictWith(claims: readonly Claimant[], partnerId: string): Conflict {
  if (claims.some((claim) => reasonOf(claim) === 'booked')) return { reason: 'booked' };
  const last = claims.reduce((one, other) => (one.holdExpiresAt < other.holdExpiresAt ? other : one));
  const isOwn = claims.every((claim) => claim.partnerId === partnerId);
  return { reason: 'held', freeAt: last.holdExpiresAt, ...(isOwn ? { holdId: last._id } : {}) };
}

export type HoldLimitDeps = ReservationDeps & { config: { maxActiveHolds: number } };

const MAX_KEPT = 500;

/** Free ordinals by partner, as last read. Each live hold has its own ordinal. The unique index decides (ADR 0002). */
const freeOrdinalsOf = memoizeByObject((_db: Db) => new LRUCache<string, number[]>({ max: 1000 }));

/** A random ordinal below `maxActiveHolds` for a new hold, so that concurrent calls seldom collide. */
export function takeOrdinal({ db, config }: HoldLimitDeps, partnerId: string): number {
  const free = freeOrdinalsOf(db).get(partnerId) ?? [];
  const [ordinal = randomBelow(config.maxActiveHolds)] = free.splice(randomBelow(free.length), 1);
  return ordinal;
}

/**
 * Reads which ordinals are free, for later calls of `takeOrdinal`, and expires the partner's lapsed holds to free their
 * ordinals. False if the partner has reached its limit of live holds.
 */
export async function findFreeOrdinals(deps: HoldLimitDeps, partnerId: string): Promise<boolean> {
  const { ordinals, lapsedIds } = await findActiveHolds(deps.db, partnerId);
  if (ordinals.length >= deps.config.maxActiveHolds) return false;
  await expireHolds(deps, lapsedIds);
  freeOrdinalsOf(deps.db).set(partnerId, freeBeside(new Set(ordinals), deps.config.maxActiveHolds));
  return true;
}

/** The free ordinals below `limit`, beginning at a random one. */
function freeBeside(taken: ReadonlySet<number>, limit: number): number[] {
  const first = randomBelow(limit);
  const free: number[] = [];
  for (let step = 0; step < limit && free.length < MAX_KEPT; step += 1) {
    const ordinal = (first + step) % limit;
    if (!taken.has(ordinal)) free.push(ordinal);
  }
  return free;
}

const randomBelow = (end: number): number => Math.floor(Math.random() * end);
