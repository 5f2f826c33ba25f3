import type { Reservation } from '../../src/reservations/reservations.model.ts';
import type { Service } from '../support/service.ts';

type OplogEntry = { o2: { _id: string }; wall: Date };

/**
 * When each hold was really ended as EXPIRED, by id and by MongoDB's clock: from its log of writes, for the document itself says
 * only when it lapsed. Milliseconds of Unix time.
 */
export async function expiredAtMs(service: Service): Promise<Map<string, number>> {
  const entries = await service.context.db
    .getClient()
    .db('local')
    .collection<OplogEntry>('oplog.rs')
    .find({ ns: `${service.context.db.name}.reservations`, op: 'u', 'o.diff.u.status': 'EXPIRED' })
    .toArray();
  return new Map(entries.map(({ o2, wall }) => [o2._id, wall.getTime()]));
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
