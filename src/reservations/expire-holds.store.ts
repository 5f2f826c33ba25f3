import type { GuardedUpdate } from '../platform/bulk-writes.ts';
import { updateEach, valueAt } from '../platform/bulk-writes.ts';
import { newId } from '../platform/ids.ts';
import type { Db } from '../platform/mongo.ts';
import { NEWEST } from '../platform/newest-reads.ts';
import { SERVICE } from './actor-types.ts';
import { reservationCollection } from './reservations.model.ts';
import { transitionUpdate } from './reservations.store.ts';

/** What came of a hold that was to expire: its event, or how long it has left; 0 if it is no ACTIVE hold, or another call expired it. */
export type Expiry = { eventId: string } | { leftMs: number };

/**
 * Expires those of the holds that have lapsed by the database's clock, in two commands if all have, else in three. The updates are guarded:
 * of concurrent calls, one expires a hold. Returns for each hold, in their order, what came of it or the error that it met alone. A hold
 * whose event has been dispatched already reads as expired by another call.
 */
export async function expireLapsedHolds(db: Db, holdIds: readonly string[]): Promise<(Expiry | Error)[]> {
  if (holdIds.length === 0) return [];
  const eventIds = holdIds.map(() => newId());
  const errors = await updateEach(
    reservationCollection(db),
    holdIds.map((holdId, index) => endOf([holdId], eventIds.slice(index, index + 1))),
    endOf(holdIds, eventIds),
  );
  // One that has lapsed since the update is to be asked for again at once.
  const untilLapsed = { $max: [{ $subtract: ['$holdExpiresAt', '$$NOW'] }, 1] };
  const leftMs = { $cond: [{ $eq: ['$status', 'ACTIVE'] }, untilLapsed, 0] };
  const rows = await reservationCollection(db)
    .aggregate<{ _id: string; leftMs: number; eventIds: string[] }>(
      [
        { $match: { _id: { $in: [...new Set(holdIds)] } } },
        { $project: { leftMs, eventIds: '$outbox.eventId' } },
      ],
      NEWEST,
    )
    .toArray();
  const found = new Map(rows.map((row) => [row._id, row]));
  return holdIds.map((holdId, index) => {
    const [row, eventId = ''] = [found.get(holdId), eventIds[index]];
    if (row?.eventIds.includes(eventId)) return { eventId };
    return errors[index] ?? { leftMs: row?.leftMs ?? 0 };
  });
}

/** The update that ends these holds, each with its event. */
function endOf(holdIds: readonly string[], eventIds: readonly string[]): GuardedUpdate {
  const { guard, update } = transitionUpdate(
    'expire',
    { actor: SERVICE },
    valueAt('$_id', holdIds, eventIds),
  );
  return { filter: { _id: { $in: holdIds }, ...guard }, update };
}
