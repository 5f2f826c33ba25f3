import { onePer } from '../platform/coalesced.ts';
import type { Db, Tx } from '../platform/mongo.ts';
import { afterCommit } from '../platform/mongo.ts';

/** By venue. */
const changesOf = onePer((_db: Db) => new Map<string, number>());

/** How often this process has changed what is claimed at a venue; what it read at another count is out of date. */
export const countClaimChanges = (db: Db, venueId: string): number => changesOf(db).get(venueId) ?? 0;

/** Counts changes that this process has written, before the call returns that made them; those of a transaction when it is committed. */
export function noteClaimChanges(db: Db, claims: readonly { venueId: string }[], tx?: Tx): void {
  const count = () => {
    for (const { venueId } of claims) changesOf(db).set(venueId, countClaimChanges(db, venueId) + 1);
  };
  if (tx === undefined) count();
  else afterCommit(tx, count);
}
