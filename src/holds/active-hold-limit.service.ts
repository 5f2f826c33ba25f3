import { DomainError } from '../domain/errors.ts';
import { isDuplicateKey } from '../platform/mongo.ts';
import { findActiveHolds } from '../reservations/hold-reads.store.ts';
import type { ReservationDeps } from '../reservations/reservations.service.ts';
import { settleLapsedHold } from '../reservations/reservations.service.ts';

/** How often a call draws an ordinal that another takes first; each time it does, another call has placed its hold. */
const MAX_TRIES = 10;
/** How many lapsed holds a call settles to have the ordinal of one of them. */
const SETTLED_AT_ONCE = 10;

export type HoldLimitDeps = ReservationDeps & { config: { maxActiveHolds: number } };

/**
 * Runs `insert` with an ordinal, 0 to `maxActiveHolds` - 1, that no ACTIVE hold of the partner has. The unique index on
 * ordinals rejects what the read before it could not know, so that racing calls stay within the limit; a hold that ends leaves
 * that index in the same write (ADR 0022). Null where the partner has as many live holds as it may have; lapsed ones do not
 * count. Rejects with a duplicate-key error where another index rejects the hold.
 */
export async function insertWithinLimit<T>(
  deps: HoldLimitDeps,
  partnerId: string,
  insert: (holdOrdinal: number) => Promise<T>,
): Promise<T | null> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const { live, unnumbered, ordinals, lapsedIds } = await findActiveHolds(deps.db, partnerId);
    if (live >= deps.config.maxActiveHolds) return null;
    // A hold that an older release placed has none, and counts all the same.
    const holdOrdinal = freeOrdinal(ordinals, deps.config.maxActiveHolds - unnumbered);
    if (holdOrdinal === undefined) {
      const settled = lapsedIds.slice(0, SETTLED_AT_ONCE).map((holdId) => settleLapsedHold(deps, holdId));
      await Promise.all(settled);
      continue;
    }
    try {
      return await insert(holdOrdinal);
    } catch (err) {
      if (!isDuplicateKey(err, 'holdOrdinal')) throw err;
    }
  }
  return null;
}

/**
 * One of the ordinals below `limit` that are not taken, drawn at random so that calls which race seldom want the same; undefined
 * where all of them are taken.
 */
function freeOrdinal(taken: readonly number[], limit: number): number | undefined {
  const below = [...new Set(taken)].filter((each) => each < limit).sort((a, b) => a - b);
  if (below.length >= limit) return undefined;
  let ordinal = Math.floor(Math.random() * (limit - below.length));
  for (const each of below) if (each <= ordinal) ordinal += 1;
  return ordinal;
}

export function holdLimitReached({ config }: HoldLimitDeps): DomainError {
  return new DomainError(
    'HOLD_LIMIT_REACHED',
    `You have ${config.maxActiveHolds} ACTIVE holds, the most that a partner may have. Confirm or cancel some first.`,
  );
}
