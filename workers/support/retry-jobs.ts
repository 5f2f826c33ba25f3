import { DelayedError, type Job, UnrecoverableError } from 'bullmq';
import { systemClock } from '../../src/platform/clock.ts';
import type { RetryJob } from '../../src/queues/jobs.ts';
import type { SendDeps } from '../../src/webhooks/deliveries/attempt.ts';
import { retryDelivery } from '../../src/webhooks/deliveries/retry-delivery.service.ts';
import { ExpectedFailure } from './start-worker.ts';

/** An attempt failed and is not the last; tells the backoff how long to wait. */
export class AttemptFailed extends ExpectedFailure {
  readonly retryInMs: number;

  constructor(attempt: number, retryInMs: number, cause: string) {
    super(`Attempt ${attempt} failed: ${cause}; the next is in ${retryInMs / 1000} s`);
    this.retryInMs = retryInMs;
  }
}

export async function retry(
  deps: SendDeps,
  job: Job<RetryJob>,
  token: string | undefined,
  signal: AbortSignal,
): Promise<void> {
  const { deliveryId, subscriptionId, generation, partnerId = subscriptionId, isKnownDead = false } = job.data;
  const due = { deliveryId, subscriptionId, partnerId, generation, isKnownDead, signal };
  const result = await retryDelivery(deps, due);
  switch (result.kind) {
    case 'done':
      return;
    case 'retry':
      throw new AttemptFailed(result.attempt, result.inMs, result.cause);
    case 'dead':
      if (!isKnownDead) await job.updateData({ ...job.data, isKnownDead: true });
      throw new UnrecoverableError(result.message);
    case 'later':
      // By the host's clock, which BullMQ compares it with.
      await job.moveToDelayed(systemClock.now().getTime() + result.inMs, token);
      throw new DelayedError();
  }
}
