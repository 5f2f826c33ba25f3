import { LRUCache } from 'lru-cache';
import { DomainError } from '../../domain/errors.ts';
import { memoizeByObject } from '../../platform/memoize-by-object.ts';
import type { Db } from '../../platform/mongo.ts';
import { findActiveHolds } from '../../reservations/hold-reads.store.ts';
import type { ReservationDeps } from '../../reservations/reservations.service.ts';
import { expireHolds } from '../../reservations/reservations.service.ts';

export type HoldLimitDeps = ReservationDeps & { config: { maxActiveHolds: number } };

const MAX_KEPT = 500;

/** Ordinals that were free when they were last read, by partner. Only a hint: the unique index decides (ADR 0002). */
const freeOrdinalsOf = memoizeByObject((_db: Db) => new LRUCache<string, number[]>({ max: 1000 }));

/**
 * An ordinal below `maxActiveHolds` to place a hold with; random, so that concurrent calls seldom take the same one.
 */
export function takeOrdinal({ db, config }: HoldLimitDeps, partnerId: string): number {
  const free = freeOrdinalsOf(db).get(partnerId) ?? [];
  const [ordinal = randomBelow(config.maxActiveHolds)] = free.splice(randomBelow(free.length), 1);
  return ordinal;
}

/**
 * Reads which ordinals are free, for later calls of `takeOrdinal`, and expires the partner's lapsed holds, which still
 * have ordinals. False if the partner has reached its limit of live holds.
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

export function holdLimitReached({ config }: HoldLimitDeps): DomainError {
  return new DomainError(
    'HOLD_LIMIT_REACHED',
    `You have ${config.maxActiveHolds} ACTIVE holds, which is the maximum. Confirm or cancel some first.`,
  );
}
