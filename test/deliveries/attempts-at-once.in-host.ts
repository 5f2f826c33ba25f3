import { beginAttempt, settleAttempt } from '../../src/deliveries/attempts.store.ts';
import type { AttemptResult, DueAttempt } from '../../src/deliveries/deliver-webhook.service.ts';
import { deliverWebhook } from '../../src/deliveries/deliver-webhook.service.ts';
import type { DeliveryRow, DeliveryState } from '../../src/deliveries/deliveries.model.ts';
import { deliveryCollection } from '../../src/deliveries/deliveries.model.ts';
import { eventCollection } from '../../src/events/events.model.ts';
import { newId } from '../../src/platform/ids.ts';
import { createDb, openDb } from '../../src/platform/mongo.ts';
import { createSendPermits } from '../../src/sender/send-permits.ts';
import { recordHealth } from '../../src/subscriptions/subscription-health.service.ts';
import { findSubscription } from '../../src/subscriptions/subscriptions.store.ts';
import type { Service } from '../support/service.ts';
import { standardSender } from '../support/service-calls.ts';
import { onServiceStop } from '../support/service-stop.ts';

type Context = Service['context'];
export type Receiver = { partnerId: string; subscriptionId: string; venueId: string };

const LEASE_MS = 15_000;
/** More than any test has under way. */
const PERMITS = 1000;

/** What the jobs of the deliveries say. */
const jobs = new Map<string, Pick<DueAttempt, 'eventId' | 'subscriptionId' | 'partnerId'>>();

/** Deliveries that are due now, each of an event of its own; returns their ids. */
export async function addDeliveries(
  { db }: Context,
  { partnerId, subscriptionId, venueId }: Receiver,
  count: number,
): Promise<string[]> {
  const now = new Date();
  const slot = { resourceId: newId(), slotId: 'any', slotStart: now, slotEnd: now, pricePaise: 120_000 };
  const events = Array.from({ length: count }, () => ({
    ...{ _id: newId(), type: 'hold_created' as const, at: now, venueId, ...slot, holdId: newId() },
    ...{ bookingId: null, originatorId: partnerId, holdExpiresAt: now, reason: null },
  }));
  const rows = events.map(
    (event): DeliveryRow => ({
      ...{ _id: newId(), eventId: event._id, eventType: event.type, subscriptionId, partnerId },
      ...{ state: 'pending', generation: 1, attemptsMade: 0, attempts: [] },
      ...{ nextAttemptAt: now, leaseUntil: null, deadLetteredAt: null, createdAt: now },
    }),
  );
  await eventCollection(db).insertMany(events);
  await deliveryCollection(db).insertMany(rows);
  for (const { _id, eventId } of rows) jobs.set(_id, { eventId, subscriptionId, partnerId });
  return rows.map(({ _id }) => _id);
}

/**
 * Makes an attempt of each, all at once, and that `workers` times, each as a process of its own; returns what came of them by worker.
 * `older`: by jobs that do not say of which event.
 */
export async function attemptAtOnce(
  context: Context,
  deliveryIds: readonly string[],
  { workers = 1, older = false } = {},
): Promise<AttemptResult[][]> {
  const contexts = [context];
  while (contexts.length < workers) contexts.push(await anotherOf(context));
  return Promise.all(
    contexts.map(async (each) => {
      const attempt = attempterOf(each, older);
      return Promise.all(deliveryIds.map(attempt));
    }),
  );
}

/** The same one after the other. */
export async function attemptInTurn(context: Context, deliveryIds: readonly string[]): Promise<void> {
  const attempt = attempterOf(context);
  for (const deliveryId of deliveryIds) await attempt(deliveryId);
}

function attempterOf(context: Context, older = false): (deliveryId: string) => Promise<AttemptResult> {
  const sender = standardSender();
  onServiceStop(context, () => sender.close());
  const deps = { ...context, sender, permits: createSendPermits(PERMITS, PERMITS) };
  const series = { generation: 1, failuresKnown: 0, signal: new AbortController().signal };
  return (deliveryId) => {
    const { eventId, ...receiver } = jobs.get(deliveryId) ?? { subscriptionId: 's', partnerId: 'p' };
    const said = older || eventId === undefined ? receiver : { ...receiver, eventId };
    return deliverWebhook(deps, { deliveryId, ...said, ...series });
  };
}

/** As another process has it: with a connection of its own, so that it shares no batch with the first. */
async function anotherOf(context: Context): Promise<Context> {
  const db = createDb();
  onServiceStop(context, () => db.close());
  await openDb(db, context.config.mongodbUri, context.log, new AbortController().signal);
  return { ...context, db };
}

export type Begun = { attemptId: string; verdict: boolean | { error: string } };

/** Begins an attempt of each row at once, as it was read. */
export const beginAtOnce = (
  { db }: Context,
  rows: readonly Parameters<typeof beginAttempt>[1][],
): Promise<Begun[]> =>
  Promise.all(
    rows.map(async (row) => {
      const attempt = { id: newId(), endpointUrl: `https://partner.example/${row._id}` };
      return { attemptId: attempt.id, verdict: await verdictOf(beginAttempt(db, row, attempt, LEASE_MS)) };
    }),
  );

/** Settles these attempts at once as successes; `state` is what the row is to become. */
export const settleAtOnce = (
  { db }: Context,
  attempts: readonly { deliveryId: string; attemptId: string; state: string }[],
): Promise<Begun['verdict'][]> =>
  Promise.all(
    attempts.map(({ deliveryId, attemptId, state }) =>
      verdictOf(
        settleAttempt(db, { _id: deliveryId, generation: 1 }, attemptId, {
          ...{ outcome: 'succeeded', state: state as DeliveryState, attemptsMade: 1, nextAttemptInMs: null },
          ...{ isNewDeadLetter: false, statusCode: 200, error: null, durationMs: 3, responseExcerpt: null },
        }),
      ),
    ),
  );

const verdictOf = (made: Promise<boolean>): Promise<Begun['verdict']> =>
  made.catch((err: Error) => ({ error: err.message }));

/** Records these outcomes of attempts that had all read the subscription before the first of them ended. */
export async function recordOutcomes(
  context: Context,
  subscriptionId: string,
  outcomes: readonly boolean[],
): Promise<void> {
  const subscription = await findSubscription(context.db, subscriptionId);
  if (subscription === null) throw new Error('There is no such subscription');
  await Promise.all(outcomes.map((isSuccess) => recordHealth(context, subscription, isSuccess)));
}
