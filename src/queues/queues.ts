import { setTimeout as delay } from 'node:timers/promises';
import type { Job, Queue } from 'bullmq';
import { withDeadline } from '../platform/deadline.ts';
import type { Logger } from '../platform/logger.ts';
import type { DueDelivery, DueHold, NewJob } from './jobs.ts';
import {
  deadLetterJob,
  deadLetterJobId,
  deliverEventsJobs,
  deliveryJobId,
  deliveryOfDeadLetter,
  holdExpiryJobs,
  retryJob,
} from './jobs.ts';
import type { OpenQueues, RedisState } from './open-queues.ts';
import { NODE_TIMEOUT_MS, openQueues, REDIS_TIMEOUT_MS } from './open-queues.ts';
import type { RedisServers } from './redis-server.rules.ts';
import { serversIn } from './redis-server.rules.ts';

/** The queues whose jobs workers take, in the order in which a booking passes through them. */
export const WORKED_QUEUES = ['hold-expiry', 'webhook-delivery'] as const;
export type WorkedQueue = (typeof WORKED_QUEUES)[number];

/** The queues; the last is a view of dead letters that no worker takes. */
export const QUEUE_NAMES = [...WORKED_QUEUES, 'webhook-dead-letter'] as const;
export type QueueName = (typeof QUEUE_NAMES)[number];

/**
 * What Redis knows of a queue that workers take jobs from; `workers` are the worker processes connected for it now, null where Redis
 * lists no clients to whoever asks, or a node of a cluster does not respond.
 */
export type QueueState = { name: WorkedQueue; isPaused: boolean; workers: number | null };

/**
 * The producing side of the queues. Every method is a hint that something may be due: it resolves to whether Redis
 * took it, within 500 ms, and never throws. What is not taken is found again by the workers' sweeps of MongoDB. What is
 * offered to a queue at the same time leaves together, and shares jobs where it may.
 */
export type Queues = {
  scheduleHoldExpiry(hold: Omit<DueHold, 'inMs'>, now: Date): Promise<boolean>;
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
  /** Whether Redis can be reached and takes writes, by one. */
  tryWrite(): Promise<RedisState>;
  /** The figures of each queue in the exposition format of Prometheus; undefined where Redis does not give all of them. */
  exportMetrics(): Promise<string[] | undefined>;
  /** Whether each worked queue is paused and how many workers it has; undefined where Redis does not respond for all of them. */
  readStates(): Promise<QueueState[] | undefined>;
  /** How Redis itself fares; undefined where it does not respond. */
  readServers(): Promise<RedisServers | undefined>;
  /** Whether an operator has paused the queue; undefined where Redis does not respond. */
  isPaused(name: WorkedQueue): Promise<boolean | undefined>;
  /** How many jobs wait to be taken; 0 of a queue that is paused, undefined where Redis does not respond. */
  countWaiting(name: WorkedQueue): Promise<number | undefined>;
  /** Deletes the queue of releases up to 1.0.0 that `webhook-delivery` replaces, once none of its workers is left. */
  removeRetired(): Promise<void>;
  byName(name: QueueName): Queue;
  close(): Promise<void>;
};

/** Connects to Redis in the background; the queues can be used before it is reachable, and take nothing then. */
export function createQueues(redisUrl: string, prefix: string, log: Logger): Queues {
  const queues = openQueues(QUEUE_NAMES, { redisUrl, prefix }, log);
  const { ask, offering } = queues;
  const offerExpiries = offering('hold-expiry', holdExpiryJobs);
  const offerDispatches = offering('webhook-delivery', deliverEventsJobs);
  const offerDeliveries = offering<DueDelivery>('webhook-delivery', (due) => due.map(retryJob));
  const offerDeadLetters = offering<string>('webhook-dead-letter', (ids) => ids.map(deadLetterJob));

  return {
    scheduleHoldExpiry: (hold, now) =>
      offerExpiries([{ ...hold, inMs: hold.expiresAt.getTime() - now.getTime() }]),
    enqueueDispatch: (reservationId, eventId) => offerDispatches([{ reservationId, eventId }]),
    scheduleDeliveries: offerDeliveries,
    ensureDelivery: async (delivery) =>
      (await ask('webhook-delivery', (queue) => ensureJob(queue, retryJob(delivery)))) ?? 'unavailable',
    promoteDelivery: async ({ deliveryId, generation }) =>
      (await ask('webhook-delivery', (queue) => promoteJob(queue, deliveryJobId(deliveryId, generation)))) ??
      false,
    addDeadLetters: offerDeadLetters,
    removeDeadLetters: async (deliveryIds) =>
      (await ask('webhook-dead-letter', (queue) =>
        Promise.all(deliveryIds.map((deliveryId) => queue.remove(deadLetterJobId(deliveryId)))),
      )) !== undefined,
    listDeadLetters: async (from, limit) =>
      (await ask('webhook-dead-letter', (queue) => queuedDeadLetters(queue, from, limit))) ?? [],
    isReady: queues.isReady,
    tryWrite: queues.tryWrite,
    ...reports(ask),
    readServers: async () => {
      const infos = await queues.askServers();
      return infos && serversIn(infos);
    },
    isPaused: (name) => ask(name, (queue) => queue.isPaused()),
    countWaiting: (name) =>
      ask(name, async (queue) =>
        (await queue.isPaused()) ? 0 : queue.getJobCountByTypes('wait', 'prioritized'),
      ),
    removeRetired: () => queues.removeRetired('event-dispatch'),
    byName: (name) => queues.byName[name],
    close: queues.close,
  };
}

type Ask = OpenQueues<QueueName>['ask'];

/** What Redis knows of several queues at once. */
function reports(ask: Ask): Pick<Queues, 'exportMetrics' | 'readStates'> {
  return {
    exportMetrics: () =>
      allOrNone(QUEUE_NAMES.map((name) => ask(name, (queue) => queue.exportPrometheusMetrics()))),
    readStates: () => allOrNone(WORKED_QUEUES.map((name) => ask(name, (queue) => readState(name, queue)))),
  };
}

async function allOrNone<T>(responses: readonly Promise<T | undefined>[]): Promise<T[] | undefined> {
  const given = (await Promise.all(responses)).filter((response) => response !== undefined);
  return given.length === responses.length ? given : undefined;
}

async function readState(name: WorkedQueue, queue: Queue): Promise<QueueState> {
  // Every node of a cluster is asked for its clients; while one does not respond nobody knows how many there are.
  const workers = withDeadline(NODE_TIMEOUT_MS, () => queue.getWorkersCount()).catch(() => null);
  return { name, isPaused: await queue.isPaused(), workers: await workers };
}

async function queuedDeadLetters(queue: Queue, from: number, limit: number): Promise<string[]> {
  const jobIds = await queue.getRanges(['waiting'], from, from + limit - 1, true);
  return jobIds.map(deliveryOfDeadLetter);
}

/** Longer than any deferral of a failing endpoint: a due row's job that has longer to wait waits for a time that has passed. */
const MAX_DEFERRAL_MS = 10_000;

async function ensureJob(queue: Queue, job: NewJob): Promise<'added' | 'present'> {
  const existing = await queue.getJob(job.opts.jobId);
  const state = await existing?.getState();
  if (existing !== undefined && state !== 'completed' && state !== 'failed' && state !== 'unknown') {
    if (state === 'delayed' && leftMs(existing) > MAX_DEFERRAL_MS) await existing.promote();
    return 'present';
  }
  await existing?.remove();
  await queue.add(job.name, job.data, job.opts);
  return 'added';
}

/**
 * How long a delayed job has to wait by this host's clock, by which workers take it: much longer than its delay where the clock was set
 * back since, or the host that delayed it is ahead.
 */
function leftMs({ delay: delayMs, processedOn, timestamp }: Job): number {
  return (processedOn ?? timestamp) + delayMs - Date.now();
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
