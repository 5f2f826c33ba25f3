import { DomainError } from '../../domain/errors.ts';
import type { EventRow } from '../../events/events.model.ts';
import { findEventsBetween } from '../../events/events.store.ts';
import { listGrantedVenueIds } from '../../partners/partners.store.ts';
import { readDatabaseTime } from '../../platform/clock.ts';
import { memoizeByObject } from '../../platform/memoize-by-object.ts';
import { singleFlightOfOneKind } from '../../platform/single-flight.ts';
import { requireDeliverable } from '../subscriptions/require-subscription.service.ts';
import { wantsVenue } from '../subscriptions/subscription-view.rules.ts';
import type { SubscriptionRow } from '../subscriptions/subscriptions.model.ts';
import { newDelivery, schedulePending } from './create-deliveries.service.ts';
import type { DeliveryState } from './deliveries.model.ts';
import { findDeliveriesOfEvents, insertDeliveries } from './deliveries.store.ts';
import { beginSeries, REDELIVERABLE } from './delivery-states.store.ts';
import type { RedeliveryDeps } from './redelivery.service.ts';

const RECOVERABLE: readonly DeliveryState[] = REDELIVERABLE.filter((state) => state !== 'succeeded');

/** How many events a recovery reads at a time. */
const BATCH = 500;

const recoveriesOf = memoizeByObject(singleFlightOfOneKind<number>);

/** `until`: now, if absent. */
type RecoverySpan = { since: Date; until?: Date };

/**
 * Redelivers at once every undelivered event of the subscription from `since` to `until`. This includes deliveries that
 * wait for a retry and events that have no delivery. Deliveries that are being sent or wait for their first attempt are
 * left alone. Safe to repeat. Returns how many series were begun. A process runs one recovery of a subscription at a
 * time; calls for the same period made during a run share the next run.
 * @throws DomainError WEBHOOK_NOT_FOUND, WEBHOOK_INACTIVE; RATE_LIMITED while another period is being recovered
 */
export async function recoverDeliveries(
  deps: RedeliveryDeps,
  partnerId: string,
  subscriptionId: string,
  span: RecoverySpan,
): Promise<number> {
  const subscription = await requireDeliverable(deps, partnerId, subscriptionId);
  const period = `${span.since.toISOString()} ${span.until?.toISOString() ?? 'now'}`;
  const recovered = recoveriesOf(deps.db)(subscriptionId, period, () => recoverSpan(deps, subscription, span));
  if (recovered !== undefined) return recovered;
  throw new DomainError(
    'RATE_LIMITED',
    'Another recovery of this subscription is in progress. Repeat the call after the seconds in Retry-After.',
  );
}

async function recoverSpan(
  deps: RedeliveryDeps,
  subscription: SubscriptionRow,
  { since, until }: RecoverySpan,
): Promise<number> {
  const now = await readDatabaseTime(deps.db);
  const granted = await listGrantedVenueIds(deps.db, subscription.partnerId);
  const venueIds = granted.filter((venueId) => wantsVenue(subscription, venueId));
  const reader = { partnerId: subscription.partnerId, venueIds, ownVenueIds: subscription.venueIds ?? null };
  const wanted = { types: subscription.eventTypes, reader, since, until: until ?? now };
  for (let recovered = 0, last: EventRow | undefined; ; ) {
    const events = await findEventsBetween(deps.db, wanted, last, BATCH);
    recovered += await recoverBatch(deps, subscription, events, now);
    last = events.at(-1);
    if (events.length < BATCH) return recovered;
  }
}

async function recoverBatch(
  deps: RedeliveryDeps,
  subscription: SubscriptionRow,
  events: readonly EventRow[],
  now: Date,
): Promise<number> {
  if (events.length === 0) return 0;
  const eventIds = events.map((event) => event._id);
  const known = await findDeliveriesOfEvents(deps.db, subscription._id, eventIds);
  const undelivered = known.filter(({ state }) => RECOVERABLE.includes(state));
  const undeliveredIds = undelivered.map((row) => row._id);
  const redelivered = await beginSeries(deps.db, undeliveredIds, RECOVERABLE);
  const knownEventIds = new Set(known.map((row) => row.eventId));
  const missing = events.filter((event) => !knownEventIds.has(event._id));
  const rows = missing.map((event) => newDelivery(event, subscription, now));
  const inserted = await insertDeliveries(deps.db, rows);
  for (const outcome of inserted) if (outcome instanceof Error) throw outcome;
  const created = inserted.filter((outcome) => outcome === 'created').length;
  await schedulePending(deps, { eventIds, subscriptionId: subscription._id });
  const dead = undelivered.filter(({ state }) => state === 'dead_letter');
  await deps.queues.removeDeadLetters(dead.map(({ _id }) => _id));
  return redelivered + created;
}
