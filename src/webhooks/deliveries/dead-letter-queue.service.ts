import type { EventRow } from '../../events/events.model.ts';
import { findEvents } from '../../events/events.store.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Db } from '../../platform/mongo.ts';
import { sweepEach } from '../../platform/sweep.ts';
import type { Queues } from '../../queues/queues.ts';
import type { DeliveryRow } from './deliveries.model.ts';
import {
  findDeadLettersAmong,
  findLatestDeadLetters,
  findUnraisedDeadLetters,
  markRaised,
} from './delivery-states.store.ts';
import { deliveryFields, endpointHost, eventFields, outcomeName, outcomeText } from './delivery-text.rules.ts';

type AlertDeps = { db: Db; log: Logger; queues: Pick<Queues, 'addDeadLetters'> };

/** The job of a dead letter, made from the row alone, so that the sweep can make the job again. */
function jobOf({ attempts, ...row }: DeliveryRow) {
  const last = attempts.findLast(({ outcome }) => outcome === 'failed');
  const host = endpointHost(last?.endpointUrl);
  return {
    delivery_id: row._id,
    event_type: row.eventType,
    event_id: row.eventId,
    subscription_id: row.subscriptionId,
    endpoint_host: host,
    partner_id: row.partnerId,
    attempts: row.attemptsMade,
    last_status: last?.statusCode ?? null,
    last_error: last === undefined ? 'not known' : outcomeText(last, host),
    failed_at: (row.deadLetteredAt ?? row.createdAt).toISOString(),
    outcome: last === undefined ? 'failed' : outcomeName(last),
  };
}

/**
 * Alerts the operators of a dead letter: an `error` line and a job in the `dead-letter` queue. The row keeps
 * `alertPending` until both are done, so that the sweep alerts if the worker dies.
 */
export async function raiseDeadLetter(deps: AlertDeps, row: DeliveryRow, event: EventRow | undefined): Promise<void> {
  const last = row.attempts.at(-1);
  deps.log.error(
    {
      alert: 'dead_letter',
      ...deliveryFields(row),
      delivery_id: last?.deliveryId ?? null,
      event_type: row.eventType,
      ...eventFields(event),
      attempts: row.attemptsMade,
      status_code: last?.statusCode ?? null,
      error: last?.error ?? null,
      error_detail: last?.errorDetail ?? null,
      redirect_to: last?.redirectTo ?? null,
    },
    'a webhook delivery failed after 5 attempts and is a dead letter',
  );
  await deps.queues.addDeadLetters([jobOf(row)]);
  await markRaised(deps.db, row._id);
}

/**
 * Alerts operators of dead letters whose workers died before they alerted. Ends when none is left or one fails; returns
 * how many alerts were raised.
 */
export async function raiseForgottenDeadLetters(
  deps: AlertDeps,
  { graceMs, limit, stopping }: { graceMs: number; limit: number; stopping: AbortSignal },
): Promise<number> {
  const onError = (err: unknown, row: DeliveryRow) =>
    deps.log.error(
      { ...deliveryFields(row), err },
      'operators could not be alerted of a dead letter; the next sweep retries it',
    );
  for (let count = 0; ; ) {
    const rows = await findUnraisedDeadLetters(deps.db, graceMs, limit);
    if (rows.length === 0) return count;
    const eventIds = rows.map(({ eventId }) => eventId);
    const events = await findEvents(deps.db, eventIds);
    const raise = async (row: DeliveryRow) => {
      await raiseDeadLetter(deps, row, events.get(row.eventId));
      return 1;
    };
    const raised = await sweepEach(rows, stopping, raise, onError);
    count += raised;
    if (raised < limit) return count;
  }
}

/** Adds the latest `limit` dead letters to the queue again, because Redis may have lost their jobs. */
export async function restoreDeadLetterQueue(deps: AlertDeps, limit: number): Promise<void> {
  const rows = await findLatestDeadLetters(deps.db, limit);
  if (rows.length > 0) await deps.queues.addDeadLetters(rows.map(jobOf));
}

/** How long one sweep clears the queue. */
const CLEAR_FOR_MS = 4000;

/**
 * Removes deliveries from the dead-letter queue that are no longer dead letters, for example because Redis was
 * unavailable when they were delivered. Works page by page; returns the position at which the next sweep continues.
 */
export async function clearDeadLetterQueue(
  deps: { db: Db; queues: Pick<Queues, 'listDeadLetters' | 'removeDeadLetters'> },
  { limit, startAt, stopping }: { limit: number; startAt: number; stopping: AbortSignal },
): Promise<number> {
  const endsAt = performance.now() + CLEAR_FOR_MS;
  for (let position = startAt; ; ) {
    const page = await deps.queues.listDeadLetters(position, limit);
    if (page.length === 0) return 0;
    const listedIds = page.filter((deliveryId) => deliveryId !== null);
    const deadIds = new Set(await findDeadLettersAmong(deps.db, listedIds));
    const otherIds = listedIds.filter((id) => !deadIds.has(id));
    await deps.queues.removeDeadLetters(otherIds);
    // Removing jobs moves later ones forward, so the next page begins after the jobs that stay.
    position += page.length - otherIds.length;
    if (stopping.aborted || performance.now() > endsAt) return position;
  }
}
