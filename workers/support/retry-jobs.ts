import { DelayedError, type Job, type WorkerOptions } from 'bullmq';
import { systemClock } from '../../src/platform/clock.ts';
import type { ConfigOf } from '../../src/process/config/config.ts';
import type { ProcessScope } from '../../src/process/lifecycle.ts';
import { AttemptFailed, FinalFailure } from '../../src/queues/job-data.ts';
import type { DeadLetterJob } from '../../src/queues/jobs.ts';
import type { Queues } from '../../src/queues/queues.ts';
import type { SendDeps } from '../../src/webhooks/deliveries/attempt.service.ts';
import { type DueAttempt, retryDelivery } from '../../src/webhooks/deliveries/retry-delivery.service.ts';
import { startWorker } from './start-worker.ts';

type RetryOutcome = { status: number | null; ms: number | null } | { skipped: string };

/** How BullMQ runs a job: its lock's token, and the signal that interrupts it. */
type Run = { token: string | undefined; signal: AbortSignal };

/** Makes an attempt, ends the job's run according to the result, and adds the result to the job's log. */
export async function retry(
  deps: SendDeps,
  job: Job,
  delivery: Omit<DueAttempt, 'signal'>,
  { token, signal }: Run,
): Promise<RetryOutcome> {
  const result = await retryDelivery(deps, { ...delivery, signal });
  switch (result.kind) {
    case 'delivered':
      note(job, `${result.attempt}, ${result.ms} ms`);
      return { status: result.status, ms: result.ms };
    case 'skipped':
      return { skipped: result.why };
    case 'retry':
      note(job, `${result.attempt}; the next in ${result.inMs / 1000} s`);
      throw new AttemptFailed(result.attempt, result.inMs);
    case 'dead':
      if (!delivery.isKnownDead) await job.updateData({ ...job.data, is_known_dead: true });
      note(job, `${result.attempt}; dead letter`);
      throw new FinalFailure(result.attempt);
    case 'later':
      // BullMQ schedules by the host's clock.
      await job.moveToDelayed(systemClock.now().getTime() + result.inMs, token);
      throw new DelayedError();
  }
}

/** Does not wait for Redis; if Redis fails, the line is lost. */
function note(job: Job, line: string): void {
  job.log(`${systemClock.now().toISOString()} ${line}`).catch(() => undefined);
}

/** Concurrent jobs of dead letters. */
const CONCURRENCY = 20;

/**
 * Runs the queue `dead-letter`, which shows dead letters, and jobs of other queues that failed three times, on Bull
 * Board's tab Failed. The first run of its jobs fails on purpose, with the reason. If an operator retries one, the
 * delivery gets one more attempt, or the job runs again in its own queue. After a success, BullMQ removes the listed
 * job.
 */
export function startDeadLetters(
  scope: ProcessScope<ConfigOf<'webhook-delivery'>>,
  deps: SendDeps & { queues: Queues },
  locks: Pick<WorkerOptions, 'lockDuration' | 'stalledInterval'>,
): void {
  startWorker<DeadLetterJob, RetryOutcome | { retried: string }>(
    scope,
    deps.queues,
    'dead-letter',
    { ...locks, concurrency: CONCURRENCY },
    async (job, token, signal = scope.stopping) => {
      const { data, attemptsMade } = job;
      if (attemptsMade === 0) throw new FinalFailure(reasonOf(data));
      if ('delivery_id' in data) {
        const { delivery_id: deliveryId, subscription_id: subscriptionId, partner_id: partnerId } = data;
        const dead = { deliveryId, subscriptionId, partnerId, generation: undefined, isKnownDead: true };
        return retry(deps, job, dead, { token, signal });
      }
      if (!(await deps.queues.retryGivenUp(data))) throw new FinalFailure(reasonOf(data));
      return { retried: `${data.job_id} in ${data.queue}` };
    },
  );
}

function reasonOf(data: DeadLetterJob): string {
  return 'delivery_id' in data ? `${data.last_error} (${data.attempts} attempts)` : data.reason;
}
