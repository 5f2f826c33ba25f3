import { setTimeout as delay } from 'node:timers/promises';
import type { Job, Queue } from 'bullmq';
import { withDeadline } from '../platform/deadline.ts';
import type { Logger } from '../platform/logger.ts';
import {
  type DueDelivery,
  type DueHold,
  deadLetterJob,
  deadLetterJobId,
  deliverEventsJobs,
  deliveryJobId,
  deliveryOfDeadLetter,
  holdExpiryJobs,
  type NewJob,
  retryJob,
} from './jobs.ts';
import { NODE_TIMEOUT_MS, openQueues, REDIS_TIMEOUT_MS } from './open-queues.ts';

/** The queues whose jobs workers take, in the order in which a booking passes through them. */
export const WORKED_QUEUES = ['hold-expiry', 'webhook-delivery'] as const;
export type WorkedQueue = (typeof WORKED_QUEUES)[number];

/** All queues; the last shows dead letters to operators, and no worker takes its jobs. */
export const QUEUE_NAMES = [...WORKED_QUEUES, 'webhook-dead-letter'] as const;
export type QueueName = (typeof QUEUE_NAMES)[number];

/** `workers`: connected processes; null if Redis does not list its clients, or a cluster node does not respond. */
export type QueueState = { name: WorkedQueue; isPaused: boolean; workers: number | null };

/**
 * The producing side of the queues. Every method is a hint that something may be due: it resolves within 500 ms, to
 * whether Redis took it or to what Redis returned, and never throws. The workers' sweeps of MongoDB find what Redis did
 * not take. Concurrent calls leave as one batch.
 */
export type Queues = ReturnType<typeof createQueues>;

/** Connects to Redis in the background. The queues can be used before that, and take nothing then. */
export function createQueues(redisUrl: string, prefix: string, log: Logger) {
  const queues = openQueues(QUEUE_NAMES, { redisUrl, prefix }, log);
  const { ask, offering, isReady, tryWrite, readServers, close } = queues;
  const offerExpiries = offering('hold-expiry', holdExpiryJobs);
  const offerDispatches = offering('webhook-delivery', deliverEventsJobs);

  return {
    isReady,
    tryWrite,
    readServers,
    close,
    byName: (name: QueueName): Queue => queues.byName[name],

    scheduleHoldExpiry: (hold: Omit<DueHold, 'inMs'>, now: Date) =>
      offerExpiries([{ ...hold, inMs: hold.expiresAt.getTime() - now.getTime() }]),
    enqueueDispatch: (reservationId: string, eventId: string) => offerDispatches([{ reservationId, eventId }]),
    scheduleDeliveries: offering<DueDelivery>('webhook-delivery', (due) => due.map(retryJob)),
    /** Puts a delivery's job back if it is missing or finished. */
    ensureDelivery: async (delivery: DueDelivery) =>
      (await ask('webhook-delivery', (queue) => ensureJob(queue, retryJob(delivery)))) ?? 'unavailable',
    /** Makes a waiting retry due now. False if there is no such job (the sweep adds it). */
    promoteDelivery: async ({ deliveryId, generation }: Pick<DueDelivery, 'deliveryId' | 'generation'>) =>
      (await ask('webhook-delivery', (queue) => promoteJob(queue, deliveryJobId(deliveryId, generation)))) ?? false,

    addDeadLetters: offering<string>('webhook-dead-letter', (ids) => ids.map(deadLetterJob)),
    removeDeadLetters: async (deliveryIds: readonly string[]) =>
      (await ask('webhook-dead-letter', (queue) =>
        Promise.all(deliveryIds.map((deliveryId) => queue.remove(deadLetterJobId(deliveryId)))),
      )) !== undefined,
    /** Deliveries whose dead letters are queued, oldest first, from position `from`; none without Redis. */
    listDeadLetters: async (from: number, limit: number) =>
      (await ask('webhook-dead-letter', (queue) => queuedDeadLetters(queue, from, limit))) ?? [],

    /** The figures of all queues in the exposition format of Prometheus; undefined unless Redis gives all of them. */
    exportMetrics: () => allOrNone(QUEUE_NAMES.map((name) => ask(name, (queue) => queue.exportPrometheusMetrics()))),
    /** Undefined unless Redis gives the state of all worked queues. */
    readStates: () => allOrNone(WORKED_QUEUES.map((name) => ask(name, (queue) => readState(name, queue)))),
    /** Whether an operator has paused the queue; undefined if Redis does not respond. */
    isPaused: (name: WorkedQueue) => ask(name, (queue) => queue.isPaused()),
    /** How many jobs wait to be taken, 0 for a paused queue; undefined if Redis does not respond. */
    countWaiting: (name: WorkedQueue) =>
      ask(name, async (queue) => ((await queue.isPaused()) ? 0 : queue.getJobCountByTypes('wait', 'prioritized'))),
    /** Deletes the queue of releases up to 1.0.0 that `webhook-delivery` replaces, once it has no workers. */
    removeRetired: () => queues.removeRetired('event-dispatch'),
  };
}

async function allOrNone<T>(responses: readonly Promise<T | undefined>[]): Promise<T[] | undefined> {
  const given = (await Promise.all(responses)).filter((response) => response !== undefined);
  return given.length === responses.length ? given : undefined;
}

async function readState(name: WorkedQueue, queue: Queue): Promise<QueueState> {
  // A cluster lists the clients of all nodes, so the count is unknown while one of them does not respond.
  const workers = withDeadline(NODE_TIMEOUT_MS, () => queue.getWorkersCount()).catch(() => null);
  return { name, isPaused: await queue.isPaused(), workers: await workers };
}

async function queuedDeadLetters(queue: Queue, from: number, limit: number): Promise<string[]> {
  const jobIds = await queue.getRanges(['waiting'], from, from + limit - 1, true);
  return jobIds.map(deliveryOfDeadLetter);
}

/** Longer than any deferral by a failing endpoint: a due row's job that waits longer was delayed by a wrong clock. */
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

/** By this host's clock, as workers count. Longer than the job's delay if a host's clock is or was wrong. */
function leftMs({ delay: delayMs, processedOn, timestamp }: Job): number {
  return (processedOn ?? timestamp) + delayMs - Date.now();
}

/** Makes a delayed job due; waits for one that is ending an attempt, within the time limit of `ask`. */
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
