import { setTimeout as delay } from 'node:timers/promises';
import type { BulkJobOptions } from 'bullmq';
import { Queue } from 'bullmq';
import type { Logger } from '../platform/logger.ts';
import { closeRedis, createProducerRedis } from '../platform/redis.ts';

/** The queues whose jobs workers take, in the order in which a booking passes through them. */
export const WORKED_QUEUES = ['hold-expiry', 'event-dispatch', 'webhook-delivery'] as const;
export type WorkedQueue = (typeof WORKED_QUEUES)[number];

/** The four queues; the last is a view of dead letters that no worker takes. */
export const QUEUE_NAMES = [...WORKED_QUEUES, 'webhook-dead-letter'] as const;
export type QueueName = (typeof QUEUE_NAMES)[number];

/**
 * What Redis knows of a queue that workers take jobs from; `workers` are the worker processes connected for it now, null where Redis
 * lists no clients to whoever asks.
 */
export type QueueState = { name: WorkedQueue; isPaused: boolean; workers: number | null };

/** Job data carries ids only: what a job means is read from the database when it runs. */
export type HoldExpiryJob = { holdId: string };
export type EventDispatchJob = { reservationId: string };
/** `failuresBefore`: counted failures of the series before this job was made; its own come on top (`attemptsMade`). */
export type WebhookDeliveryJob = {
  deliveryId: string;
  subscriptionId: string;
  /** Absent in jobs of an older release. */
  partnerId?: string;
  generation: number;
  failuresBefore: number;
};
export type DeadLetterJob = { deliveryId: string };

export type DueHold = { holdId: string; expiresAt: Date };
export type DueDelivery = {
  deliveryId: string;
  subscriptionId: string;
  partnerId: string;
  generation: number;
  attemptsMade: number;
  attemptsLeft: number;
  delayMs: number;
};

/**
 * The producing side of the queues. Every method is a hint that something may be due: it resolves to whether Redis
 * took it, within 500 ms, and never throws. What is not taken is found again by the workers' sweeps of MongoDB.
 */
export type Queues = {
  scheduleHoldExpiry(hold: DueHold, now: Date): Promise<boolean>;
  enqueueDispatch(reservationId: string, eventId: string): Promise<boolean>;
  scheduleDeliveries(deliveries: readonly DueDelivery[]): Promise<boolean>;
  addDeadLetters(deliveryIds: readonly string[]): Promise<boolean>;
  /** Takes dead letters out of their queue, once they were delivered after all or begin anew. */
  removeDeadLetters(deliveryIds: readonly string[]): Promise<boolean>;
  /** At most `limit` of the deliveries whose dead letters are queued, oldest first, those before `from` left out; none without Redis. */
  listDeadLetters(from: number, limit: number): Promise<string[]>;
  /** Puts a delivery's job back where it is missing or finished, so that a due row is worked on again. */
  ensureDelivery(delivery: DueDelivery): Promise<'added' | 'present' | 'unavailable'>;
  /** Makes a waiting retry due now. Resolves to false where there is no such job (the sweep makes it up). */
  promoteDelivery(delivery: Pick<DueDelivery, 'deliveryId' | 'generation'>): Promise<boolean>;
  isReady(): boolean;
  /** The figures of each queue in the exposition format of Prometheus; undefined where Redis does not give all of them. */
  exportMetrics(): Promise<string[] | undefined>;
  /** Whether each worked queue is paused and how many workers it has; undefined where Redis does not respond for all of them. */
  readStates(): Promise<QueueState[] | undefined>;
  byName(name: QueueName): Queue;
  close(): Promise<void>;
};

const REDIS_TIMEOUT_MS = 500;
const DAY_SECONDS = 86_400;

type NewJob = { name: string; data: object; opts: BulkJobOptions };

/** Connects to Redis in the background; the queues can be used, and report that nothing was taken, before it is reachable. */
export function createQueues(redisUrl: string, prefix: string, log: Logger): Queues {
  const redis = createProducerRedis(redisUrl, log);
  const open = (name: QueueName) => {
    const queue = new Queue(name, {
      connection: redis,
      prefix,
      streams: { events: { maxLen: 2000 } },
      defaultJobOptions: { stackTraceLimit: 3 },
    });
    queue.on('error', (err) => log.debug({ queue: name, error: err.message }, 'queue connection error'));
    return queue;
  };
  const queues: Record<QueueName, Queue> = {
    'hold-expiry': open('hold-expiry'),
    'event-dispatch': open('event-dispatch'),
    'webhook-delivery': open('webhook-delivery'),
    'webhook-dead-letter': open('webhook-dead-letter'),
  };

  const bounded: Bounded = async (name, work) => {
    if (redis.status !== 'ready') return undefined;
    const deadline = new AbortController();
    try {
      return await Promise.race([
        work(queues[name]),
        delay(REDIS_TIMEOUT_MS, undefined, { signal: deadline.signal }),
      ]);
    } catch (err) {
      log.warn(
        { queue: name, error: (err as Error).message },
        'Redis did not respond; a sweep will do what it did not take',
      );
      return undefined;
    } finally {
      deadline.abort();
    }
  };
  const offer = async (name: QueueName, jobs: NewJob[]) =>
    (await bounded(name, (queue) => queue.addBulk(jobs))) !== undefined;

  return {
    scheduleHoldExpiry: (hold, now) =>
      offer('hold-expiry', [
        {
          name: 'expire-hold',
          data: { holdId: hold.holdId } satisfies HoldExpiryJob,
          opts: {
            jobId: `hold-${hold.holdId}-${hold.expiresAt.getTime()}`,
            delay: Math.max(0, hold.expiresAt.getTime() - now.getTime()),
            removeOnComplete: { age: 3600, count: 1000 },
            removeOnFail: { age: DAY_SECONDS, count: 1000 },
          },
        },
      ]),
    enqueueDispatch: (reservationId, eventId) =>
      offer('event-dispatch', [
        {
          name: 'dispatch-event',
          data: { reservationId } satisfies EventDispatchJob,
          opts: {
            jobId: `event-${eventId}`,
            attempts: 3,
            backoff: { type: 'exponential', delay: 500 },
            removeOnComplete: { age: 3600, count: 1000 },
            removeOnFail: { age: DAY_SECONDS, count: 1000 },
          },
        },
      ]),
    scheduleDeliveries: (deliveries) => offer('webhook-delivery', deliveries.map(deliveryJob)),
    addDeadLetters: (deliveryIds) =>
      offer(
        'webhook-dead-letter',
        deliveryIds.map((deliveryId) => ({
          name: 'dead-letter',
          data: { deliveryId } satisfies DeadLetterJob,
          opts: { jobId: deadLetterJobId(deliveryId) },
        })),
      ),
    removeDeadLetters: async (deliveryIds) =>
      (await bounded('webhook-dead-letter', (queue) =>
        Promise.all(deliveryIds.map((deliveryId) => queue.remove(deadLetterJobId(deliveryId)))),
      )) !== undefined,
    listDeadLetters: async (from, limit) =>
      (await bounded('webhook-dead-letter', (queue) => queuedDeadLetters(queue, from, limit))) ?? [],
    ensureDelivery: async (delivery) =>
      (await bounded('webhook-delivery', (queue) => ensureJob(queue, deliveryJob(delivery)))) ??
      'unavailable',
    promoteDelivery: async ({ deliveryId, generation }) =>
      (await bounded('webhook-delivery', (queue) =>
        promoteJob(queue, deliveryJobId(deliveryId, generation)),
      )) ?? false,
    isReady: () => redis.status === 'ready',
    ...reports(bounded),
    byName: (name) => queues[name],
    close: async () => {
      await Promise.all(Object.values(queues).map((queue) => queue.close().catch(() => undefined)));
      await closeRedis(redis);
    },
  };
}

type Bounded = <T>(name: QueueName, work: (queue: Queue) => Promise<T>) => Promise<T | undefined>;

/** What Redis knows of several queues at once. */
function reports(bounded: Bounded): Pick<Queues, 'exportMetrics' | 'readStates'> {
  return {
    exportMetrics: () =>
      allOrNone(QUEUE_NAMES.map((name) => bounded(name, (queue) => queue.exportPrometheusMetrics()))),
    readStates: () =>
      allOrNone(WORKED_QUEUES.map((name) => bounded(name, (queue) => readState(name, queue)))),
  };
}

async function allOrNone<T>(responses: readonly Promise<T | undefined>[]): Promise<T[] | undefined> {
  const given = (await Promise.all(responses)).filter((response) => response !== undefined);
  return given.length === responses.length ? given : undefined;
}

async function readState(name: WorkedQueue, queue: Queue): Promise<QueueState> {
  const workers = queue.getWorkersCount().catch(() => null);
  return { name, isPaused: await queue.isPaused(), workers: await workers };
}

/** BullMQ ignores a job whose id exists in any state, so each series of attempts has a generation of its own. */
export function deliveryJobId(deliveryId: string, generation: number): string {
  return `delivery-${deliveryId}-g${generation}`;
}

function deadLetterJobId(deliveryId: string): string {
  return `dead-${deliveryId}`;
}

async function queuedDeadLetters(queue: Queue, from: number, limit: number): Promise<string[]> {
  const jobIds = await queue.getRanges(['waiting'], from, from + limit - 1, true);
  return jobIds.map((jobId) => jobId.slice(deadLetterJobId('').length));
}

function deliveryJob(delivery: DueDelivery): NewJob {
  return {
    name: 'deliver-webhook',
    data: {
      deliveryId: delivery.deliveryId,
      subscriptionId: delivery.subscriptionId,
      partnerId: delivery.partnerId,
      generation: delivery.generation,
      failuresBefore: delivery.attemptsMade,
    } satisfies WebhookDeliveryJob,
    opts: {
      jobId: deliveryJobId(delivery.deliveryId, delivery.generation),
      delay: delivery.delayMs,
      attempts: delivery.attemptsLeft,
      backoff: { type: 'webhook' },
      removeOnComplete: { age: 3600, count: 1000 },
      removeOnFail: { age: 30 * DAY_SECONDS, count: 10_000 },
    },
  };
}

/** Longer than any deferral of a failing endpoint: a due row's job that waits longer waits for a time that has passed. */
const MAX_DEFERRAL_MS = 10_000;

async function ensureJob(queue: Queue, job: NewJob): Promise<'added' | 'present'> {
  const existing = await queue.getJob(job.opts.jobId ?? '');
  const state = await existing?.getState();
  if (existing !== undefined && state !== 'completed' && state !== 'failed' && state !== 'unknown') {
    if (state === 'delayed' && existing.delay > MAX_DEFERRAL_MS) await existing.promote();
    return 'present';
  }
  await existing?.remove();
  await queue.add(job.name, job.data, job.opts);
  return 'added';
}

/** Makes a delayed job due; one that is just ending an attempt is waited for, within the bound that every response has. */
async function promoteJob(queue: Queue, jobId: string): Promise<boolean> {
  for (const endsAt = performance.now() + REDIS_TIMEOUT_MS - 100; performance.now() < endsAt; ) {
    const job = await queue.getJob(jobId);
    const state = await job?.getState();
    if (state === 'delayed') {
      await job?.promote();
      return true;
    }
    if (state !== 'active') return false;
    await delay(20);
  }
  return false;
}
