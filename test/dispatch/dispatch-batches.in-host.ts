import { setTimeout as delay } from 'node:timers/promises';
import { dispatchEvents } from '../../src/dispatch/event-dispatch.service.ts';
import { eventCollection } from '../../src/events/events.model.ts';
import { sequenceEvents } from '../../src/events/feed.service.ts';
import { reserveSequenceNumbers } from '../../src/events/sequence-numbers.store.ts';
import { inTransaction } from '../../src/platform/mongo.ts';
import { deliveryJobId } from '../../src/queues/jobs.ts';
import { reservationCollection } from '../../src/reservations/reservations.model.ts';
import type { Service } from '../support/service.ts';

type Context = Service['context'];

/** How many events of a reservation were dispatched, or why not all that wait. */
export type Outcome = number | string;

const outcomesOf = (settled: readonly PromiseSettledResult<number>[]): Outcome[] =>
  settled.map((each) => (each.status === 'fulfilled' ? each.value : (each.reason as Error).message));

/** Dispatches the events of all of them at once, as a worker with so many jobs. */
export async function dispatchTogether(context: Context, holdIds: readonly string[]): Promise<Outcome[]> {
  return outcomesOf(await Promise.allSettled(holdIds.map((holdId) => dispatchEvents(context, holdId))));
}

/** The same while a transaction has this reservation, as of a process that stands still. */
export const dispatchBesideTransaction = (
  context: Context,
  holdIds: readonly string[],
  heldId: string,
): Promise<Outcome[]> =>
  inTransaction(context.db, async (tx) => {
    await reservationCollection(context.db).updateOne(
      { _id: heldId },
      { $set: { releaseReason: 'held' } },
      { session: tx },
    );
    return dispatchTogether(context, holdIds);
  });

/** The same while a transaction has the counter of the feed, as of a process that stands still; what waits for that ends after it. */
export async function dispatchBesideNumbering(
  context: Context,
  holdIds: readonly string[],
): Promise<Outcome[]> {
  const dispatched = inTransaction(context.db, async (tx) => {
    await reserveSequenceNumbers(context.db, 1, tx);
    const underWay = dispatchTogether(context, holdIds);
    const isTaken = async () =>
      (await reservationCollection(context.db).countDocuments({
        _id: { $in: [...holdIds] },
        outboxSince: { $exists: true },
      })) === 0;
    while (!(await isTaken())) await delay(20);
    return { underWay };
  });
  return (await dispatched).underWay;
}

/** As a dispatcher that ends before it has offered the jobs of what it has written. */
export async function dispatchWithoutJobs(context: Context, holdIds: readonly string[]): Promise<Outcome[]> {
  const scheduleDeliveries = () => Promise.reject(new Error('the process ended'));
  return dispatchTogether({ ...context, queues: { ...context.queues, scheduleDeliveries } }, holdIds);
}

/** As so many dispatchers that are told of all of them at the same moment, while events that were logged get their numbers. */
export async function dispatchBeside(
  context: Context,
  holdIds: readonly string[],
  dispatchers: number,
): Promise<void> {
  const state = { isDispatching: true };
  const sequencing = async () => {
    while (state.isDispatching) await sequenceEvents(context);
    await sequenceEvents(context);
  };
  const dispatching = Array.from({ length: dispatchers }, async () => {
    const own = { ...context };
    await Promise.all(holdIds.map((holdId) => dispatchEvents(own, holdId)));
  });
  const dispatched = Promise.all(dispatching).finally(() => {
    state.isDispatching = false;
  });
  await Promise.all([sequencing(), dispatched]);
}

const dispatchers = new WeakMap<Context, Map<number, Context>>();

/** Dispatches a reservation by the dispatcher of this number, which has batches of its own; resolves when its events have their numbers. */
export async function dispatchBy(context: Context, dispatcher: number, holdId: string): Promise<void> {
  const byNumber = dispatchers.get(context) ?? new Map<number, Context>();
  dispatchers.set(context, byNumber);
  const own = byNumber.get(dispatcher) ?? { ...context };
  byNumber.set(dispatcher, own);
  await dispatchEvents(own, holdId);
  const waiting = { holdId, isUnsequenced: true } as const;
  while ((await eventCollection(context.db).countDocuments(waiting)) > 0) await delay(5);
}

/** Of these deliveries, those that have no job. */
export async function withoutJob(
  { queues }: Context,
  deliveries: readonly { _id: string; generation: number }[],
): Promise<string[]> {
  const queue = queues.byName('webhook-delivery');
  const jobs = await Promise.all(
    deliveries.map(({ _id, generation }) => queue.getJob(deliveryJobId(_id, generation))),
  );
  return deliveries.filter((_, index) => jobs[index] === undefined).map(({ _id }) => _id);
}
