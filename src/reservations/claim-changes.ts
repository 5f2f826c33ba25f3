import { memoizeByObject } from '../platform/memoize-by-object.ts';
import { afterCommit, type Db, type Tx } from '../platform/mongo.ts';

// Every write that inserts or changes a claim counts here: after the write, this process sends no availability that it
// read before (ADR 0008). Expiring a hold does not count, because an overdue hold takes no slot.

const changesByVenue = memoizeByObject((_db: Db) => new Map<string, number>());

/** How many changes of claims at a venue this process has made; data read at another count is stale. */
export const countClaimChanges = (db: Db, venueId: string): number => changesByVenue(db).get(venueId) ?? 0;

/** Counts changes that this process has written; in a transaction, after its commit. */
export function noteClaimChanges(db: Db, claims: readonly { venueId: string }[], tx?: Tx): void {
  const count = () => {
    for (const { venueId } of claims) changesByVenue(db).set(venueId, countClaimChanges(db, venueId) + 1);
  };
  if (tx === undefined) count();
  else afterCommit(tx, count);
}
