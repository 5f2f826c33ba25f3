import { DomainError } from '../../domain/errors.ts';
import { requiredVenueId, venueIdOf } from '../../events/events.rules.ts';
import { findEvents } from '../../events/events.store.ts';
import { filterCanReceive, requireCanReceive } from '../../partners/can-receive.service.ts';
import { readDatabaseTime } from '../../platform/clock.ts';
import { requireActive } from '../subscriptions/require-subscription.service.ts';
import { wantsVenue } from '../subscriptions/subscription-view.rules.ts';
import type { SubscriptionRow } from '../subscriptions/subscriptions.model.ts';
import { findSubscriptions } from '../subscriptions/subscriptions.store.ts';
import type { DeliveryState } from './deliveries.model.ts';
import { type DeadLetter, type DeadLetterFilter, findDeadLetters, markDiscarded } from './delivery-states.store.ts';
import { countDeadLetters } from './delivery-statistics.store.ts';
import { type DeliveryDetail, getDelivery } from './read-deliveries.service.ts';
import { type RedeliveryDeps, redeliverAll, redeliverOne } from './redelivery.service.ts';

/**
 * Begins a fresh series of attempts for a dead letter of any partner, now, with the same event_id.
 * @throws DomainError DELIVERY_NOT_FOUND; DELIVERY_IN_PROGRESS if it is not a dead letter; WEBHOOK_INACTIVE;
 *   PARTNER_SUSPENDED, VENUE_NOT_AUTHORIZED if its partner may no longer receive the event
 */
export async function redeliverDeadLetter(deps: RedeliveryDeps, anyId: string): Promise<DeliveryDetail> {
  const { hasBegun, detail } = await redeliverOne(deps, undefined, anyId, ['dead_letter']);
  if (hasBegun) return detail;
  throw notADeadLetter(detail.delivery.state);
}

/** The error for a delivery that is not a dead letter, or is being sent. */
function notADeadLetter(state: DeliveryState): DomainError {
  const reasons: Partial<Record<DeliveryState, string>> = {
    cancelled: 'The delivery was cancelled. Its partner can redeliver it.',
    succeeded: 'The delivery has succeeded, so it is not a dead letter.',
    discarded: 'The dead letter was discarded. Its partner can redeliver it.',
    dead_letter: 'An attempt of the dead letter is in progress. Repeat the call when it has ended.',
  };
  const inProgress = `The delivery is in progress (${state}). Wait until it has succeeded or is a dead letter.`;
  return new DomainError('DELIVERY_IN_PROGRESS', reasons[state] ?? inProgress);
}

const BATCH = 500;

/** `to`: now, if absent or in the future. */
type DeadLettersUntil = Omit<DeadLetterFilter, 'to'> & { to?: Date };

/**
 * Begins a fresh series of attempts for every matching dead letter, except those of subscriptions that are inactive or
 * no longer include the venue, and of partners that may no longer receive the event. Deliveries that become dead
 * letters during the call are left alone. Safe to repeat: if calls race, only one starts and counts each redelivery.
 * Returns how many were begun.
 * @throws DomainError WEBHOOK_NOT_FOUND, WEBHOOK_INACTIVE, PARTNER_SUSPENDED for a named subscription
 */
export async function redeliverDeadLetters(deps: RedeliveryDeps, filter: DeadLettersUntil): Promise<number> {
  if (filter.subscriptionId !== undefined) {
    const { partnerId } = await requireActive(deps, undefined, filter.subscriptionId);
    await requireCanReceive(deps, { partnerId, venueId: null }, 'operator');
  }
  return inBatches(deps, filter, (rows) => redeliverBatch(deps, rows));
}

/** Works through the matching dead letters, oldest first; returns the sum of the results of `work`. */
async function inBatches(
  { db }: Pick<RedeliveryDeps, 'db'>,
  { to, ...filter }: DeadLettersUntil,
  work: (rows: readonly DeadLetter[]) => Promise<number>,
): Promise<number> {
  const now = await readDatabaseTime(db);
  const period = { ...filter, to: to === undefined || to > now ? now : to };
  for (let sum = 0, last: DeadLetter | undefined; ; ) {
    const rows: DeadLetter[] = await findDeadLetters(db, period, last, BATCH);
    sum += await work(rows);
    last = rows.at(-1);
    if (rows.length < BATCH) return sum;
  }
}

async function redeliverBatch(deps: RedeliveryDeps, rows: readonly DeadLetter[]): Promise<number> {
  const subscriptionIds = rows.map((row) => row.subscriptionId);
  const eventIds = rows.map((row) => row.eventId);
  const subscriptions = await findSubscriptions(deps.db, subscriptionIds);
  const events = await findEvents(deps.db, eventIds);
  const wanted = rows
    .map((row) => ({ ...row, venueId: requiredVenueId(events.get(row.eventId)) }))
    .filter(({ subscriptionId, eventId }) => {
      const subscription = subscriptions.get(subscriptionId);
      return subscription?.status === 'active' && wantsVenue(subscription, venueIdOf(events.get(eventId)));
    });
  const ids = (await filterCanReceive(deps, wanted)).map((row) => row._id);
  return redeliverAll(deps, ids, ['dead_letter']);
}

/** A subscription, and how many dead letters it has, whether or not they can be delivered again. */
export type DeadLetterCount = { subscription: SubscriptionRow; count: number };

/** The number of matching dead letters by subscription, largest first. */
export async function countDeadLettersBySubscription(
  deps: Pick<RedeliveryDeps, 'db'>,
  filter: { subscriptionId?: string; eventType?: string },
): Promise<DeadLetterCount[]> {
  const counts = await countDeadLetters(deps.db, filter);
  const subscriptions = await findSubscriptions(deps.db, [...counts.keys()]);
  return [...subscriptions.values()]
    .map((subscription) => ({ subscription, count: counts.get(subscription._id) ?? 0 }))
    .sort((a, b) => b.count - a.count);
}

/**
 * Discards a dead letter, by its id or the id of an attempt: it is no longer counted and raises no alert. Its job
 * leaves the dead-letter queue; without Redis, the sweep removes the job. The partner may redeliver it. Safe to repeat.
 * @throws DomainError DELIVERY_NOT_FOUND; DELIVERY_IN_PROGRESS if it is not a dead letter, or is being sent
 */
export async function discardDeadLetter(deps: RedeliveryDeps, anyId: string, reason: string): Promise<DeliveryDetail> {
  const { _id } = (await getDelivery(deps, undefined, anyId)).delivery;
  await markDiscarded(deps.db, [_id], reason);
  const detail = await getDelivery(deps, undefined, _id);
  if (detail.delivery.state !== 'discarded') throw notADeadLetter(detail.delivery.state);
  await deps.queues.removeDeadLetters([_id]);
  return detail;
}

/** Discards every matching dead letter; safe to repeat. Returns how many were discarded. */
export async function discardDeadLetters(
  deps: RedeliveryDeps,
  filter: DeadLettersUntil,
  reason: string,
): Promise<number> {
  return inBatches(deps, filter, async (rows) => {
    const ids = rows.map(({ _id }) => _id);
    const discarded = await markDiscarded(deps.db, ids, reason);
    await deps.queues.removeDeadLetters(ids);
    return discarded;
  });
}
