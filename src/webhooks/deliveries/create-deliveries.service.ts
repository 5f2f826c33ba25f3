import type { EventRow } from '../../events/events.model.ts';
import { outboxIdOf, requiredVenueId } from '../../events/events.rules.ts';
import { newId } from '../../platform/ids.ts';
import { type SweptPage, sweepEach } from '../../platform/sweep.ts';
import type { Context } from '../../process/context.ts';
import type { DueDelivery } from '../../queues/jobs.ts';
import type { SubscriptionRow } from '../subscriptions/subscriptions.model.ts';
import type { DeliveryRow } from './deliveries.model.ts';
import {
  type DeliverySelector,
  findOverdueDeliveries,
  findPending,
  type Inserted,
  insertDeliveries,
} from './deliveries.store.ts';
import { deliveryFields, endpointHost } from './delivery-text.rules.ts';
import { type DeliveryDetail, findDetails } from './read-deliveries.service.ts';
import { attemptsLeft, type RetryConfig } from './retry-schedule.rules.ts';

export type CreateDeliveriesDeps = Pick<Context, 'db' | 'log'> & {
  queues: Pick<Context['queues'], 'scheduleDeliveries'>;
  config: RetryConfig;
};

export type WantedDelivery = {
  event: EventRow;
  receiver: Pick<SubscriptionRow, '_id' | 'partnerId' | 'endpointUrl'>;
};

/**
 * Creates deliveries and adds their jobs; safe to repeat. The sweep adds jobs that Redis does not take now, or that a
 * killed process did not add. Returns, by outbox id, the error of a delivery that could not be created.
 */
export async function createDeliveries(
  deps: CreateDeliveriesDeps,
  wanted: readonly WantedDelivery[],
): Promise<ReadonlyMap<string, Error>> {
  const rows = wanted.map(({ event, receiver }) => newDelivery(event, receiver, event.at));
  const inserted = await insertDeliveries(deps.db, rows);
  const due = wanted.flatMap(({ event, receiver }, index) => {
    const row = rows[index];
    if (row === undefined || inserted[index] !== 'created') return [];
    return dueIn(0, row, { event, endpointUrl: receiver.endpointUrl }, deps.config);
  });
  if (due.length > 0) await deps.queues.scheduleDeliveries(due);
  return failuresOf(wanted, inserted);
}

/** The errors of `insertDeliveries`, by outbox id. */
export function failuresOf(
  wanted: readonly WantedDelivery[],
  inserted: readonly Inserted[],
): ReadonlyMap<string, Error> {
  const failures = new Map<string, Error>();
  for (const [index, { event }] of wanted.entries()) {
    const outcome = inserted[index];
    if (outcome instanceof Error) failures.set(outboxIdOf(event), outcome);
  }
  return failures;
}

/**
 * A delivery with a first attempt due at `at`. An insert cannot read the database's clock, so the caller passes the
 * time.
 */
export function newDelivery(
  event: Pick<EventRow, '_id' | 'type'>,
  receiver: Pick<SubscriptionRow, '_id' | 'partnerId'>,
  at: Date,
): DeliveryRow {
  return {
    _id: newId(),
    eventId: event._id,
    eventType: event.type,
    subscriptionId: receiver._id,
    partnerId: receiver.partnerId,
    state: 'pending',
    generation: 1,
    attemptsMade: 0,
    attempts: [],
    nextAttemptAt: at,
    leaseUntil: null,
    deadLetteredAt: null,
    createdAt: at,
  };
}

/** Adds the jobs of deliveries that are waiting for the first attempt of a series; existing jobs stay. */
export async function schedulePending(deps: CreateDeliveriesDeps, selector: DeliverySelector): Promise<void> {
  const rows = await findPending(deps.db, selector);
  if (rows.length === 0) return;
  const detailOf = await findDetails(deps, rows);
  await deps.queues.scheduleDeliveries(rows.map((row) => dueIn(0, row, detailOf(row), deps.config)));
}

/** Facts that a delivery's job shows to operators and that the delivery's row lacks. */
export type JobFacts = Pick<DeliveryDetail, 'event' | 'endpointUrl'>;

/** The job of a delivery with its next attempt in `delayMs`. */
export function dueIn(
  delayMs: number,
  row: DeliveryRow,
  { event, endpointUrl }: JobFacts,
  config: RetryConfig,
): DueDelivery {
  return {
    delivery_id: row._id,
    event_type: row.eventType,
    event_id: row.eventId,
    subscription_id: row.subscriptionId,
    partner_id: row.partnerId,
    venue_id: requiredVenueId(event),
    generation: row.generation,
    endpointHost: endpointHost(endpointUrl),
    attemptsLeft: attemptsLeft(config, row.attemptsMade),
    delayMs,
  };
}

type SweepDeps = Omit<CreateDeliveriesDeps, 'queues'> & { queues: Pick<Context['queues'], 'ensureDelivery'> };

/**
 * Adds the missing jobs of a page of deliveries: those after `afterId` that have been due for `graceMs` without a
 * worker. The next page begins after this one even if no job was missing: otherwise a failing endpoint's many
 * deliveries would hide others. Without Redis there is no next page.
 */
export async function addMissingJobs(
  deps: SweepDeps,
  page: { graceMs: number; limit: number; afterId: string; stopping: AbortSignal },
): Promise<SweptPage<string>> {
  const rows = await findOverdueDeliveries(deps.db, page.graceMs, page.afterId, page.limit);
  let isRedisAvailable = true;
  let details: ReturnType<typeof findDetails> | undefined;
  const ensure = async (row: DeliveryRow) => {
    // Most rows have their job. If one is missing, read the details once for the whole page.
    const toDue = async () => {
      details ??= findDetails(deps, rows);
      return dueIn(0, row, (await details)(row), deps.config);
    };
    const series = { deliveryId: row._id, generation: row.generation };
    const state = isRedisAvailable ? await deps.queues.ensureDelivery(series, toDue) : 'unavailable';
    if (state === 'unavailable') isRedisAvailable = false;
    return Number(state === 'added');
  };
  const onError = (err: unknown, row: DeliveryRow) =>
    deps.log.error({ ...deliveryFields(row), err }, 'a delivery could not be queued again; the next sweep retries it');
  const count = await sweepEach(rows, page.stopping, ensure, onError);
  return { count, next: rows.length === page.limit && isRedisAvailable ? rows.at(-1)?._id : undefined };
}
