import type { GuardedUpdate } from '../platform/bulk-writes.ts';
import type { Db, Expression, Tx } from '../platform/mongo.ts';
import { noteClaimChanges } from './claim-changes.store.ts';
import type { Reservation } from './reservations.model.ts';
import { reservationCollection } from './reservations.model.ts';

// Every write that inserts a claim or changes what one takes is here or in insert-hold.store.ts, and notes the change: once the write is
// answered, this process sends no availability from before it (ADR 0038). Expiring a hold notes nothing: a lapsed hold takes nothing.

/** Changes the claim that the filter still matches; null where none does. */
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

/** Inserts the claim of this id that the expression makes; an upsert, because only an update can read `$$NOW`. */
export async function insertClaim(
  db: Db,
  reservationId: string,
  document: Expression,
  tx: Tx,
): Promise<Reservation> {
  const reservation = await reservationCollection(db).findOneAndUpdate(
    { _id: reservationId },
    [{ $replaceWith: document }],
    { upsert: true, returnDocument: 'after', session: tx },
  );
  if (reservation === null) throw new Error('An upsert returned no document');
  noteClaimChanges(db, [reservation], tx);
  return reservation;
}
