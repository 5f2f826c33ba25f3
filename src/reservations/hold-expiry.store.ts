import { type GuardedUpdate, updateEach, valueAt } from '../platform/bulk-writes.ts';
import { newId } from '../platform/ids.ts';
import type { Db } from '../platform/mongo.ts';
import { NEWEST } from '../platform/newest-reads.ts';
import { SERVICE } from './actor-types.ts';
import { type Reservation, reservationCollection } from './reservations.model.ts';
import { ALIVE, type ReservationStatus } from './reservations.rules.ts';
import { transitionUpdate, updateClaim } from './reservations.store.ts';

/**
 * A hold after a call tried to expire it. `eventId`: the event of its expiry, null if this call did not expire it.
 * `leftMs`: the remaining time of an ACTIVE hold, at least 1; 0 in other states.
 */
export type TriedHold = {
  holdId: string;
  eventId: string | null;
  status: ReservationStatus;
  expiresAt: Date;
  leftMs: number;
};

/** The hold, or its error; null if the hold does not exist. */
export type ExpiryResult = TriedHold | Error | null;

/**
 * Expires the holds that are overdue by the database's clock, in two commands if all are overdue, else mostly in three.
 * Only one of concurrent calls expires a hold. Returns results in the order of `holdIds`.
 */
export async function expireOverdueHolds(db: Db, holdIds: readonly string[]): Promise<ExpiryResult[]> {
  if (holdIds.length === 0) return [];
  const eventIds = holdIds.map(() => newId());
  const expiries = holdIds.map((holdId, index) => expiryOf([holdId], eventIds.slice(index, index + 1)));
  const errors = await updateEach(reservationCollection(db), expiries, expiryOf(holdIds, eventIds));
  // At least 1 ms: a hold that became overdue after the update is still ACTIVE, so the caller must try it again.
  const untilDueMs = { $max: [{ $subtract: ['$holdExpiresAt', '$$NOW'] }, 1] };
  const leftMs = { $cond: [{ $eq: ['$status', 'ACTIVE'] }, untilDueMs, 0] };
  const rows = await reservationCollection(db)
    .aggregate<Omit<TriedHold, 'holdId' | 'eventId'> & { _id: string; eventIds: string[] }>(
      [
        { $match: { _id: { $in: [...new Set(holdIds)] } } },
        { $project: { status: 1, expiresAt: '$holdExpiresAt', leftMs, eventIds: '$outbox.eventId' } },
      ],
      NEWEST,
    )
    .toArray();
  const byId = new Map(rows.map((row) => [row._id, row]));
  return holdIds.map((holdId, index) => {
    const [row, eventId = ''] = [byId.get(holdId), eventIds[index]];
    if (row === undefined) return errors[index] ?? null;
    const { status, expiresAt, leftMs: left } = row;
    const hasExpired = row.eventIds.includes(eventId);
    if (!hasExpired && errors[index] !== undefined) return errors[index];
    return { holdId, eventId: hasExpired ? eventId : null, status, expiresAt, leftMs: left };
  });
}

function expiryOf(holdIds: readonly string[], eventIds: readonly string[]): GuardedUpdate {
  const eventId = valueAt('$_id', holdIds, eventIds);
  const { guard, update } = transitionUpdate('expire', { actor: SERVICE }, eventId);
  return { filter: { _id: { $in: holdIds }, ...guard }, update };
}

/**
 * Moves a live hold's expiry to `ttlMs` from the database's now or to the end of its slot, whichever is earlier; never
 * shortens the hold. Null if the hold is not live, or would live longer than `maxLifeMs`.
 */
export async function extendHold(
  db: Db,
  holdId: string,
  ttlMs: number,
  maxLifeMs: number,
): Promise<Reservation | null> {
  const newExpiry = { $min: [{ $add: ['$$NOW', ttlMs] }, '$slotEnd'] };
  const isWithinLife = { $lte: [newExpiry, { $add: ['$placedAt', maxLifeMs] }] };
  return updateClaim(db, {
    filter: { _id: holdId, status: 'ACTIVE', $expr: { $and: [ALIVE, isWithinLife] } },
    update: [{ $set: { holdExpiresAt: { $max: ['$holdExpiresAt', newExpiry] } } }],
  });
}

/** Moves a live hold's expiry to the database's now; false if the hold is not live. */
export async function makeOverdue(db: Db, holdId: string): Promise<boolean> {
  const filter = { _id: holdId, status: 'ACTIVE', $expr: ALIVE };
  return (await updateClaim(db, { filter, update: [{ $set: { holdExpiresAt: '$$NOW' } }] })) !== null;
}
