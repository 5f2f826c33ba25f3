import type { Erasure } from '../../domain/data-removal.ts';
import type { Db } from '../../platform/mongo.ts';
import { eraseExcerpts, findWithExcerpt } from './deliveries.store.ts';

export { eraseExcerpts } from './deliveries.store.ts';

/** Erases every excerpt that identifies the customer, of any event. */
export async function eraseExcerptsIdentifying(
  deps: { db: Db },
  { identifiesCustomer }: Erasure,
  batchSize: number,
): Promise<void> {
  let deliveryIds: string[] = [];
  for await (const { _id, attempts } of findWithExcerpt(deps.db)) {
    if (attempts.some((attempt) => identifiesCustomer(attempt.responseExcerpt ?? ''))) deliveryIds.push(_id);
    if (deliveryIds.length < batchSize) continue;
    await eraseExcerpts(deps.db, { deliveryIds });
    deliveryIds = [];
  }
  await eraseExcerpts(deps.db, { deliveryIds });
}
