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

/** The ACTIVE holds of a partner, as the limit of them needs to know them. */
export type ActiveHolds = {
  /** How many are alive now. */
  live: number;
  /** Of those, how many have no ordinal. */
  unnumbered: number;
  /** Of all, the lapsed ones too. */
  ordinals: number[];
  /** Those that lapsed and that nobody has settled. */
  lapsedIds: string[];
};

/** The partner's ACTIVE holds; the newest state, committed or about to be. */
export async function findActiveHolds(db: Db, partnerId: string): Promise<ActiveHolds> {
  const countIf = (condition: Expression) => ({ $sum: { $cond: [condition, 1, 0] } });
  const isUnnumbered = { $eq: [{ $type: '$holdOrdinal' }, 'missing'] };
  const [active] = await reservationCollection(db)
    .aggregate<ActiveHolds>(
      [
        { $match: { partnerId, status: 'ACTIVE' } },
        {
          $group: {
            _id: null,
            live: countIf(ALIVE),
            unnumbered: countIf({ $and: [ALIVE, isUnnumbered] }),
            ordinals: { $push: '$holdOrdinal' },
            lapsedIds: { $push: { $cond: [ALIVE, '$$REMOVE', '$_id'] } },
          },
        },
      ],
      {
        // Without it the planner may walk every reservation that the partner ever made.
        hint: 'active_holds_of_partner',
        ...NEWEST,
      },
    )
    .toArray();
  return active ?? { live: 0, unnumbered: 0, ordinals: [], lapsedIds: [] };
}
