import { eventCollection } from '../../src/events/events.model.ts';
import { createDb, openDb } from '../../src/platform/mongo-connection.ts';
import { deliveryJobId } from '../../src/queues/jobs.ts';
import { sendFirstAttempts } from '../../src/webhooks/deliveries/first-attempts.service.ts';
import { createSendPermits } from '../../src/webhooks/sender/send-permits.ts';
import { recordHealth } from '../../src/webhooks/subscriptions/subscription-health.service.ts';
import { findSubscription } from '../../src/webhooks/subscriptions/subscriptions.store.ts';
import { anyEvent } from '../events/any-event.ts';
import type { Service } from '../support/service.ts';
import { standardSender } from '../support/service-calls.ts';
import { onServiceStop } from '../support/service-stop.ts';

type Context = Service['context'];
export type Receiver = { partnerId: string; subscriptionId: string; venueId: string };

/** More than any test needs at the same time. */
const PERMITS = 1000;

/** Logs new events, each of its own reservation; returns their ids. */
export async function addEvents({ db }: Context, { partnerId, venueId }: Receiver, count: number): Promise<string[]> {
  const events = Array.from({ length: count }, () => anyEvent({ venueId, originatorId: partnerId }));
  await eventCollection(db).insertMany(events);
  return events.map(({ _id }) => _id);
}

/**
 * Lets `workers` workers make the first attempts concurrently, each with all the events and `permits` send permits.
 * Resolves when the results are recorded; returns the ids of outboxes whose deliveries could not be created.
 * `isKilled`: the workers die before they send anything.
 */
export async function deliver(
  context: Context,
  { subscriptionId, partnerId }: Receiver,
  eventIds: readonly string[],
  { workers = 1, permits = PERMITS, isKilled = false } = {},
): Promise<string[]> {
  const contexts = [context];
  while (contexts.length < workers) contexts.push(await anotherContext(context));
  const rows = await eventCollection(context.db)
    .find({ _id: { $in: [...eventIds] } })
    .toArray();
  const { endpointUrl = '' } = (await findSubscription(context.db, subscriptionId)) ?? {};
  const wanted = rows.map((event) => ({ event, receiver: { _id: subscriptionId, partnerId, endpointUrl } }));
  const failedIds = await Promise.all(
    contexts.map(async (each) => {
      const sender = standardSender();
      onServiceStop(context, () => sender.close());
      const frozen = { send: () => new Promise<never>(() => undefined) };
      const deps = { ...each, sender: isKilled ? frozen : sender, permits: createSendPermits(permits, permits) };
      const { failures, begun, sent } = await sendFirstAttempts(
        deps,
        wanted,
        performance.now(),
        new AbortController().signal,
      );
      await begun;
      if (!isKilled) await sent;
      return [...failures.keys()];
    }),
  );
  return failedIds.flat();
}

/** A context with its own connection, like another process's, so that it shares no batch with the first. */
async function anotherContext(context: Context): Promise<Context> {
  const db = createDb();
  onServiceStop(context, () => db.close());
  await openDb(db, context.config.mongodbUri, context.log, new AbortController().signal);
  return { ...context, db };
}

/** Records these outcomes of attempts that all read the subscription before any of them ended. */
export async function recordOutcomes(
  context: Context,
  subscriptionId: string,
  outcomes: readonly boolean[],
): Promise<void> {
  const subscription = await findSubscription(context.db, subscriptionId);
  if (subscription === null) throw new Error('There is no such subscription');
  await Promise.all(outcomes.map((isSuccess) => recordHealth(context, subscription, isSuccess)));
}

/** The job of a newly created delivery. */
export async function jobOf({ queues }: Context, deliveryId: string) {
  const job = await queues.byName('webhook-delivery').getJob(deliveryJobId(deliveryId, 1));
  return { name: job?.name, delayMs: job?.opts.delay, attempts: job?.opts.attempts };
}
