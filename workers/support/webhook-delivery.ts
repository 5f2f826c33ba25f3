import type { Job } from 'bullmq';
import { DelayedError, UnrecoverableError } from 'bullmq';
import type { ConfigOf } from '../../src/config/config.ts';
import { LOCK_MARGIN_MS, STALLED_CHECK_MS } from '../../src/config/take-over.rules.ts';
import {
  clearDeadLetterQueue,
  raiseForgottenDeadLetters,
  restoreDeadLetterQueue,
} from '../../src/deliveries/dead-letter-queue.service.ts';
import { deliverWebhook } from '../../src/deliveries/deliver-webhook.service.ts';
import { rearmOverdueDeliveries } from '../../src/deliveries/sweep-deliveries.service.ts';
import { raiseLease } from '../../src/platform/cache-versions.store.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { createSecretBox } from '../../src/platform/secret-box.ts';
import { startSweep } from '../../src/platform/sweep.ts';
import type { ProcessScope } from '../../src/process/lifecycle.ts';
import type { WebhookDeliveryJob } from '../../src/queues/jobs.ts';
import { createSendPermits } from '../../src/sender/send-permits.ts';
import { createWebhookSender } from '../../src/sender/send-webhook.ts';
import { logMissingKeys } from '../../src/subscriptions/rewrap-secrets.service.ts';
import { ExpectedFailure, startContext, startWorker } from './start-worker.ts';

const SWEEP_EVERY_MS = 5000;
const SWEEP_GRACE_MS = 5000;
const SWEEP_PAGE = 500;
/** Every how many sweeps the dead-letter queue is compared with the rows. */
const RESTORE_EVERY_SWEEPS = 12;
const RESTORE_LIMIT = 10_000;
/** Slow sends give their permits back (ADR 0016): for one job that has a permit, a process has up to this many in hand. */
const JOBS_PER_PERMIT = 4;

/** The failure of an attempt that is not the last; tells the backoff how long to wait. */
class AttemptFailed extends ExpectedFailure {
  readonly retryInMs: number;

  constructor(attempt: number, retryInMs: number, cause: string) {
    super(`Attempt ${attempt} failed: ${cause}; the next is in ${retryInMs / 1000} s`);
    this.retryInMs = retryInMs;
  }
}

/** Sends webhooks, on the contract's schedule of retries. */
export async function startWebhookDelivery(
  scope: ProcessScope<ConfigOf<'webhook-delivery'>>,
): Promise<Record<string, unknown>> {
  const { config } = scope;
  const context = { ...(await startContext(scope)), secretBox: createSecretBox(config.encryptionKeys) };
  // Attempts rely on what they read for as long as this process has leases: who changes it has to wait so long from the first one on.
  await raiseLease(context.db, config.cacheLeaseMs);
  // Nothing waits for it, for each delivery finds out by itself; but this names the keys before there is one.
  logMissingKeys(context).catch((err: unknown) => context.log.warn({ err }, 'the keys were not looked at'));
  const sender = createWebhookSender({
    timeoutMs: config.webhookTimeoutMs,
    allowPrivateNetworks: config.webhookAllowPrivateNetworks,
    ports: config.webhookPorts,
  });
  scope.onStop('webhook sender', () => sender.close());
  const permits = createSendPermits(config.webhookConcurrency, config.webhookUnhealthyConcurrency);
  const deps = { ...context, sender, permits };

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
      // Jobs of an older release do not say whose they are.
      const { partnerId = job.data.subscriptionId, failuresBefore, ...delivery } = job.data;
      const result = await deliverWebhook(deps, {
        ...delivery,
        partnerId,
        failuresKnown: failuresBefore + job.attemptsMade,
        signal: signal ?? scope.stopping,
      });
      switch (result.kind) {
        case 'done':
          return;
        case 'retry':
          await keepInStep(job, result.attemptsMade - 1);
          throw new AttemptFailed(result.attemptsMade, result.inMs, result.cause);
        case 'dead':
          await keepInStep(job, result.attemptsMade - 1);
          throw new UnrecoverableError(
            result.isWithheld === true
              ? 'Nothing was sent: its partner cannot receive the event'
              : `Dead letter after ${result.attemptsMade} attempts; the last: ${result.cause ?? 'not known'}`,
          );
        case 'later':
          await keepInStep(job, result.attemptsMade);
          // By the host's clock: BullMQ compares it with that.
          await job.moveToDelayed(systemClock.now().getTime() + result.inMs, token);
          throw new DelayedError();
      }
    },
  );

  let sweeps = 0;
  let clearedUpTo = 0;
  const beforeFirstPage = async (stopping: AbortSignal): Promise<number> => {
    if (sweeps++ % RESTORE_EVERY_SWEEPS === 0) {
      await restoreDeadLetterQueue(deps, RESTORE_LIMIT);
      clearedUpTo = await clearDeadLetterQueue(deps, { limit: SWEEP_PAGE, from: clearedUpTo, stopping });
    }
    return raiseForgottenDeadLetters(deps, { graceMs: SWEEP_GRACE_MS, limit: SWEEP_PAGE, stopping });
  };
  startSweep<string>(scope, context.db, {
    name: 'overdue-deliveries',
    everyMs: SWEEP_EVERY_MS,
    run: async (stopping, afterId = '') => {
      const raised = afterId === '' ? await beforeFirstPage(stopping) : 0;
      const page = { graceMs: SWEEP_GRACE_MS, limit: SWEEP_PAGE, afterId, stopping };
      const { count, next } = await rearmOverdueDeliveries(deps, page);
      return { count: raised + count, next };
    },
  });
  return {};
}

/** A worker that died after the row was written left the job's own count behind; the row's is the truth. */
async function keepInStep(job: Job<WebhookDeliveryJob>, failures: number): Promise<void> {
  const failuresBefore = failures - job.attemptsMade;
  if (failuresBefore !== job.data.failuresBefore) await job.updateData({ ...job.data, failuresBefore });
}
