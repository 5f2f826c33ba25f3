import type { Erasure } from '../../domain/erasure.ts';
import type { Db } from '../../platform/mongo.ts';
import { eraseExcerpts, eraseExcerptsById, findWithExcerpt } from './excerpts.store.ts';

/** Erases the excerpts of receivers' responses to these events. */
export async function eraseExcerptsOf(deps: { db: Db }, eventIds: readonly string[]): Promise<void> {
  await eraseExcerpts(deps.db, eventIds);
}

/** Erases every excerpt that identifies the customer, whatever it was a response to. */
export async function eraseExcerptsIdentifying(
  deps: { db: Db },
  { identifiesCustomer }: Erasure,
  limit: number,
): Promise<void> {
  let found: string[] = [];
  for await (const { _id, attempts } of findWithExcerpt(deps.db)) {
    if (attempts.some(({ responseExcerpt }) => identifiesCustomer(responseExcerpt ?? ''))) found.push(_id);
    if (found.length < limit) continue;
    await eraseExcerptsById(deps.db, found);
    found = [];
  }
  await eraseExcerptsById(deps.db, found);
}
