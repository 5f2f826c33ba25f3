import { type GuardedUpdate, updateEach, valueAt } from '../platform/bulk-writes.ts';
import { newId } from '../platform/ids.ts';
import type { Db } from '../platform/mongo.ts';
import { NEWEST } from '../platform/newest-reads.ts';
import { SERVICE } from './actor-types.ts';
import { reservationCollection } from './reservations.model.ts';
import { transitionUpdate } from './reservations.store.ts';

/** The event of an expired hold, or how long the hold has left: 0 if it is not ACTIVE, or another call expired it. */
type Expiry = { eventId: string } | { leftMs: number };

/**
 * Expires the holds that have lapsed by the database's clock, in two commands if all have, else in three. Of concurrent
 * calls, one expires a hold. Returns for each hold, in order, its expiry or the error that it met alone.
 */
export async function expireLapsedHolds(db: Db, holdIds: readonly string[]): Promise<(Expiry | Error)[]> {
  if (holdIds.length === 0) return [];
  const eventIds = holdIds.map(() => newId());
  const expiries = holdIds.map((holdId, index) => expiryOf([holdId], eventIds.slice(index, index + 1)));
  const errors = await updateEach(reservationCollection(db), expiries, expiryOf(holdIds, eventIds));
  // At least 1 ms: a hold that has lapsed since the update must be tried again.
  const untilLapsed = { $max: [{ $subtract: ['$holdExpiresAt', '$$NOW'] }, 1] };
  const leftMs = { $cond: [{ $eq: ['$status', 'ACTIVE'] }, untilLapsed, 0] };
  const rows = await reservationCollection(db)
    .aggregate<{ _id: string; leftMs: number; eventIds: string[] }>(
      [{ $match: { _id: { $in: [...new Set(holdIds)] } } }, { $project: { leftMs, eventIds: '$outbox.eventId' } }],
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

function expiryOf(holdIds: readonly string[], eventIds: readonly string[]): GuardedUpdate {
  const eventId = valueAt('$_id', holdIds, eventIds);
  const { guard, update } = transitionUpdate('expire', { actor: SERVICE }, eventId);
  return { filter: { _id: { $in: holdIds }, ...guard }, update };
}
