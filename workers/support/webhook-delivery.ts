import { createSecretBox } from '../../src/platform/secret-box.ts';
import type { ConfigOf } from '../../src/process/config/config.ts';
import { LOCK_MARGIN_MS, STALLED_CHECK_MS } from '../../src/process/config/take-over.rules.ts';
import type { ProcessScope } from '../../src/process/lifecycle.ts';
import { webhookWorkIn } from '../../src/queues/job-data.ts';
import { endpointRules } from '../../src/webhooks/sender/endpoint-url.ts';
import { createSendPermits } from '../../src/webhooks/sender/send-permits.ts';
import { createWebhookSender } from '../../src/webhooks/sender/send-webhook.ts';
import { logMissingKeys } from '../../src/webhooks/subscriptions/rewrap-secrets.service.ts';
import { startDispatching } from './dispatch-jobs.ts';
import { AttemptFailed, retry, startDeadLetters } from './retry-jobs.ts';
import { startContext } from './start-context.ts';
import { startWorker } from './start-worker.ts';
import { startWebhookSweeps } from './webhook-sweeps.ts';

/** Slow sends give their permits back (ADR 0012), so a process runs more jobs than it has send permits. */
const JOBS_PER_PERMIT = 4;

/** Takes events from outboxes to the log and to their receivers, and retries failures on the contract's schedule. */
export async function startWebhookDelivery(
  scope: ProcessScope<ConfigOf<'webhook-delivery'>>,
): Promise<Record<string, unknown>> {
  const { config } = scope;
  const context = { ...(await startContext(scope)), secretBox: createSecretBox(config.encryptionKeys) };
  // Does not wait: each delivery finds a missing key by itself; this log line names the keys earlier.
  logMissingKeys(context).catch((err: unknown) =>
    context.log.warn({ err }, 'could not check that ENCRYPTION_KEYS opens every webhook secret'),
  );
  const sender = createWebhookSender({ ...endpointRules(config), timeoutMs: config.webhookTimeoutMs });
  scope.onStop('webhook sender', () => sender.close());
  const permits = createSendPermits(config.webhookConcurrency, config.webhookUnhealthyConcurrency);
  const deps = { ...context, sender, permits };
  const { dispatch, deliver, inHand } = startDispatching(scope, deps);

  startWorker(
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
    async (job, token, signal = scope.stopping) => {
      const work = webhookWorkIn(job.data);
      if ('reservationIds' in work) return dispatch(work.reservationIds);
      return retry(deps, job, work, { token, signal });
    },
  );
  startDeadLetters(scope, deps);
  startWebhookSweeps(scope, deps, { deliver, inHand });
  return {};
}
