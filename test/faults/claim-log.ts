import type { Db } from '../../src/platform/mongo.ts';
import type { Reservation } from '../../src/reservations/reservations.model.ts';
import { areRivals, type SpacesOf } from './audit.ts';

type Change = Partial<Reservation>;

/** One write in the oplog: an insert, an update (a diff, or the whole document) or a delete. */
type LoggedWrite = {
  op: 'i' | 'u' | 'd';
  ns: string;
  o: Record<string, unknown> & { diff?: { i?: Change; u?: Change; d?: Change } };
  o2?: { _id: string };
};

/** Writes that became visible together: the writes of one transaction, or a single write. */
type Commit = readonly LoggedWrite[];

/** `wall`: time of the write by the clock of MongoDB's host. */
type TimedWrite = LoggedWrite & { wall: Date };

/** All writes to the collection, in commit order. */
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

/** When each hold became EXPIRED, by id, in Unix ms of MongoDB's clock. The document only says when it was due. */
export async function expiredAtMs(stored: { context: { db: Db } }): Promise<Map<string, number>> {
  const expiries = (await readCommits(stored))
    .flat()
    .filter(({ op, o }) => op === 'u' && o.diff?.u?.status === 'EXPIRED');
  return new Map(expiries.map((write) => [idOf(write), write.wall.getTime()]));
}

/** How late each hold was expired, in milliseconds; below 0 if too early, Infinity if never. */
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
 * Every claim of a space that another reservation had at that moment, however briefly. Replays `commits` in the
 * database's order, so no clock or tolerance is involved.
 */
export function doubleBookings(commits: readonly Commit[], spacesOf: SpacesOf): string[] {
  const rows = new Map<string, Claim>();
  const claims = new Map<string, Claim>();
  return commits.flatMap((writes) => {
    const newClaims: Claim[] = [];
    for (const write of writes) {
      const before = rows.get(idOf(write));
      const row = rowAfter(write, before);
      rows.set(row._id, row);
      if (row.claimed && before?.claimed !== true) newClaims.push(row);
      if (row.claimed) claims.set(row._id, row);
      else claims.delete(row._id);
    }
    return newClaims
      .filter((claim) => claims.has(claim._id))
      .flatMap((claim) =>
        [...claims.values()]
          .filter((other) => other._id !== claim._id && areRivals(other, claim, spacesOf))
          .map((other) => `${claim._id} claimed ${claim.slotId}, which ${other._id} had on ${other.slotId}`),
      );
  });
}

/** The `_id` of the written document. */
export const idOf = ({ o, o2 }: LoggedWrite): string => String(o2?._id ?? o['_id']);

function rowAfter({ op, o, o2 }: LoggedWrite, before: Claim | undefined): Claim {
  const unclaimed = { claimed: false };
  if (op === 'd') return { ...(before as Claim), ...unclaimed };
  if (op === 'u' && o.diff !== undefined) {
    const { i, u, d } = o.diff;
    return { ...(before as Claim), ...i, ...u, ...(d?.claimed === undefined ? {} : unclaimed) };
  }
  return { ...(o as unknown as Claim), _id: String(o2?._id ?? o['_id']) };
}
