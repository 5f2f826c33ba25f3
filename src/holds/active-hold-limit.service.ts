import { DomainError } from '../domain/errors.ts';
import { coalescedByKey, onePer } from '../platform/coalesced.ts';
import type { Db } from '../platform/mongo.ts';
import type { ActiveHolds } from '../reservations/hold-reads.store.ts';
import { findActiveHolds } from '../reservations/hold-reads.store.ts';
import { isOrdinalTaken } from '../reservations/insert-hold.store.ts';
import type { ReservationDeps } from '../reservations/reservations.service.ts';
import { settleLapsedHold } from '../reservations/reservations.service.ts';

/** How often a call reads which ordinals are free and finds those gone; each time other calls have placed their holds. */
const MAX_READS = 30;
/** How many lapsed holds a call settles to have the ordinal of one of them. */
const SETTLED_AT_ONCE = 10;
/** For how long calls rely on what one of them has read. */
const REMEMBERED_MS = 10_000;
/** So many partners are remembered before those are forgotten whose time is over. */
const MAX_REMEMBERED = 1000;

export type HoldLimitDeps = ReservationDeps & { config: { maxActiveHolds: number } };

/** What this process knows of the ordinals of a partner's ACTIVE holds. */
type KnownOrdinals = Pick<ActiveHolds, 'unnumbered' | 'lapsedIds'> & {
  readAtMs: number;
  /** Those that were read, those whose inserts were under way when that read began, and those that calls took since. */
  taken: Set<number>;
  /** The same of the read that is under way, which may miss them; without what it will find. */
  takenMeanwhile: Set<number> | undefined;
  /** The inserts under way, by their ordinals. */
  underWay: Map<number, Promise<unknown>>;
};

const knownOf = onePer((_db: Db) => new Map<string, KnownOrdinals>());
const sharedReadOf = onePer((_db: Db) => coalescedByKey<ActiveHolds>());

/**
 * Runs `insert`, which returns null if it inserted nothing, with an ordinal, 0 to `maxActiveHolds` - 1, that no ACTIVE hold of the partner has. The unique index on
 * ordinals rejects what is not known here, so that racing calls stay within the limit; a hold that ends leaves that index in the
 * same write (ADR 0022). Which ordinals are free is read once in ten seconds, and where what is remembered proves wrong; calls share
 * the read. 'limit reached' if the partner has as many live holds as it may have, by a read that began after the call; lapsed
 * ones do not count. Rejects with a duplicate-key error where another index rejects the hold.
 */
export async function insertWithinLimit<T>(
  deps: HoldLimitDeps,
  partnerId: string,
  insert: (holdOrdinal: number) => Promise<T>,
): Promise<T | 'limit reached'> {
  const limit = deps.config.maxActiveHolds;
  for (let reads = 0; reads <= MAX_READS; reads += 1) {
    if (reads > 0 && (await read(deps.db, partnerId)).live >= limit) return 'limit reached';
    const known = ordinalsOf(deps.db, partnerId);
    if (!isRecent(known)) continue;
    // A hold that an older release placed has none, and counts all the same.
    const holdOrdinal = freeOrdinal(known.taken, limit - known.unnumbered);
    if (holdOrdinal === undefined) {
      if (reads > 0) await untilOrdinalsAreFree(deps, known);
      continue;
    }
    try {
      return await inserting(known, holdOrdinal, insert(holdOrdinal));
    } catch (err) {
      if (!isOrdinalTaken(err)) throw err;
    }
  }
  return 'limit reached';
}

/** Notes the ordinal as taken, and as free again if the insert comes to null or fails for another reason than the ordinal. */
async function inserting<T>(known: KnownOrdinals, holdOrdinal: number, insert: Promise<T>): Promise<T> {
  known.underWay.set(holdOrdinal, insert);
  known.taken.add(holdOrdinal);
  known.takenMeanwhile?.add(holdOrdinal);
  let isTaken = false;
  try {
    const written = await insert;
    isTaken = written !== null;
    return written;
  } catch (err) {
    isTaken = isOrdinalTaken(err);
    throw err;
  } finally {
    known.underWay.delete(holdOrdinal);
    if (!isTaken) for (const taken of [known.taken, known.takenMeanwhile]) taken?.delete(holdOrdinal);
  }
}

/** Where lapsed holds have ordinals some of these are settled; else others may come free as inserts under way end. */
async function untilOrdinalsAreFree(
  deps: HoldLimitDeps,
  { lapsedIds, underWay }: KnownOrdinals,
): Promise<void> {
  const settled = lapsedIds.splice(0, SETTLED_AT_ONCE);
  if (settled.length === 0) await Promise.allSettled(underWay.values());
  else await Promise.all(settled.map((holdId) => settleLapsedHold(deps, holdId)));
}

/** The partner's ACTIVE holds, by a read that begins after the call; what is known of their ordinals is that from then on. */
function read(db: Db, partnerId: string): Promise<ActiveHolds> {
  return sharedReadOf(db)(partnerId, async () => {
    const known = ordinalsOf(db, partnerId);
    const taken = new Set(known.underWay.keys());
    known.takenMeanwhile = taken;
    try {
      const active = await findActiveHolds(db, partnerId);
      for (const ordinal of active.ordinals) taken.add(ordinal);
      const { unnumbered, lapsedIds } = active;
      Object.assign(known, { taken, unnumbered, lapsedIds, readAtMs: performance.now() });
      return active;
    } finally {
      known.takenMeanwhile = undefined;
    }
  });
}

const isRecent = ({ readAtMs }: KnownOrdinals): boolean => performance.now() - readAtMs < REMEMBERED_MS;

function ordinalsOf(db: Db, partnerId: string): KnownOrdinals {
  const all = knownOf(db);
  const known = all.get(partnerId);
  if (known !== undefined) return known;
  const isIdle = (each: KnownOrdinals) =>
    !isRecent(each) && each.underWay.size === 0 && each.takenMeanwhile === undefined;
  if (all.size >= MAX_REMEMBERED) for (const [each, of] of all) if (isIdle(of)) all.delete(each);
  const made: KnownOrdinals = {
    ...{ readAtMs: Number.NEGATIVE_INFINITY, taken: new Set(), unnumbered: 0, lapsedIds: [] },
    ...{ takenMeanwhile: undefined, underWay: new Map() },
  };
  all.set(partnerId, made);
  return made;
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
