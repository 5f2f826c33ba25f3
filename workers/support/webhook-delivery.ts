import type { Job } from 'bullmq';
import { withDeadline } from '../../src/platform/deadline.ts';
import { createSecretBox } from '../../src/platform/secret-box.ts';
import type { ConfigOf } from '../../src/process/config/config.ts';
import { LOCK_MARGIN_MS, STALLED_CHECK_MS } from '../../src/process/config/take-over.rules.ts';
import type { ProcessScope } from '../../src/process/lifecycle.ts';
import type { RetryJob, WebhookDeliveryJob } from '../../src/queues/jobs.ts';
import type { SendDeps } from '../../src/webhooks/deliveries/attempt.ts';
import { sendFirstAttempts } from '../../src/webhooks/deliveries/first-attempts.service.ts';
import type { Deliver } from '../../src/webhooks/dispatch/dispatch-events.service.ts';
import { dispatchEvents } from '../../src/webhooks/dispatch/dispatch-events.service.ts';
import { createSendPermits } from '../../src/webhooks/sender/send-permits.ts';
import { createWebhookSender } from '../../src/webhooks/sender/send-webhook.ts';
import { logMissingKeys } from '../../src/webhooks/subscriptions/rewrap-secrets.service.ts';
import { createJobDispatcher } from './dispatch-jobs.ts';
import { AttemptFailed, retry } from './retry-jobs.ts';
import { startContext } from './start-context.ts';
import { FINISH_TIMEOUT_MS, startWorker } from './start-worker.ts';
import { startWebhookSweeps } from './webhook-sweeps.ts';

/** Slow sends give their permits back (ADR 0012): for one job that has a permit, a process has up to this many in hand. */
const JOBS_PER_PERMIT = 4;
/** A dispatch that takes longer hangs: its jobs fail and are repeated, and the sweep finds what waits. */
const DISPATCHED_WITHIN_MS = 60_000;

/** Takes events from the outboxes to the log and to their receivers, and retries what fails on the contract's schedule. */
export async function startWebhookDelivery(
  scope: ProcessScope<ConfigOf<'webhook-delivery'>>,
): Promise<Record<string, unknown>> {
  const { config } = scope;
  const context = { ...(await startContext(scope)), secretBox: createSecretBox(config.encryptionKeys) };
  // Nothing waits for it, for each delivery finds out by itself; but this names the keys before there is one.
  logMissingKeys(context).catch((err: unknown) =>
    context.log.warn({ err }, 'could not check that ENCRYPTION_KEYS opens every webhook secret'),
  );
  const sender = createWebhookSender({
    timeoutMs: config.webhookTimeoutMs,
    allowPrivateNetworks: config.webhookAllowPrivateNetworks,
    ports: config.webhookPorts,
  });
  scope.onStop('webhook sender', () => sender.close());
  const permits = createSendPermits(config.webhookConcurrency, config.webhookUnhealthyConcurrency);
  const deps = { ...context, sender, permits };
  const deliver = sendingFirstAttempts(scope, deps);
  const dispatcher = createJobDispatcher((ids) =>
    withDeadline(DISPATCHED_WITHIN_MS, () => dispatchEvents(deps, ids, deliver)),
  );

  startWorker<WebhookDeliveryJob>(
    scope,
    context.queues,
    'webhook-delivery',
    {
      concurrency: config.webhookConcurrency * JOBS_PER_PERMIT,
      lockDuration: config.webhookTimeoutMs + LOCK_MARGIN_MS,
      stalledInterval: STALLED_CHECK_MS,
      settings: {
        backoffStrategy: (_attempts, _type, err) => (err instanceof AttemptFailed ? err.retryInMs : -1),
      },
    },
    async (job, token, signal) => {
      if ('reservationIds' in job.data) await dispatcher.dispatch(job.data.reservationIds);
      else await retry(deps, job as Job<RetryJob>, token, signal ?? scope.stopping);
    },
  );
  startWebhookSweeps(scope, deps, { deliver, inHand: dispatcher.inHand });
  return {};
}

/** Sends first attempts in this process; at its stop those under way may end, and are interrupted where they take too long. */
function sendingFirstAttempts(scope: ProcessScope<unknown>, deps: SendDeps): Deliver {
  const underWay = new Set<Promise<unknown>>();
  const interrupt = new AbortController();
  const interruptLater = () => void setTimeout(() => interrupt.abort(), FINISH_TIMEOUT_MS).unref();
  scope.stopping.addEventListener('abort', interruptLater, { once: true });
  scope.onStop('first attempts', async () => {
    while (underWay.size > 0) await Promise.all(underWay);
  });
  return async (wanted, readAtMs) => {
    const first = await sendFirstAttempts(deps, wanted, readAtMs, interrupt.signal);
    const sent = first.sent.finally(() => underWay.delete(sent));
    underWay.add(sent);
    return first;
  };
}
