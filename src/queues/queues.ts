import { setTimeout as delay } from 'node:timers/promises';
import type { Job, Queue } from 'bullmq';
import { withTimeout } from '../platform/deadline.ts';
import type { Logger } from '../platform/logger.ts';
import * as jobs from './jobs.ts';
import { NODE_TIMEOUT_MS, openQueues, REDIS_TIMEOUT_MS } from './open-queues.ts';

/** `workers`: connected processes; null if Redis does not list its clients, or a node of Redis Cluster is silent. */
export type QueueState = { name: jobs.WorkedQueue; isPaused: boolean; workers: number | null };

type DeliverySeries = { deliveryId: string; generation: number };

/**
 * The producing side of the queues. A job is only a hint that something may be due: if Redis rejects one, the workers'
 * sweeps of MongoDB do its work. No method throws. A call to Redis takes at most 500 ms, a change of hold-expiry jobs
 * 700 ms. A write resolves to whether Redis accepted it, a read to its data. Concurrent calls are batched.
 */
export type Queues = ReturnType<typeof createQueues>;

/** Connects to Redis in the background. The queues accept no job until the connection is open. */
export function createQueues(redisUrl: string, prefix: string, log: Logger) {
  const queues = openQueues(redisUrl, prefix, log);
  const { ask, batchChanges, isReady, tryWrite, readServers, removeRetired, close } = queues;
  const batchAdds = <Due>(name: jobs.QueueName, toJobs: (due: readonly Due[]) => jobs.NewJob[]) =>
    batchChanges(name, (queue, due: readonly Due[]) => queue.addBulk(toJobs(due)));
  const changeExpiry = batchChanges('hold-expiry', changeExpiryJobs, LINGER_MS);
  const addDispatch = batchAdds('webhook-delivery', jobs.dispatchJobs);
  const addDelivery = batchAdds<jobs.DueDelivery>('webhook-delivery', (due) => due.map(jobs.deliveryJob));
  const addDeadLetter = batchAdds<Parameters<typeof jobs.deadDeliveryJob>[0]>('dead-letter', (dead) =>
    dead.map(jobs.deadDeliveryJob),
  );
  const removeDeadLetter = batchChanges('dead-letter', (queue, deliveryIds: readonly string[]) =>
    removeJobs(queue, deliveryIds.map(jobs.deadDeliveryJobId)),
  );

  return {
    isReady,
    tryWrite,
    readServers,
    removeRetired,
    close,
    byName: (name: jobs.QueueName): Queue => queues.byName[name],

    scheduleHoldExpiry: (hold: Omit<jobs.DueHold, 'dueAtMs'>, now: Date) => {
      const dueAtMs = Date.now() + hold.expiresAt.getTime() - now.getTime();
      return changeExpiry({ jobId: jobs.holdExpiryJobId(hold), added: { ...hold, dueAtMs } });
    },
    /** Removes the job of a hold that has ended or has another expiry. */
    removeHoldExpiry: (hold: Pick<jobs.DueHold, 'holdId' | 'expiresAt'>) =>
      changeExpiry({ jobId: jobs.holdExpiryJobId(hold) }),
    enqueueDispatch: (reservationId: string, eventId: string, eventType: string) =>
      addDispatch({ reservationId, eventId, eventType }),
    scheduleDeliveries: (due: readonly jobs.DueDelivery[]) => allAccepted(due.map(addDelivery)),
    /** Puts a delivery's job back if it is missing or finished. */
    ensureDelivery: async ({ deliveryId, generation }: DeliverySeries, toDue: () => Promise<jobs.DueDelivery>) =>
      (await ask('webhook-delivery', (queue) =>
        ensureJob(queue, jobs.deliveryJobId(deliveryId, generation), async () => jobs.deliveryJob(await toDue())),
      )) ?? 'unavailable',
    /** Makes a waiting retry due now. False if there is no such job (the sweep adds it). */
    promoteDelivery: async ({ deliveryId, generation }: DeliverySeries) =>
      (await ask('webhook-delivery', (queue) => promoteJob(queue, jobs.deliveryJobId(deliveryId, generation)))) ??
      false,

    addDeadLetters: (dead: readonly Parameters<typeof addDeadLetter>[0][]) => allAccepted(dead.map(addDeadLetter)),
    removeDeadLetters: (deliveryIds: readonly string[]) => allAccepted(deliveryIds.map(removeDeadLetter)),
    /**
     * The deliveries of queued dead letters, oldest first, after the first `skip`; null for a dead letter that is not a
     * delivery. Empty without Redis.
     */
    listDeadLetters: async (skip: number, limit: number) =>
      (await ask('dead-letter', (queue) => queuedDeadLetters(queue, skip, limit))) ?? [],
    /** Moves a failed job to the dead-letter queue. The job stays where it is if Redis fails. */
    giveUpJob: async (queue: jobs.WorkedQueue, job: Job, reason: string) => {
      const dead = jobs.deadJobJob(queue, job, reason);
      const added = await ask('dead-letter', (deadLetters) => addJob(deadLetters, dead));
      if (added !== undefined) await ask(queue, (source) => source.remove(job.id ?? ''));
    },
    /** Runs a given-up (dead-lettered) job again. False if Redis fails. */
    retryGivenUp: async (dead: jobs.DeadJob) =>
      (await ask(dead.queue, (queue) => ensureJob(queue, dead.job_id, async () => jobs.sourceJob(dead)))) !== undefined,
    /** How many jobs of each worked queue are dead letters; undefined if Redis does not respond. */
    countGivenUp: () => ask('dead-letter', countGivenUp),

    /** The figures of all queues in the exposition format of Prometheus; undefined unless Redis gives all of them. */
    exportMetrics: () =>
      allOrNone(jobs.QUEUE_NAMES.map((name) => ask(name, (queue) => queue.exportPrometheusMetrics()))),
    /** Undefined unless Redis gives the state of all worked queues. */
    readStates: () => allOrNone(jobs.WORKED_QUEUES.map((name) => ask(name, (queue) => readState(name, queue)))),
    /** Whether an operator has paused the queue; undefined if Redis does not respond. */
    isPaused: (name: jobs.WorkedQueue) => ask(name, (queue) => queue.isPaused()),
    /** How many jobs wait to be taken, 0 for a paused queue; undefined if Redis does not respond. */
    countWaiting: (name: jobs.QueueName) =>
      ask(name, async (queue) => ((await queue.isPaused()) ? 0 : queue.getJobCountByTypes('wait', 'prioritized'))),
  };
}

/** How long changes of expiry jobs wait to share a batch, which halves their cost. No caller waits for them. */
const LINGER_MS = 200;

type ExpiryChange = { jobId: string; added?: jobs.DueHold };

/** Adds and removes jobs of hold expiry. A job that is added and removed in one batch is not added. */
function changeExpiryJobs(queue: Queue, changes: readonly ExpiryChange[]): Promise<object> {
  const removed = new Set(changes.flatMap(({ jobId, added }) => (added === undefined ? jobId : [])));
  const added = new Map(changes.flatMap((each) => (each.added === undefined ? [] : [[each.jobId, each.added]])));
  const newJobs = [...added].flatMap(([jobId, hold]) => (removed.has(jobId) ? [] : jobs.holdExpiryJob(hold)));
  const onlyRemoved = [...removed].filter((jobId) => !added.has(jobId));
  return Promise.all([queue.addBulk(newJobs), removeJobs(queue, onlyRemoved)]);
}

const addJob = (queue: Queue, { name, data, opts }: jobs.NewJob) => queue.add(name, data, opts);

/** Longer than a lack of permits defers a job. If the job of a due row waits longer, a wrong clock has delayed it. */
const MAX_DEFERRAL_MS = 10_000;

/** Adds the job if it is missing or finished. A job that a wrong clock has delayed too long becomes due. */
async function ensureJob(queue: Queue, jobId: string, toJob: () => Promise<jobs.NewJob>): Promise<'added' | 'present'> {
  const existing = await queue.getJob(jobId);
  const state = await existing?.getState();
  if (existing !== undefined && state !== 'completed' && state !== 'failed' && state !== 'unknown') {
    if (state === 'delayed' && leftMs(existing) > MAX_DEFERRAL_MS) await existing.promote();
    return 'present';
  }
  await existing?.remove();
  await addJob(queue, await toJob());
  return 'added';
}

/** The remaining delay by this host's clock. A wrong clock can make the remaining delay exceed the job's delay. */
function leftMs({ delay: delayMs, processedOn, timestamp }: Job): number {
  return (processedOn ?? timestamp) + delayMs - Date.now();
}

/** Makes a delayed job due; waits for a running attempt, within the time limit of `ask`. */
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

/** Removes jobs, except those that are running. */
const removeJobs = (queue: Queue, jobIds: readonly string[]) =>
  Promise.all(jobIds.map((jobId) => queue.remove(jobId, { removeChildren: false })));

const allAccepted = async (writes: readonly Promise<boolean>[]) => (await Promise.all(writes)).every(Boolean);

async function allOrNone<T>(responses: readonly Promise<T | undefined>[]): Promise<T[] | undefined> {
  const received = (await Promise.all(responses)).filter((response) => response !== undefined);
  return received.length === responses.length ? received : undefined;
}

async function readState(name: jobs.WorkedQueue, queue: Queue): Promise<QueueState> {
  // Redis Cluster lists clients node by node, so the count is unknown while one node does not respond.
  const workers = withTimeout(NODE_TIMEOUT_MS, () => queue.getWorkersCount()).catch(() => null);
  return { name, isPaused: await queue.isPaused(), workers: await workers };
}

/** Failed dead letters, then those that still wait to fail, for example because the queue is paused. */
async function queuedDeadLetters(queue: Queue, skip: number, limit: number): Promise<(string | null)[]> {
  const idsIn = (state: 'failed' | 'waiting', start: number) =>
    queue.getRanges([state], start, start + limit - 1, true);
  const failed = await idsIn('failed', skip);
  const jobIds =
    failed.length > 0 ? failed : await idsIn('waiting', Math.max(0, skip - (await queue.getFailedCount())));
  return jobIds.map((jobId) => {
    const subject = jobs.subjectOfDeadLetter(jobId);
    return 'deliveryId' in subject ? subject.deliveryId : null;
  });
}

/** At most this many dead letters are counted. */
const MAX_COUNTED = 10_000;

async function countGivenUp(queue: Queue): Promise<ReadonlyMap<jobs.WorkedQueue, number>> {
  const jobIds = await queue.getRanges(['failed', 'waiting', 'active'], 0, MAX_COUNTED - 1);
  const counts = new Map<jobs.WorkedQueue, number>();
  for (const jobId of jobIds) {
    const subject = jobs.subjectOfDeadLetter(jobId);
    if ('queue' in subject) counts.set(subject.queue, (counts.get(subject.queue) ?? 0) + 1);
  }
  return counts;
}
