import type { Db, Expression } from '../platform/mongo.ts';
import { omitUndefined } from '../platform/omit-undefined.ts';
import type { Page, Position } from '../platform/pagination.ts';
import { beyond, toPage } from '../platform/pagination.ts';
import { ALIVE, AS_SEEN_NOW, LAPSED } from './hold-expiry.rules.ts';
import type { Reservation } from './reservations.model.ts';
import { reservationCollection } from './reservations.model.ts';
import type { HoldStatus } from './reservations.rules.ts';
import { storedStatusesOf } from './reservations.rules.ts';

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
