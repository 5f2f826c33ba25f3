import { createSecretBox } from '../../src/platform/secret-box.ts';
import type { ConfigOf } from '../../src/process/config/config.ts';
import { JOB_LOCK_MARGIN_MS, STALLED_CHECK_MS } from '../../src/process/config/take-over.rules.ts';
import type { ProcessScope } from '../../src/process/lifecycle.ts';
import { AttemptFailed, webhookWorkIn } from '../../src/queues/job-data.ts';
import { endpointRules } from '../../src/webhooks/sender/endpoint-url.ts';
import { createSendPermits } from '../../src/webhooks/sender/send-permits.ts';
import { createWebhookSender } from '../../src/webhooks/sender/send-webhook.ts';
import { logMissingKeys } from '../../src/webhooks/subscriptions/rewrap-secrets.service.ts';
import { startDispatching } from './dispatch-jobs.ts';
import { retry, startDeadLetters } from './retry-jobs.ts';
import { startContext } from './start-context.ts';
import { startWorker } from './start-worker.ts';
import { startWebhookSweeps } from './webhook-sweeps.ts';

/** More jobs than permits: a slow send gives its permit back before it ends (ADR 0012), and its job stays active. */
const JOBS_PER_PERMIT = 4;

/** Dispatches the events of outboxes, delivers them, and retries failures on the contract's schedule. */
export async function startWebhookDelivery(
  scope: ProcessScope<ConfigOf<'webhook-delivery'>>,
): Promise<Record<string, unknown>> {
  const { config } = scope;
  const context = { ...(await startContext(scope)), secretBox: createSecretBox(config.encryptionKeys) };
  // Not awaited: this only logs missing keys at the start. A delivery whose key is missing waits by itself.
  logMissingKeys(context).catch((err: unknown) =>
    context.log.warn({ err }, 'could not check that ENCRYPTION_KEYS opens every webhook secret'),
  );
  const sender = createWebhookSender({ ...endpointRules(config), timeoutMs: config.webhookTimeoutMs });
  scope.onStop('webhook sender', () => sender.close());
  const permits = createSendPermits(config.webhookConcurrency, config.webhookUnhealthyConcurrency);
  const deps = { ...context, sender, permits };
  const { dispatch, deliver, inProgressIds } = startDispatching(scope, deps);

  const locks = { lockDuration: config.webhookTimeoutMs + JOB_LOCK_MARGIN_MS, stalledInterval: STALLED_CHECK_MS };
  startWorker(
    scope,
    context.queues,
    'webhook-delivery',
    {
      ...locks,
      concurrency: config.webhookConcurrency * JOBS_PER_PERMIT,
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
  startDeadLetters(scope, deps, locks);
  startWebhookSweeps(scope, deps, { deliver, inProgressIds });
  return {};
}
