import type { GuardedUpdate } from '../platform/bulk-writes.ts';
import { writeEach } from '../platform/bulk-writes.ts';
import type { Db, Expression, Tx } from '../platform/mongo.ts';
import { noteClaimChanges } from './claim-changes.store.ts';
import type { Reservation } from './reservations.model.ts';
import { reservationCollection } from './reservations.model.ts';

// All that inserts claims or changes what they take passes here, so that this process sends no availability of before once the write is
// answered (ADR 0038). The end of a lapsed hold is none of it: what has lapsed takes nothing.

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

/** Inserts the claims as one bulk, each made of its own by `toDocument`. As `writeEach` has it. */
export async function insertClaims(
  db: Db,
  claims: readonly Reservation[],
  toDocument: (claim: Reservation, index: number) => Expression,
  options: { maxTimeMS: number },
): Promise<(Error | undefined)[]> {
  const writes = claims.map((claim, index) => {
    const update = [{ $replaceWith: toDocument(claim, index) }];
    return { updateOne: { filter: { _id: claim._id }, update, upsert: true } };
  });
  let inserted = claims;
  try {
    const errors = await writeEach(reservationCollection(db), writes, options);
    inserted = claims.filter((_, index) => errors[index] === undefined);
    return errors;
  } finally {
    // All of them where the bulk failed as a whole: its caller may find them.
    noteClaimChanges(db, inserted);
  }
}
