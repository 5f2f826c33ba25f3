import type { Erasure } from '../domain/erasure.ts';
import type { Audience } from '../domain/errors.ts';
import { audienceOf, DomainError } from '../domain/errors.ts';
import type { EventRow } from '../events/events.service.ts';
import { readEvents } from '../events/events.service.ts';
import type { Clock } from '../platform/clock.ts';
import { newId } from '../platform/ids.ts';
import type { Logger } from '../platform/logger.ts';
import type { Db } from '../platform/mongo.ts';
import type { Page, Position } from '../platform/pagination.ts';
import type { SweptPage } from '../platform/sweep.ts';
import { sweepEach } from '../platform/sweep.ts';
import type { DueDelivery } from '../queues/jobs.ts';
import type { Queues } from '../queues/queues.ts';
import type { SubscriptionRow } from '../subscriptions/subscriptions.model.ts';
import { findSubscriptions } from '../subscriptions/subscriptions.store.ts';
import {
  findDeadLetterIds,
  findDeadLettersAmong,
  findUnraisedDeadLetters,
  markRaised,
} from './dead-letters.store.ts';
import type { DeliveryRow } from './deliveries.model.ts';
import type { DeliveriesOf, DeliveryFilter } from './deliveries.store.ts';
import {
  eraseExcerpts,
  eraseExcerptsById,
  findDeliveryByAnyId,
  findDeliveryOfEvent,
  findEveryDeliveryOfEvents,
  findOverdueDeliveries,
  findPending,
  findWithExcerpt,
  listDeliveryRows,
  makeDue,
  upsertDeliveries,
} from './deliveries.store.ts';
import type { AttemptStatistics } from './delivery-statistics.store.ts';
import { countDeadLetters, summariseDeliveries } from './delivery-statistics.store.ts';
import type { RetryConfig } from './retry-schedule.rules.ts';
import { attemptsLeft, isWaiting } from './retry-schedule.rules.ts';

export type CreateDeliveriesDeps = {
  db: Db;
  clock: Clock;
  queues: Pick<Queues, 'scheduleDeliveries'>;
  config: RetryConfig;
};

/**
 * Gives the event a delivery for each receiver and adds the jobs. Repeating it creates nothing twice; jobs that Redis does
 * not take now are added by the sweep.
 */
export async function createDeliveries(
  deps: CreateDeliveriesDeps,
  event: Pick<EventRow, '_id' | 'type'>,
  receivers: readonly Pick<SubscriptionRow, '_id' | 'partnerId'>[],
): Promise<void> {
  if (receivers.length === 0) return;
  const now = deps.clock.now();
  await upsertDeliveries(
    deps.db,
    receivers.map((receiver) => newDelivery(event, receiver, now)),
  );
  await schedulePending(deps, { eventIds: [event._id] });
}

/** A delivery of which the first attempt is due at `now`. */
export function newDelivery(
  event: Pick<EventRow, '_id' | 'type'>,
  receiver: Pick<SubscriptionRow, '_id' | 'partnerId'>,
  now: Date,
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
    nextAttemptAt: now,
    leaseUntil: null,
    deadLetteredAt: null,
    createdAt: now,
  };
}

/** Adds the jobs of deliveries that wait for the first attempt of their series; those that are there already stay. */
export async function schedulePending(
  deps: Pick<CreateDeliveriesDeps, 'db' | 'queues' | 'config'>,
  of: DeliveriesOf,
): Promise<void> {
  const pending = await findPending(deps.db, of);
  await deps.queues.scheduleDeliveries(pending.map((row) => dueNow(row, deps.config)));
}

function dueNow(row: DeliveryRow, config: RetryConfig): DueDelivery {
  return {
    deliveryId: row._id,
    subscriptionId: row.subscriptionId,
    partnerId: row.partnerId,
    generation: row.generation,
    attemptsMade: row.attemptsMade,
    attemptsLeft: attemptsLeft(config, row.attemptsMade),
    delayMs: 0,
  };
}

export type SweepDeps = {
  db: Db;
  log: Logger;
  queues: Pick<Queues, 'ensureDelivery' | 'addDeadLetters'>;
  config: RetryConfig;
};

/**
 * Puts back the jobs of a page of deliveries that have been due for `graceMs` without anyone working on them, those after
 * `afterId`: their job was lost with Redis or never taken by it. Those whose jobs are there, such as the many of an endpoint
 * that fails, do not hide the others behind them. Without Redis there is no next page.
 */
export async function rearmOverdueDeliveries(
  deps: SweepDeps,
  {
    graceMs,
    limit,
    afterId,
    stopping,
  }: { graceMs: number; limit: number; afterId: string; stopping: AbortSignal },
): Promise<SweptPage<string>> {
  let isRedisThere = true;
  const ensure = async (row: DeliveryRow) => {
    const state = isRedisThere ? await deps.queues.ensureDelivery(dueNow(row, deps.config)) : 'unavailable';
    if (state === 'unavailable') isRedisThere = false;
    return Number(state === 'added');
  };
  const onError = (err: unknown) => deps.log.error({ err }, 'a delivery could not be put back and waits');
  const page = await findOverdueDeliveries(deps.db, graceMs, afterId, limit);
  const count = await sweepEach(page, stopping, ensure, onError);
  return { count, next: page.length === limit && isRedisThere ? page.at(-1)?._id : undefined };
}

/**
 * Alerts the operators of a dead letter: an `error` line and a job in the `webhook-dead-letter` queue. The row
 * remembers until this has been done, so a worker that dies in between leaves it to the sweep.
 */
export async function raiseDeadLetter(
  deps: { db: Db; log: Logger; queues: Pick<Queues, 'addDeadLetters'> },
  row: DeliveryRow,
): Promise<void> {
  const last = row.attempts.at(-1);
  deps.log.error(
    {
      alert: 'dead_letter',
      delivery: row._id,
      event_id: row.eventId,
      event_type: row.eventType,
      subscription_id: row.subscriptionId,
      partner_id: row.partnerId,
      attempts: row.attemptsMade,
      status_code: last?.statusCode ?? null,
      error: last?.error ?? null,
    },
    'a webhook delivery failed for the last time and is dead-lettered',
  );
  await deps.queues.addDeadLetters([row._id]);
  await markRaised(deps.db, row._id);
}

/** Raises the dead letters that a dying worker left unraised, until there are no more or one cannot be; returns how many. */
export async function raiseForgottenDeadLetters(
  deps: SweepDeps,
  { graceMs, limit, stopping }: { graceMs: number; limit: number; stopping: AbortSignal },
): Promise<number> {
  const raise = async (row: DeliveryRow) => {
    await raiseDeadLetter(deps, row);
    return 1;
  };
  const onError = (err: unknown) => deps.log.error({ err }, 'a dead letter could not be raised and waits');
  for (let count = 0; ; ) {
    const rows = await findUnraisedDeadLetters(deps.db, graceMs, limit);
    const raised = await sweepEach(rows, stopping, raise, onError);
    count += raised;
    if (raised < limit) return count;
  }
}

/** Shows every dead letter in its queue again, after Redis lost them; a job that is there stays. */
export async function restoreDeadLetterQueue(deps: SweepDeps, limit: number): Promise<void> {
  const ids = await findDeadLetterIds(deps.db, limit);
  if (ids.length > 0) await deps.queues.addDeadLetters(ids);
}

/** How long one sweep goes on from page to page of the queue. */
const CLEAR_MS = 4000;

/**
 * Takes out of the dead-letter queue what is no dead letter any more: Redis was away when it began anew or was delivered, or it was
 * being put back just then. Goes through the queue page by page; where the time of one sweep ends, the next goes on at the
 * position that is returned.
 */
export async function clearDeadLetterQueue(
  deps: { db: Db; queues: Pick<Queues, 'listDeadLetters' | 'removeDeadLetters'> },
  { limit, from, stopping }: { limit: number; from: number; stopping: AbortSignal },
): Promise<number> {
  const endsAt = performance.now() + CLEAR_MS;
  for (let position = from; ; ) {
    const page = await deps.queues.listDeadLetters(position, limit);
    if (page.length === 0) return 0;
    const dead = new Set(await findDeadLettersAmong(deps.db, page));
    await deps.queues.removeDeadLetters(page.filter((id) => !dead.has(id)));
    // What was removed has made room: the next page begins where those that stay end.
    position += dead.size;
    if (stopping.aborted || performance.now() > endsAt) return position;
  }
}

/** A delivery with what its view shows of the event and the subscription. */
export type DeliveryDetail = { delivery: DeliveryRow; event: EventRow | null; endpointUrl: string | null };

/** The deliveries of a partner, or of all, newest first. */
export async function listDeliveries(
  deps: { db: Db },
  filter: DeliveryFilter,
  after: Position | undefined,
  limit: number,
): Promise<Page<DeliveryDetail>> {
  const { rows, next } = await listDeliveryRows(deps.db, filter, after, limit);
  return { rows: await withDetails(deps, rows), next };
}

/**
 * A delivery to the partner, by its own id or that of one of its attempts (`X-Delivery-Id`); to any partner for an operator,
 * who names none.
 * @throws DomainError DELIVERY_NOT_FOUND for a delivery that is missing or to another partner.
 */
export async function getDelivery(
  deps: { db: Db },
  partnerId: string | undefined,
  deliveryId: string,
): Promise<DeliveryDetail> {
  const delivery = await findDeliveryByAnyId(deps.db, deliveryId);
  if (delivery === null || (partnerId !== undefined && delivery.partnerId !== partnerId)) {
    throw deliveryNotFound(audienceOf(partnerId));
  }
  const [detail] = await withDetails(deps, [delivery]);
  if (detail === undefined) throw deliveryNotFound(audienceOf(partnerId));
  return detail;
}

/** The delivery of an event to a subscription, which must have been created. */
export async function getDeliveryOfEvent(
  deps: { db: Db },
  eventId: string,
  subscriptionId: string,
): Promise<DeliveryDetail> {
  const delivery = await findDeliveryOfEvent(deps.db, eventId, subscriptionId);
  const [detail] = delivery === null ? [] : await withDetails(deps, [delivery]);
  if (detail === undefined) throw new Error(`Event ${eventId} has no delivery`);
  return detail;
}

/** Every delivery of these events to whomever, oldest first. */
export async function listDeliveriesOfEvents(
  deps: { db: Db },
  eventIds: readonly string[],
): Promise<DeliveryDetail[]> {
  return withDetails(deps, await findEveryDeliveryOfEvents(deps.db, eventIds));
}

/** Erases the excerpts of receivers' responses to these events. */
export async function eraseExcerptsOf(deps: { db: Db }, eventIds: readonly string[]): Promise<void> {
  await eraseExcerpts(deps.db, eventIds);
}

/** Erases every excerpt that identifies the customer, whatever it was a response to. */
export async function eraseExcerptsIdentifying(
  deps: { db: Db },
  { identifiesCustomer }: Erasure,
  limit: number,
): Promise<void> {
  let found: string[] = [];
  for await (const { _id, attempts } of findWithExcerpt(deps.db)) {
    if (attempts.some(({ responseExcerpt }) => identifiesCustomer(responseExcerpt ?? ''))) found.push(_id);
    if (found.length < limit) continue;
    await eraseExcerptsById(deps.db, found);
    found = [];
  }
  await eraseExcerptsById(deps.db, found);
}

async function withDetails(deps: { db: Db }, rows: readonly DeliveryRow[]): Promise<DeliveryDetail[]> {
  const events = await readEvents(
    deps,
    rows.map((row) => row.eventId),
  );
  const subscriptions = await findSubscriptions(
    deps.db,
    rows.map((row) => row.subscriptionId),
  );
  return rows.map((delivery) => ({
    delivery,
    event: events.get(delivery.eventId) ?? null,
    endpointUrl: subscriptions.get(delivery.subscriptionId)?.endpointUrl ?? null,
  }));
}

/** What became of the partner's deliveries since `since`, and the dead letters of each of its subscriptions. */
export async function deliveryStatistics(
  deps: { db: Db },
  partnerId: string,
  since: Date,
): Promise<{ summary: AttemptStatistics; deadLetters: Map<string, number> }> {
  return {
    summary: await summariseDeliveries(deps.db, partnerId, since),
    deadLetters: await countDeadLetters(deps.db, { partnerId }),
  };
}

/**
 * Makes a waiting delivery's next attempt now (contract: sandbox/advance-delivery).
 * @throws DomainError DELIVERY_NOT_FOUND; DELIVERY_IN_PROGRESS where no attempt is waiting.
 */
export async function advanceDelivery(
  deps: { db: Db; queues: Pick<Queues, 'promoteDelivery' | 'ensureDelivery'>; config: RetryConfig },
  partnerId: string,
  deliveryId: string,
): Promise<DeliveryDetail> {
  const { delivery } = await getDelivery(deps, partnerId, deliveryId);
  const due = isWaiting(delivery.state) ? await makeDue(deps.db, delivery._id) : null;
  if (due === null) {
    throw new DomainError(
      'DELIVERY_IN_PROGRESS',
      `The delivery is ${delivery.state}; only one that waits for its next attempt can be advanced.`,
    );
  }
  const job = dueNow(due, deps.config);
  if (!(await deps.queues.promoteDelivery(job))) await deps.queues.ensureDelivery(job);
  return getDelivery(deps, partnerId, delivery._id);
}

const DELIVERY_NOT_FOUND: Record<Audience, string> = {
  partner:
    'You have no delivery with that id. Use the X-Delivery-Id of an attempt, or an id listed by /api/v1/partner/observability.',
  operator:
    'There is no delivery with that id. Use the X-Delivery-Id of an attempt, or list the deliveries to find its id.',
};

function deliveryNotFound(audience: Audience): DomainError {
  return new DomainError('DELIVERY_NOT_FOUND', DELIVERY_NOT_FOUND[audience]);
}
