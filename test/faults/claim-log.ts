import type { Db } from '../../src/platform/mongo.ts';
import type { Reservation } from '../../src/reservations/reservations.model.ts';
import { areRivals, type GroundsOf } from './audit.ts';

type Change = Partial<Reservation>;

/** One write in MongoDB's log (oplog): an insert, an update (a difference, or the whole document) or a delete. */
type LoggedWrite = {
  op: 'i' | 'u' | 'd';
  ns: string;
  o: Record<string, unknown> & { diff?: { i?: Change; u?: Change; d?: Change } };
  o2?: { _id: string };
};

/** The writes that became visible at one instant: those of a transaction, or a single one. */
type Commit = readonly LoggedWrite[];

/** `wall`: when it was written, by the clock of MongoDB's host. */
type TimedWrite = LoggedWrite & { wall: Date };

/** Every write to the collection there ever was, in the order in which MongoDB committed them. */
export async function readCommits(
  { context }: { context: { db: Db } },
  collection = 'reservations',
): Promise<(readonly TimedWrite[])[]> {
  const ns = `${context.db.name}.${collection}`;
  const entries = await context.db
    .getClient()
    .db('local')
    .collection('oplog.rs')
    .find({ $or: [{ ns }, { 'o.applyOps.ns': ns }] })
    .sort({ $natural: 1 })
    .toArray();
  return entries.map((entry) => {
    const writes: unknown = (entry['o'] as { applyOps?: unknown }).applyOps ?? [entry];
    const wall = entry['wall'] as Date;
    return (writes as LoggedWrite[]).filter((write) => write.ns === ns).map((write) => ({ ...write, wall }));
  });
}

/**
 * When each hold was really ended as EXPIRED, by id and by MongoDB's clock, for the document itself says only when it lapsed;
 * milliseconds of Unix time.
 */
export async function expiredAtMs(stored: { context: { db: Db } }): Promise<Map<string, number>> {
  const ended = (await readCommits(stored)).flat().filter(({ op, o }) => op === 'u' && o.diff?.u?.status === 'EXPIRED');
  return new Map(ended.map((write) => [idOf(write), write.wall.getTime()]));
}

/** How long after its expiry each hold was ended, in milliseconds; below 0 where too early, Infinity where it never was. */
export function latenessMs(
  holds: readonly Pick<Reservation, '_id' | 'holdExpiresAt'>[],
  endedAtMs: ReadonlyMap<string, number>,
): number[] {
  return holds.map(
    ({ _id, holdExpiresAt }) => (endedAtMs.get(_id) ?? Number.POSITIVE_INFINITY) - holdExpiresAt.getTime(),
  );
}

type Claim = Pick<Reservation, '_id' | 'claimed' | 'resourceId' | 'slotId' | 'slotStart' | 'slotEnd'>;

/**
 * Every time that two reservations claimed the same ground, however briefly: `commits` are replayed in the database's own order,
 * so that no clock and no tolerance is involved.
 */
export function doubleBookings(commits: readonly Commit[], groundsOf: GroundsOf): string[] {
  const rows = new Map<string, Claim>();
  const claims = new Map<string, Claim>();
  return commits.flatMap((writes) => {
    const begun: Claim[] = [];
    for (const write of writes) {
      const before = rows.get(idOf(write));
      const row = after(write, before);
      rows.set(row._id, row);
      if (row.claimed && before?.claimed !== true) begun.push(row);
      if (row.claimed) claims.set(row._id, row);
      else claims.delete(row._id);
    }
    return begun
      .filter((claim) => claims.has(claim._id))
      .flatMap((claim) =>
        [...claims.values()]
          .filter((other) => other._id !== claim._id && areRivals(other, claim, groundsOf))
          .map((other) => `${claim._id} claimed ${claim.slotId}, which ${other._id} had on ${other.slotId}`),
      );
  });
}

/** The `_id` of the document that is written. */
export const idOf = ({ o, o2 }: LoggedWrite): string => String(o2?._id ?? o['_id']);

function after({ op, o, o2 }: LoggedWrite, before: Claim | undefined): Claim {
  const gone = { claimed: false };
  if (op === 'd') return { ...(before as Claim), ...gone };
  if (op === 'u' && o.diff !== undefined) {
    const { i, u, d } = o.diff;
    return { ...(before as Claim), ...i, ...u, ...(d?.claimed === undefined ? {} : gone) };
  }
  return { ...(o as unknown as Claim), _id: String(o2?._id ?? o['_id']) };
}
