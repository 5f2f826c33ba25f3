import type { Backlog } from '../platform/backlog.store.ts';
import type { Db, Tx } from '../platform/mongo.ts';
import { UNHEALTHY_AFTER_FAILURES } from '../sender/send-permits.ts';
import { findActiveIds } from '../subscriptions/subscriptions.service.ts';
import type { FailingSubscription, OpenState, UncountedDeadLetter } from './delivery-health.store.ts';
import {
  countInState,
  findDueBacklog,
  findFailing,
  findOverdueBacklog,
  findUncounted,
  hasDeadLetter,
  markCounted,
} from './delivery-health.store.ts';

/** Dead letters that alerting has not counted yet. */
export async function listUncountedDeadLetters(
  deps: { db: Db },
  limit: number,
): Promise<UncountedDeadLetter[]> {
  return findUncounted(deps.db, limit);
}

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

/** Active subscriptions whose deliveries have all failed for at least `forMs`, longest first. */
export async function failingSubscriptions(
  deps: { db: Db },
  forMs: number,
  limit: number,
): Promise<FailingSubscription[]> {
  return findFailing(deps.db, forMs, limit);
}

/** For the metrics: how many deliveries are in an open state, up to 100,000. */
export async function deliveriesInState(deps: { db: Db }, state: OpenState): Promise<number> {
  return countInState(deps.db, state);
}

/** The deliveries of which an attempt is due; null where there are none. */
export async function dueDeliveries(deps: { db: Db }): Promise<Backlog | null> {
  return findDueBacklog(deps.db);
}

/**
 * The deliveries of which an attempt has been due for at least `graceMs`; null where there are none. Those to endpoints that
 * fail are left out: they are sent a few at a time on purpose, and are no sign that nobody sends.
 */
export async function overdueDeliveries(deps: { db: Db }, graceMs: number): Promise<Backlog | null> {
  return findOverdueBacklog(deps.db, graceMs, UNHEALTHY_AFTER_FAILURES);
}
