import { audienceOf, DomainError } from '../domain/errors.ts';
import { requiredVenueId } from '../events/event-body.rules.ts';
import type { EventRow } from '../events/events.service.ts';
import { readEvents, readEventsBetween } from '../events/events.service.ts';
import { filterCanReceive, grantedVenueIds, requireCanReceive } from '../partners/partners.service.ts';
import { coalescedAlike, onePer } from '../platform/coalesced.ts';
import type { Db } from '../platform/mongo.ts';
import type { Queues } from '../queues/queues.ts';
import type { EndpointConfig } from '../sender/endpoint-url.ts';
import type { SubscriptionRow } from '../subscriptions/subscriptions.service.ts';
import {
  findActiveIds,
  getSubscriptions,
  requireActive,
  requireDeliverable,
} from '../subscriptions/subscriptions.service.ts';
import type { DeadLetter, DeadLetterFilter } from './dead-letters.store.ts';
import { findDeadLetters } from './dead-letters.store.ts';
import type { DeliveryState } from './deliveries.model.ts';
import type { CreateDeliveriesDeps, DeliveryDetail } from './deliveries.service.ts';
import { getDelivery, newDelivery, schedulePending } from './deliveries.service.ts';
import { findDeliveriesOfEvents, restartDeliveries, upsertDeliveries } from './deliveries.store.ts';
import { countDeadLetters } from './delivery-statistics.store.ts';

export type RedeliveryDeps = CreateDeliveriesDeps & {
  queues: Pick<Queues, 'removeDeadLetters'>;
  config: EndpointConfig;
};

/** Every state but that of a delivery which waits for the first attempt of its series: there the fresh series has begun. */
const REDELIVERABLE: readonly DeliveryState[] = [
  'retrying',
  'succeeded',
  'dead_letter',
  'cancelled',
  'discarded',
];

/**
 * Begins a fresh series of attempts now for a delivery, with the event_id that it has and the secret then current: also for one
 * that waits for a retry. The update of the row decides between calls that race, and between this and a worker that begins an
 * attempt: one series is begun, and the job of the earlier one finds nothing to do. A delivery that waits for its first attempt
 * is returned as it is.
 * @throws DomainError DELIVERY_NOT_FOUND; DELIVERY_IN_PROGRESS while an attempt is under way; WEBHOOK_INACTIVE;
 * VENUE_NOT_AUTHORIZED where the partner cannot receive events of the venue any more.
 */
export async function redeliver(
  deps: RedeliveryDeps,
  partnerId: string,
  anyId: string,
): Promise<DeliveryDetail> {
  const deliveryId = await requireRestartable(deps, partnerId, anyId);
  const begun = await restart(deps, partnerId, deliveryId, REDELIVERABLE);
  const { state, leaseUntil } = begun.detail.delivery;
  const isFresh = state === 'pending' && (leaseUntil?.getTime() ?? 0) <= deps.clock.now().getTime();
  if (begun.hasRestarted || isFresh) return begun.detail;
  throw new DomainError(
    'DELIVERY_IN_PROGRESS',
    'An attempt of the delivery is under way. Repeat the call when it has ended, in some 20 s at the latest.',
  );
}

/**
 * The same for an operator, of a dead letter of any partner.
 * @throws DomainError DELIVERY_NOT_FOUND; DELIVERY_IN_PROGRESS for what is no dead letter; WEBHOOK_INACTIVE;
 * PARTNER_SUSPENDED, VENUE_NOT_AUTHORIZED where its partner cannot receive the event any more.
 */
export async function redriveDeadLetter(deps: RedeliveryDeps, anyId: string): Promise<DeliveryDetail> {
  const deliveryId = await requireRestartable(deps, undefined, anyId);
  const { hasRestarted, detail } = await restart(deps, undefined, deliveryId, ['dead_letter']);
  if (hasRestarted) return detail;
  throw noDeadLetter(detail.delivery.state);
}

/** The id of a delivery that may be made again. @throws DomainError as `redeliver`, DELIVERY_IN_PROGRESS aside */
async function requireRestartable(
  deps: RedeliveryDeps,
  partnerId: string | undefined,
  anyId: string,
): Promise<string> {
  const { delivery, event } = await getDelivery(deps, partnerId, anyId);
  await requireDeliverable(deps, partnerId, delivery.subscriptionId);
  const receiver = { partnerId: delivery.partnerId, venueId: requiredVenueId(event) };
  await requireCanReceive(deps, receiver, audienceOf(partnerId));
  return delivery._id;
}

/** Begins a fresh series where the delivery is in one of `states` and nobody is at work on it; `detail` is what it is then. */
async function restart(
  deps: RedeliveryDeps,
  partnerId: string | undefined,
  deliveryId: string,
  states: readonly DeliveryState[],
): Promise<{ hasRestarted: boolean; detail: DeliveryDetail }> {
  const hasRestarted = (await restartDeliveries(deps.db, [deliveryId], states)) === 1;
  if (hasRestarted) {
    await schedulePending(deps, { deliveryIds: [deliveryId] });
    await deps.queues.removeDeadLetters([deliveryId]);
  }
  return { hasRestarted, detail: await getDelivery(deps, partnerId, deliveryId) };
}

/** Why what is in `state` is no dead letter with which something can be done now. */
export function noDeadLetter(state: DeliveryState): DomainError {
  const refusals: Partial<Record<DeliveryState, string>> = {
    cancelled: 'The delivery was cancelled. Its partner can have it delivered again.',
    succeeded: 'The delivery has succeeded, so it is no dead letter.',
    discarded: 'The dead letter was discarded. Its partner can have it delivered again.',
    dead_letter: 'An attempt of the dead letter is under way. Repeat the call when it has ended.',
  };
  const underWay = `The delivery is under way (${state}). Wait until it has succeeded or is a dead letter.`;
  return new DomainError('DELIVERY_IN_PROGRESS', refusals[state] ?? underWay);
}

/** How many events are worked on at a time; nothing of a recovery is kept in memory longer. */
const BATCH = 500;

/**
 * Begins a fresh series of attempts for every dead letter that `filter` describes, but for those of deactivated subscriptions
 * and of partners that cannot receive the event any more: they stay dead letters. What becomes a dead letter during the call
 * is left alone. Repeating it is safe; of calls that race each series is begun, and counted, by one. Returns how many were begun.
 * @throws DomainError WEBHOOK_NOT_FOUND, WEBHOOK_INACTIVE, PARTNER_SUSPENDED for a subscription that is named
 */
export async function redriveDeadLetters(
  deps: RedeliveryDeps,
  { to, ...filter }: Omit<DeadLetterFilter, 'to'> & { to?: Date },
): Promise<number> {
  const now = deps.clock.now();
  const wanted = { ...filter, to: to === undefined || to > now ? now : to };
  if (filter.subscriptionId !== undefined) {
    const { partnerId } = await requireActive(deps, undefined, filter.subscriptionId);
    await requireCanReceive(deps, { partnerId, venueId: null }, 'operator');
  }
  for (let redriven = 0, last: DeadLetter | undefined; ; ) {
    const rows: DeadLetter[] = await findDeadLetters(deps.db, wanted, last, BATCH);
    redriven += await redriveBatch(deps, rows);
    last = rows.at(-1);
    if (rows.length < BATCH) return redriven;
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
  const subscriptions = await getSubscriptions(deps, [...counts.keys()]);
  return subscriptions
    .map((subscription) => ({ subscription, count: counts.get(subscription._id) ?? 0 }))
    .sort((a, b) => b.count - a.count);
}

async function redriveBatch(deps: RedeliveryDeps, rows: readonly DeadLetter[]): Promise<number> {
  const active = await findActiveIds(
    deps,
    rows.map((row) => row.subscriptionId),
  );
  const events = await readEvents(
    deps,
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

/** What has no success, and no first attempt of its series before it. */
const RECOVERABLE: readonly DeliveryState[] = REDELIVERABLE.filter((state) => state !== 'succeeded');

const recoveriesOf = onePer(coalescedAlike<number>);

/** What is to be recovered; up to now where no end is named. */
export type RecoverySpan = { since: Date; until?: Date };

/**
 * Delivers again, now, every event from `since` to `until` that the subscription asks for and has no success for: what waits for
 * a retry, and what it never had a delivery of, included. What waits for a first attempt, or is being sent, is left to it.
 * Repeating it is safe. Returns how many series were begun. A subscription has one recovery at a time in a process: those who ask for the same
 * meanwhile share the one that comes after it.
 * @throws DomainError WEBHOOK_NOT_FOUND, WEBHOOK_INACTIVE; RATE_LIMITED while another time is being recovered
 */
export async function recoverDeliveries(
  deps: RedeliveryDeps,
  partnerId: string,
  subscriptionId: string,
  span: RecoverySpan,
): Promise<number> {
  const subscription = await requireDeliverable(deps, partnerId, subscriptionId);
  const wanted = `${span.since.toISOString()} ${span.until?.toISOString() ?? 'now'}`;
  const recovered = recoveriesOf(deps.db)(subscriptionId, wanted, () =>
    recoverSpan(deps, subscription, span),
  );
  if (recovered !== undefined) return recovered;
  throw new DomainError(
    'RATE_LIMITED',
    'Another time is being recovered for this subscription. Recover one after the other: repeat the call after the seconds in Retry-After.',
  );
}

async function recoverSpan(
  deps: RedeliveryDeps,
  subscription: SubscriptionRow,
  { since, until = deps.clock.now() }: RecoverySpan,
): Promise<number> {
  const venueIds = await grantedVenueIds(deps, subscription.partnerId);
  const wanted = { types: subscription.eventTypes, venueIds, since, until };
  for (let recovered = 0, last: EventRow | undefined; ; ) {
    const events = await readEventsBetween(deps, wanted, last, BATCH);
    recovered += await recoverBatch(deps, subscription, events);
    last = events.at(-1);
    if (events.length < BATCH) return recovered;
  }
}

async function recoverBatch(
  deps: RedeliveryDeps,
  subscription: SubscriptionRow,
  events: readonly EventRow[],
): Promise<number> {
  if (events.length === 0) return 0;
  const eventIds = events.map((event) => event._id);
  const known = await findDeliveriesOfEvents(deps.db, subscription._id, eventIds);
  const undelivered = known.filter(({ state }) => RECOVERABLE.includes(state));
  const restarted = await restartDeliveries(
    deps.db,
    undelivered.map((row) => row._id),
    RECOVERABLE,
  );
  const withRow = new Set(known.map((row) => row.eventId));
  const now = deps.clock.now();
  const missing = events.filter((event) => !withRow.has(event._id));
  const created = await upsertDeliveries(
    deps.db,
    missing.map((event) => newDelivery(event, subscription, now)),
  );
  await schedulePending(deps, { eventIds, subscriptionId: subscription._id });
  const dead = undelivered.filter(({ state }) => state === 'dead_letter');
  await deps.queues.removeDeadLetters(dead.map(({ _id }) => _id));
  return restarted + created;
}
