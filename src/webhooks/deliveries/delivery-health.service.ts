import type { Backlog } from '../../platform/backlog.store.ts';
import type { Db, Tx } from '../../platform/mongo.ts';
import { findUnhealthyIds } from '../subscriptions/subscription-health.store.ts';
import { findActiveIds } from '../subscriptions/subscriptions.service.ts';
import { findOverdueBacklog, hasDeadLetter, markCounted } from './delivery-health.store.ts';

/** Marks dead letters counted within `tx`; returns how many of them were not yet, so that each counts once. */
export async function countDeadLettersOnce(
  deps: { db: Db },
  ids: readonly string[],
  tx: Tx,
): Promise<number> {
  return markCounted(deps.db, ids, tx);
}

/** Of `subscriptionIds`, those that are active and have dead letters. */
export async function withDeadLetters(
  deps: { db: Db },
  subscriptionIds: readonly string[],
): Promise<string[]> {
  if (subscriptionIds.length === 0) return [];
  const active = await findActiveIds(deps, subscriptionIds);
  const found: string[] = [];
  for (const id of active) if (await hasDeadLetter(deps.db, id)) found.push(id);
  return found;
}

/**
 * The deliveries of which an attempt has been due for at least `graceMs`; null where there are none. Those to unhealthy endpoints
 * are left out: they are sent a few at a time on purpose, and are no sign that nobody sends.
 */
export async function overdueDeliveries(deps: { db: Db }, graceMs: number): Promise<Backlog | null> {
  return findOverdueBacklog(deps.db, graceMs, await findUnhealthyIds(deps.db));
}
