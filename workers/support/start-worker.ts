import { setTimeout as delay } from 'node:timers/promises';
import { type Job, type Processor, UnrecoverableError, Worker, type WorkerOptions } from 'bullmq';
import { BullMQOtel } from 'bullmq-otel';
import type { Logger } from '../../src/platform/logger.ts';
import { closeRedis, createWorkerRedis } from '../../src/platform/redis.ts';
import { isTracing } from '../../src/platform/tracing.ts';
import type { WorkerConfig } from '../../src/process/config/config.ts';
import type { ProcessScope } from '../../src/process/lifecycle.ts';
import { AttemptFailed, deliveryIn, loggedIdsOf } from '../../src/queues/job-data.ts';
import type { QueueName } from '../../src/queues/jobs.ts';
import { stateAfter } from '../../src/queues/open-queues.ts';
import type { Queues } from '../../src/queues/queues.ts';

/** A killed worker's job is picked up once its lock expires and a check runs: within 20 s. */
const LOCK_MS = 10_000;
const STALLED_CHECK_MS = 5000;
/** BullMQ's default of 1 would fail a job at its second crash; jobs are cheap to repeat. */
const MAX_STALLS = 10;
/** How long active jobs may take to end before they are interrupted and handed back. */
export const FINISH_TIMEOUT_MS = 15_000;
/** How long handing jobs back to Redis may take, after the last job has ended. */
const HAND_BACK_TIMEOUT_MS = 3000;
/** Makes BullMQ count completed and failed jobs, by the minute, for a day. */
const METRICS = { maxDataPoints: 1440 };
/** How long a worker pauses when Redis rejects a command, which BullMQ would repeat at once. */
const REJECTED_PAUSE_MS = 1000;

/** A worker that pauses while Redis rejects its commands, and logs that once. */
class PausingWorker<Data, Result> extends Worker<Data, Result> {
  readonly #log: Logger;
  #isRejected = false;

  constructor(name: string, process: Processor<Data, Result>, options: WorkerOptions, log: Logger) {
    super(name, process, options);
    this.#log = log;
  }

  protected override async moveToActive(...args: Parameters<Worker<Data, Result>['moveToActive']>) {
    try {
      const job = await super.moveToActive(...args);
      if (this.#isRejected) this.#log.info({ queue: this.name }, 'Redis accepts writes again');
      this.#isRejected = false;
      return job;
    } catch (err) {
      const state = stateAfter(err);
      if (!this.#isRejected && state !== 'unreachable') {
        this.#log.warn({ queue: this.name, error: (err as Error).message }, `Redis ${state}; jobs of this queue wait`);
        this.#isRejected = true;
      }
      await delay(REJECTED_PAUSE_MS, undefined, { ref: false });
      throw err;
    }
  }
}

/**
 * Consumes a queue until the process stops; waits for Redis while Redis is away. At the stop, takes no new jobs, lets
 * active ones finish, and aborts the signal of those that take too long. If Redis is away then, jobs are not
 * handed back: their locks expire, and MongoDB records what was done. Operators see the result of `process` as the
 * job's return value.
 */
export function startWorker<Data extends object = Record<string, unknown>, Result extends object = object>(
  scope: ProcessScope<WorkerConfig>,
  queues: Pick<Queues, 'countWaiting' | 'giveUpJob'>,
  name: QueueName,
  options: Pick<WorkerOptions, 'concurrency' | 'lockDuration' | 'stalledInterval' | 'settings'>,
  process: Processor<Data, Result>,
): void {
  const { config, log } = scope;
  const connection = createWorkerRedis(config.redisUrl, log);
  scope.onStop(`${name} connection`, () => closeRedis(connection));
  const active = new Set<Promise<Result>>();
  // Name all three parameters: BullMQ counts them, and passes a signal only to a processor that has three.
  const tracked: Processor<Data, Result> = (job, token, signal) => {
    const run = process(job, token, signal).finally(() => active.delete(run));
    active.add(run);
    return run;
  };
  const settings: WorkerOptions = {
    connection,
    prefix: config.queuePrefix,
    lockDuration: LOCK_MS,
    stalledInterval: STALLED_CHECK_MS,
    maxStalledCount: MAX_STALLS,
    metrics: METRICS,
    ...(isTracing() ? { telemetry: new BullMQOtel({ tracerName: 'partner-booking-service' }) } : {}),
    ...options,
  };
  const worker = new PausingWorker<Data, Result>(name, tracked, settings, log);
  worker.on('error', (err) => log.debug({ queue: name, error: err.message }, 'worker connection error'));
  worker.on('failed', (job, err) => {
    const level = err instanceof UnrecoverableError || err instanceof AttemptFailed ? 'debug' : 'error';
    const ids = job === undefined ? {} : loggedIdsOf(job.data);
    log[level]({ queue: name, job: job?.id, ...ids, err }, 'job failed');
    if (job !== undefined && name !== 'dead-letter' && isGivenUp(job)) void queues.giveUpJob(name, job, err.message);
  });
  expectJobs(scope, queues, name, worker);
  scope.onStop(`${name} worker`, async () => {
    const interrupt = setTimeout(() => worker.cancelAllJobs('the worker stops'), FINISH_TIMEOUT_MS);
    const isRedisAway = connection.status !== 'ready';
    const closed = worker.close(isRedisAway);
    await Promise.allSettled(active);
    await Promise.race([closed, delay(HAND_BACK_TIMEOUT_MS, undefined, { ref: false })]);
    clearTimeout(interrupt);
  });
}

/** Whether the job has failed for good. False for a delivery's job: the sweep adds it again if an attempt is due. */
function isGivenUp({ finishedOn, data }: Job): boolean {
  return finishedOn !== undefined && deliveryIn(data) === undefined;
}

/** How long jobs may wait while none begins or ends: longer than the longest WEBHOOK_TIMEOUT_MS. */
const STALL_TIMES = { mayWaitMs: 120_000, everyMs: 10_000 };

/**
 * Reports a stall if jobs wait and the worker neither begins nor ends one. A paused queue and an unreachable Redis are
 * not stalls: a restart fixes neither.
 */
export function expectJobs(
  { progress, stopping }: Pick<ProcessScope, 'progress' | 'stopping'>,
  queues: Pick<Queues, 'countWaiting'>,
  name: QueueName,
  worker: Pick<Worker, 'on'>,
  times = STALL_TIMES,
): void {
  const { beat } = progress.expect(`jobs of ${name}`, times.mayWaitMs);
  worker.on('active', beat);
  worker.on('completed', beat);
  worker.on('failed', beat);
  const check = async (): Promise<void> => {
    const waiting = await queues.countWaiting(name);
    if (waiting === undefined || waiting === 0) beat();
  };
  const timer = setInterval(() => void check(), times.everyMs);
  stopping.addEventListener('abort', () => clearInterval(timer), { once: true });
}
