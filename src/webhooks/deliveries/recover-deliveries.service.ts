import { DomainError } from '../../domain/errors.ts';
import type { EventRow } from '../../events/events.model.ts';
import { findEventsBetween } from '../../events/events.store.ts';
import { listGrantedVenueIds } from '../../partners/partners.store.ts';
import { readDatabaseTime } from '../../platform/clock.ts';
import { memoizeByObject } from '../../platform/memoize-by-object.ts';
import { singleFlightOfOneKind } from '../../platform/single-flight.ts';
import type { SubscriptionRow } from '../subscriptions/subscriptions.model.ts';
import { requireDeliverable } from '../subscriptions/subscriptions.service.ts';
import { newDelivery, schedulePending } from './create-deliveries.service.ts';
import type { DeliveryState } from './deliveries.model.ts';
import { findDeliveriesOfEvents, insertDeliveries } from './deliveries.store.ts';
import { restartDeliveries } from './delivery-series.store.ts';
import type { RedeliveryDeps } from './redelivery.service.ts';
import { REDELIVERABLE } from './redelivery.service.ts';

/** What has no success, and no first attempt of its series before it. */
const RECOVERABLE: readonly DeliveryState[] = REDELIVERABLE.filter((state) => state !== 'succeeded');

/** How many events are worked on at a time; nothing of a recovery is kept in memory longer. */
const BATCH = 500;

const recoveriesOf = memoizeByObject(singleFlightOfOneKind<number>);

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
    'Another recovery of this subscription is in progress. Repeat the call after the seconds in Retry-After.',
  );
}

async function recoverSpan(
  deps: RedeliveryDeps,
  subscription: SubscriptionRow,
  { since, until }: RecoverySpan,
): Promise<number> {
  const now = await readDatabaseTime(deps.db);
  const venueIds = await listGrantedVenueIds(deps.db, subscription.partnerId);
  const wanted = { types: subscription.eventTypes, venueIds, since, until: until ?? now };
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
  const restarted = await restartDeliveries(
    deps.db,
    undelivered.map((row) => row._id),
    RECOVERABLE,
  );
  const withRow = new Set(known.map((row) => row.eventId));
  const missing = events.filter((event) => !withRow.has(event._id));
  const inserted = await insertDeliveries(
    deps.db,
    missing.map((event) => newDelivery(event, subscription, now)),
  );
  for (const outcome of inserted) if (outcome instanceof Error) throw outcome;
  const created = inserted.filter((outcome) => outcome === 'created').length;
  await schedulePending(deps, { eventIds, subscriptionId: subscription._id });
  const dead = undelivered.filter(({ state }) => state === 'dead_letter');
  await deps.queues.removeDeadLetters(dead.map(({ _id }) => _id));
  return restarted + created;
}
