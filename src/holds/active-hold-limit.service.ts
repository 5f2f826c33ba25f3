import { DomainError } from '../domain/errors.ts';
import { onePer } from '../platform/coalesced.ts';
import type { Db } from '../platform/mongo.ts';
import type { ActiveHolds } from '../reservations/hold-reads.store.ts';
import { findActiveHolds } from '../reservations/hold-reads.store.ts';
import { isOrdinalTaken } from '../reservations/insert-hold.store.ts';
import type { ReservationDeps } from '../reservations/reservations.service.ts';
import { settleLapsedHold } from '../reservations/reservations.service.ts';

/** How often a call reads which ordinals are free and finds another there first; each time another call has placed its hold. */
const MAX_READS = 10;
/** How many lapsed holds a call settles to have the ordinal of one of them. */
const SETTLED_AT_ONCE = 10;
/** For how long calls rely on what one of them has read. */
const REMEMBERED_MS = 10_000;
/** So many partners are remembered before those are forgotten whose time is over. */
const MAX_REMEMBERED = 1000;

export type HoldLimitDeps = ReservationDeps & { config: { maxActiveHolds: number } };

/** The ordinals that a partner's ACTIVE holds had when that was read, and those that calls of this process took since. */
type TakenOrdinals = Pick<ActiveHolds, 'live' | 'unnumbered' | 'lapsedIds'> & {
  taken: Set<number>;
  readAtMs: number;
};

const rememberedOf = onePer(() => new Map<string, TakenOrdinals>());

/**
 * Runs `insert` with an ordinal, 0 to `maxActiveHolds` - 1, that no ACTIVE hold of the partner has. The unique index on
 * ordinals rejects what is not known here, so that racing calls stay within the limit; a hold that ends leaves that index in the
 * same write (ADR 0022). Which ordinals are free is read once in ten seconds, and where what is remembered proves wrong. Null
 * where the partner has as many live holds as it may have; lapsed ones do not count. Rejects with a duplicate-key error where
 * another index rejects the hold.
 */
export async function insertWithinLimit<T>(
  deps: HoldLimitDeps,
  partnerId: string,
  insert: (holdOrdinal: number) => Promise<T>,
): Promise<T | null> {
  const limit = deps.config.maxActiveHolds;
  for (let reads = 0; reads <= MAX_READS; reads += 1) {
    const active = reads === 0 ? recall(deps.db, partnerId) : await read(deps.db, partnerId);
    if (active === undefined) continue;
    if (reads > 0 && active.live >= limit) return null;
    // A hold that an older release placed has none, and counts all the same.
    const holdOrdinal = freeOrdinal(active.taken, limit - active.unnumbered);
    if (holdOrdinal === undefined) {
      const settled = active.lapsedIds.splice(0, SETTLED_AT_ONCE);
      await Promise.all(settled.map((holdId) => settleLapsedHold(deps, holdId)));
      continue;
    }
    active.taken.add(holdOrdinal);
    try {
      return await insert(holdOrdinal);
    } catch (err) {
      if (isOrdinalTaken(err)) continue;
      active.taken.delete(holdOrdinal);
      throw err;
    }
  }
  return null;
}

const isRecent = ({ readAtMs }: TakenOrdinals): boolean => performance.now() - readAtMs < REMEMBERED_MS;

function recall(db: Db, partnerId: string): TakenOrdinals | undefined {
  const known = rememberedOf(db).get(partnerId);
  return known !== undefined && isRecent(known) ? known : undefined;
}

async function read(db: Db, partnerId: string): Promise<TakenOrdinals> {
  const { ordinals, ...active } = await findActiveHolds(db, partnerId);
  const known = { ...active, taken: new Set(ordinals), readAtMs: performance.now() };
  const remembered = rememberedOf(db);
  if (remembered.size >= MAX_REMEMBERED)
    for (const [each, of] of remembered) if (!isRecent(of)) remembered.delete(each);
  remembered.set(partnerId, known);
  return known;
}

/** An ordinal below `limit` that is not taken, from a random one on, so that calls which race seldom want the same. */
function freeOrdinal(taken: ReadonlySet<number>, limit: number): number | undefined {
  const first = Math.floor(Math.random() * limit);
  for (let step = 0; step < limit; step += 1) {
    const ordinal = (first + step) % limit;
    if (!taken.has(ordinal)) return ordinal;
  }
  return undefined;
}

export function holdLimitReached({ config }: HoldLimitDeps): DomainError {
  return new DomainError(
    'HOLD_LIMIT_REACHED',
    `You have ${config.maxActiveHolds} ACTIVE holds, the most that a partner may have. Confirm or cancel some first.`,
  );
}
