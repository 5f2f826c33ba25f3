import type { Db } from '../platform/mongo.ts';
import type { Queues } from '../queues/queues.ts';
import type { DeadLetter, DeadLetterFilter } from './dead-letters.store.ts';
import { findDeadLetters, markDiscarded } from './dead-letters.store.ts';
import type { DeliveryDetail } from './deliveries.service.ts';
import { getDelivery } from './deliveries.service.ts';
import { noDeadLetter } from './redelivery.service.ts';

type DiscardDeps = { db: Db; queues: Pick<Queues, 'removeDeadLetters'> };

/**
 * Gives up a dead letter, by its id or that of one of its attempts: it is none any more, so it is counted and alerted of no longer,
 * and its job leaves the dead-letter queue (where Redis is away, the workers' sweep removes it). Its partner may redeliver it.
 * Discarding it again changes nothing.
 * @throws DomainError DELIVERY_NOT_FOUND; DELIVERY_IN_PROGRESS for what is no dead letter, or is just being sent
 */
export async function discardDeadLetter(
  deps: DiscardDeps,
  anyId: string,
  reason: string,
): Promise<DeliveryDetail> {
  const { _id } = (await getDelivery(deps, undefined, anyId)).delivery;
  await markDiscarded(deps.db, [_id], reason);
  const detail = await getDelivery(deps, undefined, _id);
  if (detail.delivery.state !== 'discarded') throw noDeadLetter(detail.delivery.state);
  await deps.queues.removeDeadLetters([_id]);
  return detail;
}

/** How many are worked on at a time. */
const BATCH = 500;

/**
 * Gives up every dead letter that `filter` describes; what becomes one during the call is left alone. Repeating it is safe.
 * Returns how many were given up.
 */
export async function discardDeadLetters(
  deps: DiscardDeps & { clock: { now(): Date } },
  { to, ...filter }: Omit<DeadLetterFilter, 'to'> & { to?: Date },
  reason: string,
): Promise<number> {
  const now = deps.clock.now();
  const wanted = { ...filter, to: to === undefined || to > now ? now : to };
  for (let discarded = 0, last: DeadLetter | undefined; ; ) {
    const rows: DeadLetter[] = await findDeadLetters(deps.db, wanted, last, BATCH);
    const ids = rows.map(({ _id }) => _id);
    discarded += await markDiscarded(deps.db, ids, reason);
    await deps.queues.removeDeadLetters(ids);
    last = rows.at(-1);
    if (rows.length < BATCH) return discarded;
  }
}
