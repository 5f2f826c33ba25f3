import { batched } from '../platform/batched.ts';
import { memoizeByObject } from '../platform/memoize-by-object.ts';
import type { Db, Expression } from '../platform/mongo.ts';
import { NEWEST } from '../platform/newest-reads.ts';
import { omitUndefined } from '../platform/omit-undefined.ts';
import type { Page, Position } from '../platform/pagination.ts';
import { beyond, toPage } from '../platform/pagination.ts';
import type { Reservation } from './reservations.model.ts';
import { reservationCollection } from './reservations.model.ts';
import type { HoldStatus } from './reservations.rules.ts';
import { ALIVE, AS_SEEN_NOW, LAPSED, storedStatusesOf } from './reservations.rules.ts';

/** The partner's holds, newest first; with `status`, those that are to be seen in that state now. */
export async function listHoldRows(
  db: Db,
  partnerId: string,
  status: HoldStatus | undefined,
  after: Position | undefined,
  limit: number,
): Promise<Page<Reservation>> {
  const match = omitUndefined({
    partnerId,
    $and: status === undefined ? undefined : [seenAs(status)],
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

function seenAs(status: HoldStatus): Expression {
  const stored = { status: { $in: storedStatusesOf(status) } };
  if (status === 'ACTIVE') return { ...stored, $expr: ALIVE };
  if (status === 'EXPIRED') return { $or: [stored, { status: 'ACTIVE', $expr: LAPSED }] };
  return stored;
}

/** The live holds of a partner at a venue, soonest expiry first, at most `limit`; the newest state, committed or about to be. */
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

/** A partner's ACTIVE holds: the ordinals of those that are alive, and the ids of those that have lapsed, which are not expired yet. */
export type ActiveHolds = { ordinals: number[]; lapsedIds: string[] };

/** For how many partners one read asks at most. */
const MAX_PARTNERS = 50;

/** The newest state, committed or about to be. Concurrent calls share the read. */
export const findActiveHolds = (db: Db, partnerId: string): Promise<ActiveHolds> =>
  activeHoldsOf(db)(partnerId);

const activeHoldsOf = memoizeByObject((db: Db) =>
  batched<string, ActiveHolds>(async (partnerIds) => {
    const found = await reservationCollection(db)
      .aggregate<ActiveHolds & { _id: string }>(
        [
          { $match: { partnerId: { $in: [...new Set(partnerIds)] }, status: 'ACTIVE' } },
          {
            $group: {
              _id: '$partnerId',
              ordinals: { $push: { $cond: [ALIVE, '$holdOrdinal', '$$REMOVE'] } },
              lapsedIds: { $push: { $cond: [ALIVE, '$$REMOVE', '$_id'] } },
            },
          },
        ],
        // Without the hint the planner may walk every reservation that the partner ever made.
        { ...NEWEST, hint: 'active_holds_of_partner' },
      )
      .toArray();
    const byPartner = new Map(found.map((each) => [each._id, each]));
    return partnerIds.map((partnerId) => byPartner.get(partnerId) ?? { ordinals: [], lapsedIds: [] });
  }, MAX_PARTNERS),
);
