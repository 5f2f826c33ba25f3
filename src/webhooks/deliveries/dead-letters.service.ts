import { DomainError } from '../../domain/errors.ts';
import { requiredVenueId } from '../../events/events.rules.ts';
import { findEvents } from '../../events/events.store.ts';
import { filterCanReceive, requireCanReceive } from '../../partners/can-receive.service.ts';
import { readDatabaseTime } from '../../platform/clock.ts';
import type { Db } from '../../platform/mongo.ts';
import type { Queues } from '../../queues/queues.ts';
import type { SubscriptionRow } from '../subscriptions/subscriptions.model.ts';
import { findActiveIds, requireActive } from '../subscriptions/subscriptions.service.ts';
import { findSubscriptions } from '../subscriptions/subscriptions.store.ts';
import { schedulePending } from './create-deliveries.service.ts';
import type { DeadLetter, DeadLetterFilter } from './dead-letters.store.ts';
import { findDeadLetters, markDiscarded } from './dead-letters.store.ts';
import type { DeliveryState } from './deliveries.model.ts';
import { restartDeliveries } from './delivery-series.store.ts';
import { countDeadLetters } from './delivery-statistics.store.ts';
import type { DeliveryDetail } from './read-deliveries.service.ts';
import { getDelivery } from './read-deliveries.service.ts';
import type { RedeliveryDeps } from './redelivery.service.ts';
import { requireRestartable, restart } from './redelivery.service.ts';

/**
 * Begins a fresh series of attempts for a dead letter of any partner, now, with the event_id that it has.
 * @throws DomainError DELIVERY_NOT_FOUND; DELIVERY_IN_PROGRESS for what is no dead letter; WEBHOOK_INACTIVE;
 * PARTNER_SUSPENDED, VENUE_NOT_AUTHORIZED where its partner cannot receive the event any more.
 */
export async function redriveDeadLetter(deps: RedeliveryDeps, anyId: string): Promise<DeliveryDetail> {
  const deliveryId = await requireRestartable(deps, undefined, anyId);
  const { hasRestarted, detail } = await restart(deps, undefined, deliveryId, ['dead_letter']);
  if (hasRestarted) return detail;
  throw noDeadLetter(detail.delivery.state);
}

/** Why what is in `state` is no dead letter with which something can be done now. */
function noDeadLetter(state: DeliveryState): DomainError {
  const refusals: Partial<Record<DeliveryState, string>> = {
    cancelled: 'The delivery was cancelled. Its partner can have it delivered again.',
    succeeded: 'The delivery has succeeded, so it is no dead letter.',
    discarded: 'The dead letter was discarded. Its partner can have it delivered again.',
    dead_letter: 'An attempt of the dead letter is under way. Repeat the call when it has ended.',
  };
  const underWay = `The delivery is under way (${state}). Wait until it has succeeded or is a dead letter.`;
  return new DomainError('DELIVERY_IN_PROGRESS', refusals[state] ?? underWay);
}

/** How many are worked on at a time. */
const BATCH = 500;

/** Up to now where no end is named, or a later one. */
type DeadLettersUntil = Omit<DeadLetterFilter, 'to'> & { to?: Date };

/**
 * Begins a fresh series of attempts for every dead letter that `filter` describes, but for those of deactivated subscriptions
 * and of partners that cannot receive the event any more: they stay dead letters. What becomes a dead letter during the call
 * is left alone. Repeating it is safe; of calls that race each series is begun, and counted, by one. Returns how many were begun.
 * @throws DomainError WEBHOOK_NOT_FOUND, WEBHOOK_INACTIVE, PARTNER_SUSPENDED for a subscription that is named
 */
export async function redriveDeadLetters(deps: RedeliveryDeps, filter: DeadLettersUntil): Promise<number> {
  const wanted = await upToNow(deps, filter);
  if (filter.subscriptionId !== undefined) {
    const { partnerId } = await requireActive(deps, undefined, filter.subscriptionId);
    await requireCanReceive(deps, { partnerId, venueId: null }, 'operator');
  }
  return inBatches(deps, wanted, (rows) => redriveBatch(deps, rows));
}

async function upToNow({ db }: { db: Db }, { to, ...filter }: DeadLettersUntil): Promise<DeadLetterFilter> {
  const now = await readDatabaseTime(db);
  return { ...filter, to: to === undefined || to > now ? now : to };
}

/** Works through the dead letters that `wanted` describes, oldest first; returns the sum of what `work` returns. */
async function inBatches(
  deps: { db: Db },
  wanted: DeadLetterFilter,
  work: (rows: readonly DeadLetter[]) => Promise<number>,
): Promise<number> {
  for (let done = 0, last: DeadLetter | undefined; ; ) {
    const rows: DeadLetter[] = await findDeadLetters(deps.db, wanted, last, BATCH);
    done += await work(rows);
    last = rows.at(-1);
    if (rows.length < BATCH) return done;
  }
}

/** How many dead letters a subscription has, whether or not they can be delivered again. */
export type DeadLetterCount = { subscription: SubscriptionRow; count: number };

/** The dead letters of all subscriptions, or of those that `filter` describes, counted; the most first. */
export async function countDeadLettersBySubscription(
  deps: { db: Db },
  filter: { subscriptionId?: string; eventType?: string },
): Promise<DeadLetterCount[]> {
  const counts = await countDeadLetters(deps.db, filter);
  const subscriptions = await findSubscriptions(deps.db, [...counts.keys()]);
  return [...subscriptions.values()]
    .map((subscription) => ({ subscription, count: counts.get(subscription._id) ?? 0 }))
    .sort((a, b) => b.count - a.count);
}

async function redriveBatch(deps: RedeliveryDeps, rows: readonly DeadLetter[]): Promise<number> {
  const active = await findActiveIds(
    deps,
    rows.map((row) => row.subscriptionId),
  );
  const events = await findEvents(
    deps.db,
    rows.map((row) => row.eventId),
  );
  const asked = rows
    .filter((row) => active.has(row.subscriptionId))
    .map((row) => ({ ...row, venueId: requiredVenueId(events.get(row.eventId)) }));
  const ids = (await filterCanReceive(deps, asked)).map((row) => row._id);
  const restarted = await restartDeliveries(deps.db, ids, ['dead_letter']);
  await schedulePending(deps, { deliveryIds: ids });
  await deps.queues.removeDeadLetters(ids);
  return restarted;
}

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

/**
 * Gives up every dead letter that `filter` describes; what becomes one during the call is left alone. Repeating it is safe.
 * Returns how many were given up.
 */
export async function discardDeadLetters(
  deps: DiscardDeps,
  filter: DeadLettersUntil,
  reason: string,
): Promise<number> {
  return inBatches(deps, await upToNow(deps, filter), async (rows) => {
    const ids = rows.map(({ _id }) => _id);
    const discarded = await markDiscarded(deps.db, ids, reason);
    await deps.queues.removeDeadLetters(ids);
    return discarded;
  });
}
