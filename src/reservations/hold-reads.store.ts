import { type Backlog, type DuePage, type DueQuery, findDuePage, measureBacklog } from '../platform/backlog.store.ts';
import { batchedByDb } from '../platform/batched.ts';
import type { Db, Expression } from '../platform/mongo.ts';
import { NEWEST } from '../platform/newest-reads.ts';
import { omitUndefined } from '../platform/objects.ts';
import { beyond, type Page, type Position, toPage } from '../platform/pagination.ts';
import { type Reservation, reservationCollection } from './reservations.model.ts';
import { ALIVE, AS_SEEN_NOW, type HoldStatus, OVERDUE, storedStatusesOf } from './reservations.rules.ts';

/** The partner's holds, newest first; with `status`, only those that show that state now. */
export async function listHoldRows(
  db: Db,
  partnerId: string,
  status: HoldStatus | undefined,
  after: Position | undefined,
  limit: number,
): Promise<Page<Reservation>> {
  const match = omitUndefined({
    partnerId,
    $and: status === undefined ? undefined : [showing(status)],
    ...beyond(after, 'placedAt'),
  });
  const rows = await reservationCollection(db)
    .aggregate<Reservation>([
      { $match: match },
      { $sort: { placedAt: -1, _id: -1 } },
      { $limit: limit + 1 },
      AS_SEEN_NOW,
    ])
    .toArray();
  return toPage(rows, limit, (row) => ({ at: row.placedAt, id: row._id }));
}

function showing(status: HoldStatus): Expression {
  const stored = { status: { $in: storedStatusesOf(status) } };
  if (status === 'ACTIVE') return { ...stored, $expr: ALIVE };
  if (status === 'EXPIRED') return { $or: [stored, { status: 'ACTIVE', $expr: OVERDUE }] };
  return stored;
}

/** At most `limit` live holds of a partner at a venue, soonest expiry first, in the newest state. */
export async function findLiveHoldsAtVenue(
  db: Db,
  { partnerId, venueId, limit }: { partnerId: string; venueId: string; limit: number },
): Promise<Pick<Reservation, '_id'>[]> {
  return reservationCollection(db)
    .aggregate<Pick<Reservation, '_id'>>(
      [
        { $match: { partnerId, status: 'ACTIVE', venueId, $expr: ALIVE } },
        { $sort: { holdExpiresAt: 1 } },
        { $limit: limit },
        { $project: { _id: 1 } },
      ],
      { ...NEWEST, hint: 'active_holds_of_partner' },
    )
    .toArray();
}

/** A partner's ACTIVE holds: the ordinals of live ones (ADR 0002), and the ids of overdue ones. */
type ActiveHolds = { ordinals: number[]; overdueIds: string[] };

const MAX_PARTNERS = 50;

/** A partner's ACTIVE holds in the newest state. Concurrent calls share the read. */
export const findActiveHolds = batchedByDb<string, ActiveHolds>(async (db, partnerIds) => {
  const rows = await reservationCollection(db)
    .aggregate<ActiveHolds & { _id: string }>(
      [
        { $match: { partnerId: { $in: [...new Set(partnerIds)] }, status: 'ACTIVE' } },
        {
          $group: {
            _id: '$partnerId',
            ordinals: { $push: { $cond: [ALIVE, '$holdOrdinal', '$$REMOVE'] } },
            overdueIds: { $push: { $cond: [ALIVE, '$$REMOVE', '$_id'] } },
          },
        },
      ],
      // Without the hint the planner may read all reservations of the partner.
      { ...NEWEST, hint: 'active_holds_of_partner' },
    )
    .toArray();
  const byPartner = new Map(rows.map((each) => [each._id, each]));
  return partnerIds.map((partnerId) => byPartner.get(partnerId) ?? { ordinals: [], overdueIds: [] });
}, MAX_PARTNERS);

/** A page of rows that have been overdue for at least `graceMs`: at most `limit` rows, after a position. */
export type PageOfDue = Pick<DueQuery, 'graceMs' | 'limit' | 'after'>;

/** Holds that claim their slot, including overdue ones. */
const ACTIVE = { status: 'ACTIVE' as const };
const BY_EXPIRY = { field: 'holdExpiresAt', hint: 'active_holds' };

/** A page of holds that have been overdue for at least `graceMs`, oldest first. */
export async function findOverdueHolds(db: Db, query: PageOfDue): Promise<DuePage> {
  return findDuePage(reservationCollection(db), ACTIVE, { ...BY_EXPIRY, ...query });
}

export async function findOverdueHoldBacklog(db: Db, graceMs: number): Promise<Backlog | null> {
  return measureBacklog(reservationCollection(db), ACTIVE, { ...BY_EXPIRY, graceMs });
}

const COUNTED_AT_MOST = 100_000;
const MAX_TIME_MS = 5000;

/** How many holds claim their slot, up to 100,000. Rejects after 5 s. */
export async function countActiveHolds(db: Db): Promise<number> {
  const options = { hint: BY_EXPIRY.hint, limit: COUNTED_AT_MOST, maxTimeMS: MAX_TIME_MS };
  return reservationCollection(db).countDocuments(ACTIVE, options);
}
