import { inTransaction } from '../../src/platform/mongo.ts';
import { deliveryJobId } from '../../src/queues/jobs.ts';
import { reservationCollection } from '../../src/reservations/reservations.model.ts';
import {
  dispatchEvents,
  dispatchWaiting as dispatchPage,
} from '../../src/webhooks/deliveries/dispatch-events.service.ts';
import type { Service } from '../support/service.ts';

type Context = Service['context'];

/** Dispatches the reservations' events as one batch; returns for each reservation `dispatched` or the error. */
export async function dispatchTogether(context: Context, holdIds: readonly string[]): Promise<string[]> {
  try {
    const { failures } = await dispatchEvents(context, holdIds);
    return holdIds.map((id) => failures.get(id)?.message ?? 'dispatched');
  } catch (err) {
    return holdIds.map(() => (err as Error).message);
  }
}

/** Calls `dispatchTogether` while an open transaction, such as that of a frozen process, has locked a reservation. */
export const dispatchDuringTransaction = (
  context: Context,
  holdIds: readonly string[],
  lockedId: string,
): Promise<string[]> =>
  inTransaction(context.db, async (tx) => {
    await reservationCollection(context.db).updateOne(
      { _id: lockedId },
      { $set: { releaseReason: 'held' } },
      { session: tx },
    );
    return dispatchTogether(context, holdIds);
  });

/** Dispatches one page of the sweep. `inProgress`: reservations that a job is dispatching. */
export async function dispatchWaiting(
  context: Context,
  { inProgress = [], ...page }: { graceMs: number; limit: number; inProgress?: readonly string[] },
): Promise<void> {
  const stopping = new AbortController().signal;
  await dispatchPage(context, { ...page, inProgressIds: new Set(inProgress), stopping });
}

/** The ids of the deliveries without a job. */
export async function withoutJob(
  { queues }: Context,
  deliveries: readonly { _id: string; generation: number }[],
): Promise<string[]> {
  const queue = queues.byName('webhook-delivery');
  const jobs = await Promise.all(deliveries.map(({ _id, generation }) => queue.getJob(deliveryJobId(_id, generation))));
  return deliveries.filter((_, index) => jobs[index] === undefined).map(({ _id }) => _id);
}
