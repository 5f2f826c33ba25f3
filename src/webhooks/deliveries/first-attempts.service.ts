import { newId } from '../../platform/ids.ts';
import { isUnhealthy } from '../sender/endpoint-health.rules.ts';
import { deferralMs } from '../sender/send-permits.ts';
import { msUntilRotationAnswered, openSecrets } from '../subscriptions/secrets.service.ts';
import { type BegunAttempt, findSubscriptionToSend, lockMs, type SendDeps } from './attempt.service.ts';
import { newAttemptRow, withdrawAttempts } from './attempts.store.ts';
import { dueIn, failuresOf, type JobFacts, newDelivery, type WantedDelivery } from './create-deliveries.service.ts';
import type { DeliveryRow } from './deliveries.model.ts';
import { insertDeliveries } from './deliveries.store.ts';
import { deliveryFields } from './delivery-text.rules.ts';
import type { Deliver } from './dispatch-events.service.ts';
import { sendAttempt } from './send-attempt.service.ts';

/** How long a first attempt waits for a send permit before a job takes over. */
const PATIENCE_MS = 3000;

/** The time to record a result. An attempt is sent only if its row stays locked for the timeout plus this time. */
const SETTLED_WITHIN_MS = 1000;

type FirstAttempt = Omit<BegunAttempt, 'permit'> & { leaseUntil: Date };
/** `attempt` is null if the delivery cannot be sent at once. */
type Prepared = JobFacts & { row: DeliveryRow; attempt: FirstAttempt | null };
type Batch = { readAtMs: number; now: Date; signal: AbortSignal };

/**
 * Creates deliveries with their first attempts marked as started, and sends these once the rows are durable. Each row
 * is locked for this worker; if the worker dies, the sweep adds a job once the lock has expired. A job retries failed
 * attempts. A job also makes the first attempt if the endpoint is unhealthy or gets no permit. Existing deliveries are
 * left to their worker. `readAtMs` (`performance.now()`): when reading the receivers began. `signal` aborts when the
 * process can no longer wait for responses. Returns the result of `Deliver`, and `sent`, which resolves when the
 * results are recorded.
 */
export async function sendFirstAttempts(
  deps: SendDeps,
  wanted: readonly WantedDelivery[],
  readAtMs: number,
  signal: AbortSignal,
): Promise<Awaited<ReturnType<Deliver>> & { sent: Promise<unknown> }> {
  const batch = { readAtMs, signal, now: deps.clock.now() };
  const prepared = await Promise.all(wanted.map((each) => prepare(deps, each, batch)));
  const rows = prepared.map(({ row }) => row);
  const inserted = await insertDeliveries(deps.db, rows);
  const created = prepared.filter((_, index) => inserted[index] === 'created');
  const ready = created.flatMap(({ attempt }) => attempt ?? []);
  const deferred = created.filter(({ attempt }) => attempt === null);

  const giveUp = new AbortController();
  const patience = setTimeout(() => giveUp.abort(), PATIENCE_MS);
  const beginningSends = Promise.all(ready.map((attempt) => beginSend(deps, attempt, giveUp.signal)));
  const leaveRest = async (): Promise<void> => {
    const due = deferred.map((each) => dueIn(0, each.row, each, deps.config));
    if (due.length > 0) await deps.queues.scheduleDeliveries(due);
    const sends = await beginningSends;
    clearTimeout(patience);
    const unsent = ready.filter((_, index) => sends[index] === null);
    await leaveToJobs(deps, unsent);
  };
  return {
    failures: failuresOf(wanted, inserted),
    begun: leaveRest(),
    sent: beginningSends.then((sends) => Promise.all(sends.flatMap((send) => send?.ended ?? []))),
  };
}

async function prepare(
  deps: SendDeps,
  { event, receiver }: WantedDelivery,
  { readAtMs, now, signal }: Batch,
): Promise<Prepared> {
  const row = newDelivery(event, receiver, event.at);
  const subscription = await findSubscriptionToSend(deps, receiver._id);
  const canSend =
    subscription?.status === 'active' &&
    !isUnhealthy(subscription.consecutiveFailures) &&
    msUntilRotationAnswered(deps, subscription) === 0 &&
    !deps.permits.isBusy(row);
  const secrets = canSend ? openSecrets(deps, subscription) : undefined;
  const facts = { event, endpointUrl: receiver.endpointUrl };
  if (!canSend || secrets === undefined) return { ...facts, row, attempt: null };
  const attemptId = newId();
  const attempt = newAttemptRow(row, { deliveryId: attemptId, endpointUrl: subscription.endpointUrl }, now);
  const leaseUntil = new Date(now.getTime() + lockMs(deps));
  return {
    ...facts,
    row: { ...row, attempts: [attempt], leaseUntil },
    attempt: { row, event, subscription, secrets, attemptId, readAtMs, leaseUntil, signal },
  };
}

/** Null if the endpoint is full, or the permit comes too late to finish the send within the row's lock. */
async function beginSend(
  deps: SendDeps,
  attempt: FirstAttempt,
  giveUp: AbortSignal,
): Promise<{ ended: Promise<void> } | null> {
  const permit = await deps.permits.acquire(attempt.row, giveUp);
  if (permit === null) return null;
  const mayTakeMs = deps.config.webhookTimeoutMs + SETTLED_WITHIN_MS;
  const isLate = deps.clock.now().getTime() + mayTakeMs > attempt.leaseUntil.getTime();
  if (isLate || !permit.beginSend(attempt.subscription.consecutiveFailures)) {
    permit.release();
    return null;
  }
  return { ended: sendFirst(deps, { ...attempt, permit, sentAt: deps.clock.now() }) };
}

async function sendFirst(deps: SendDeps, attempt: BegunAttempt): Promise<void> {
  const { row, event, subscription } = attempt;
  try {
    const { after } = await sendAttempt(deps, attempt);
    if (after === null || after.nextAttemptInMs === null) return;
    const next = { ...row, attemptsMade: after.attemptsMade };
    const facts = { event, endpointUrl: subscription.endpointUrl };
    await deps.queues.scheduleDeliveries([dueIn(after.nextAttemptInMs, next, facts, deps.config)]);
  } catch (err) {
    deps.log.error(
      { ...deliveryFields(row), err },
      'the result of an attempt was not recorded; the attempt is repeated',
    );
  }
}

/** Leaves unsent deliveries to jobs. If that fails, the sweep finds them once their locks expire. */
async function leaveToJobs(deps: SendDeps, attempts: readonly FirstAttempt[]): Promise<void> {
  if (attempts.length === 0) return;
  const unsent = attempts.map(({ row, attemptId }) => ({ deliveryId: row._id, attemptId }));
  try {
    await withdrawAttempts(deps.db, unsent);
    const due = attempts.map(({ row, event, subscription }) =>
      dueIn(deferralMs(), row, { event, endpointUrl: subscription.endpointUrl }, deps.config),
    );
    await deps.queues.scheduleDeliveries(due);
  } catch (err) {
    deps.log.warn({ deliveries: attempts.length, err }, 'jobs for deliveries could not be added; the sweep adds them');
  }
}
