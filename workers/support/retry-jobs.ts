import { DelayedError, type Job } from 'bullmq';
import { systemClock } from '../../src/platform/clock.ts';
import type { DeadDelivery } from '../../src/queues/dead-letter-jobs.ts';
import { ExpectedFailure, FinalFailure } from '../../src/queues/failures.ts';
import type { DeliveryToRetry } from '../../src/queues/jobs.ts';
import type { SendDeps } from '../../src/webhooks/deliveries/attempt.ts';
import { type AttemptResult, retryDelivery } from '../../src/webhooks/deliveries/retry-delivery.service.ts';

/** An attempt failed and is not the last; tells the backoff how long to wait. */
export class AttemptFailed extends ExpectedFailure {
  readonly retryInMs: number;

  constructor(message: string, retryInMs: number) {
    super(message);
    this.retryInMs = retryInMs;
  }
}

export type RetryOutcome = { status: number | null; ms: number | null } | { skipped: string };

/** How BullMQ runs a job: its lock's token, and the signal that interrupts it. */
export type Run = { token: string | undefined; signal: AbortSignal };

export async function retry(deps: SendDeps, job: Job, delivery: DeliveryToRetry, run: Run): Promise<RetryOutcome> {
  const result = await retryDelivery(deps, { ...delivery, signal: run.signal });
  if (result.kind === 'dead' && !delivery.isKnownDead) await job.updateData({ ...job.data, is_known_dead: true });
  return endRun(job, result, run);
}

/** One more attempt of a dead letter, which an operator has asked for. */
export async function retryDead(deps: SendDeps, job: Job<DeadDelivery>, run: Run): Promise<RetryOutcome> {
  const { delivery_id: deliveryId, subscription_id: subscriptionId, partner_id: partnerId } = job.data;
  const due = { deliveryId, subscriptionId, partnerId, generation: undefined, isKnownDead: true };
  return endRun(job, await retryDelivery(deps, { ...due, signal: run.signal }), run);
}

/** Ends the run of a job according to its attempt, and adds a line about the attempt to the job's log. */
async function endRun(job: Job, result: AttemptResult, { token }: Run): Promise<RetryOutcome> {
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
      note(job, `${result.attempt}; dead letter`);
      throw new FinalFailure(result.attempt);
    case 'later':
      // By the host's clock, which BullMQ compares it with.
      await job.moveToDelayed(systemClock.now().getTime() + result.inMs, token);
      throw new DelayedError();
  }
}

/** Does not wait for Redis, and does without the line if Redis fails. */
function note(job: Job, line: string): void {
  job.log(`${systemClock.now().toISOString()} ${line}`).catch(() => undefined);
}
