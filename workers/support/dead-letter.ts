import type { Job } from 'bullmq';
import type { ConfigOf } from '../../src/process/config/config.ts';
import { LOCK_MARGIN_MS, STALLED_CHECK_MS } from '../../src/process/config/take-over.rules.ts';
import type { ProcessScope } from '../../src/process/lifecycle.ts';
import type { DeadDelivery, DeadLetterJob } from '../../src/queues/dead-letter-jobs.ts';
import { FinalFailure } from '../../src/queues/failures.ts';
import type { Queues } from '../../src/queues/queues.ts';
import type { SendDeps } from '../../src/webhooks/deliveries/attempt.ts';
import { type RetryOutcome, retryDead } from './retry-jobs.ts';
import { startWorker } from './start-worker.ts';

const CONCURRENCY = 20;

/**
 * Lists dead letters as failed jobs: the first run of a job fails at once, with the reason. If an operator retries it,
 * the delivery gets one more attempt, or the job runs again in its own queue. Then the dead letter is removed.
 */
export function startDeadLetters(
  scope: ProcessScope<ConfigOf<'webhook-delivery'>>,
  deps: SendDeps & { queues: Queues },
): void {
  const { webhookTimeoutMs } = scope.config;
  const options = {
    concurrency: CONCURRENCY,
    lockDuration: webhookTimeoutMs + LOCK_MARGIN_MS,
    stalledInterval: STALLED_CHECK_MS,
  };
  startWorker<DeadLetterJob, RetryOutcome | { retried: string }>(
    scope,
    deps.queues,
    'dead-letter',
    options,
    async (job, token, signal = scope.stopping) => {
      const { data, attemptsMade } = job;
      if (attemptsMade === 0) throw new FinalFailure(reasonOf(data));
      if ('delivery_id' in data) return retryDead(deps, job as Job<DeadDelivery>, { token, signal });
      if (!(await deps.queues.retryGivenUp(data))) throw new FinalFailure(reasonOf(data));
      return { retried: `${data.job_id} in ${data.queue}` };
    },
  );
}

function reasonOf(data: DeadLetterJob): string {
  return 'delivery_id' in data ? `${data.last_error} (${data.attempts} attempts)` : data.reason;
}
