import type { EventRow } from '../../events/events.model.ts';
import { findEvents } from '../../events/events.store.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Db } from '../../platform/mongo.ts';
import { sweepEach } from '../../platform/sweep.ts';
import type { Queues } from '../../queues/queues.ts';
import {
  findDeadLetterIds,
  findDeadLettersAmong,
  findUnraisedDeadLetters,
  markRaised,
} from './dead-letters.store.ts';
import type { AttemptRow, DeliveryRow } from './deliveries.model.ts';
import { deliveryFields, eventFields } from './log-fields.rules.ts';
import type { SweepDeps } from './sweep-deliveries.service.ts';

type DeadLetter = Pick<
  DeliveryRow,
  '_id' | 'eventId' | 'eventType' | 'subscriptionId' | 'partnerId' | 'attemptsMade'
> & {
  attempts: readonly Pick<AttemptRow, 'deliveryId' | 'statusCode' | 'error' | 'errorDetail' | 'redirectTo'>[];
};

/**
 * Alerts the operators of a dead letter: an `error` line and a job in the `webhook-dead-letter` queue. The row
 * remembers until this has been done, so a worker that dies in between leaves it to the sweep. `event` is what was to be delivered,
 * as far as it is known.
 */
export async function raiseDeadLetter(
  deps: { db: Db; log: Logger; queues: Pick<Queues, 'addDeadLetters'> },
  row: DeadLetter,
  event: EventRow | undefined,
): Promise<void> {
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
  await deps.queues.addDeadLetters([row._id]);
  await markRaised(deps.db, row._id);
}

/** Raises the dead letters that a dying worker left unraised, until there are no more or one cannot be; returns how many. */
export async function raiseForgottenDeadLetters(
  deps: SweepDeps,
  { graceMs, limit, stopping }: { graceMs: number; limit: number; stopping: AbortSignal },
): Promise<number> {
  const onError = (err: unknown, row: DeliveryRow) =>
    deps.log.error(
      { ...deliveryFields(row), err },
      'a dead letter could not be queued and alerted of; the next sweep retries it',
    );
  for (let count = 0; ; ) {
    const rows = await findUnraisedDeadLetters(deps.db, graceMs, limit);
    if (rows.length === 0) return count;
    const events = await findEvents(
      deps.db,
      rows.map(({ eventId }) => eventId),
    );
    const raise = async (row: DeliveryRow) => {
      await raiseDeadLetter(deps, row, events.get(row.eventId));
      return 1;
    };
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
