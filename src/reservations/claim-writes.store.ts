import type { GuardedUpdate } from '../platform/bulk-writes.ts';
import { memoizeByObject } from '../platform/memoize-by-object.ts';
import { afterCommit, type Db, type Expression, type Tx } from '../platform/mongo.ts';
import { type Reservation, reservationCollection } from './reservations.model.ts';

// Every write that inserts a claim or changes its cells is here or in insert-hold.store.ts. It counts the change, so
// that afterwards this process sends no availability from before the write (ADR 0008). Expiring a hold is not counted,
// because a lapsed hold claims nothing.

const changesByVenue = memoizeByObject((_db: Db) => new Map<string, number>());

/** How many changes of claims at a venue this process has made; data read at another count is stale. */
export const countClaimChanges = (db: Db, venueId: string): number => changesByVenue(db).get(venueId) ?? 0;

/** Counts changes that this process has written, in a transaction after its commit. */
export function noteClaimChanges(db: Db, claims: readonly { venueId: string }[], tx?: Tx): void {
  const count = () => {
    for (const { venueId } of claims) changesByVenue(db).set(venueId, countClaimChanges(db, venueId) + 1);
  };
  if (tx === undefined) count();
  else afterCommit(tx, count);
}

/** Changes the claim that the filter still matches; null if none does. */
export async function updateClaim(
  db: Db,
  { filter, update }: GuardedUpdate & { filter: { _id: string } },
  tx?: Tx,
): Promise<Reservation | null> {
  const reservation = await reservationCollection(db).findOneAndUpdate(filter, update, {
    returnDocument: 'after',
    ...(tx === undefined ? {} : { session: tx }),
  });
  if (reservation !== null) noteClaimChanges(db, [reservation], tx);
  return reservation;
}

/** Inserts the claim that the pipeline builds; an upsert, because only an update can read `$$NOW`. */
export async function insertClaim(db: Db, reservationId: string, pipeline: Expression[], tx: Tx): Promise<Reservation> {
  const reservation = await reservationCollection(db).findOneAndUpdate({ _id: reservationId }, pipeline, {
    upsert: true,
    returnDocument: 'after',
    session: tx,
  });
  if (reservation === null) throw new Error('An upsert returned no document');
  noteClaimChanges(db, [reservation], tx);
  return reservation;
}
