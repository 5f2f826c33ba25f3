import type { Job, Queue } from 'bullmq';
import { withTimeout } from '../platform/deadline.ts';
import type { Logger } from '../platform/logger.ts';
import { addJob, ensureJob, promoteJob } from './ensure-job.ts';
import { fieldsOf } from './job-data.ts';
import {
  type DeadJob,
  type DueDelivery,
  type DueHold,
  deadDeliveryJob,
  deadDeliveryJobId,
  deadJobJob,
  deliveryJob,
  deliveryJobId,
  dispatchJobs,
  holdExpiryJob,
  holdExpiryJobId,
  type NewJob,
  QUEUE_NAMES,
  type QueueName,
  sourceJob,
  subjectOfDeadLetter,
  WORKED_QUEUES,
  type WorkedQueue,
} from './jobs.ts';
import { NODE_TIMEOUT_MS, openQueues } from './open-queues.ts';

/** `workers`: connected processes; null if Redis does not list its clients, or a node of Redis Cluster is silent. */
export type QueueState = { name: WorkedQueue; isPaused: boolean; workers: number | null };

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
  const { ask, batchChanges, isReady, tryWrite, readServers, close } = queues;
  const batchAdds = <Due>(name: QueueName, toJobs: (due: readonly Due[]) => NewJob[]) =>
    batchChanges(name, (queue, due: readonly Due[]) => queue.addBulk(toJobs(due)));
  const changeExpiry = batchChanges('hold-expiry', changeExpiryJobs, LINGER_MS);
  const addDispatch = batchAdds('webhook-delivery', dispatchJobs);
  const addDelivery = batchAdds<DueDelivery>('webhook-delivery', (due) => due.map(deliveryJob));
  const addDeadLetter = batchAdds<Parameters<typeof deadDeliveryJob>[0]>('dead-letter', (dead) =>
    dead.map(deadDeliveryJob),
  );
  const removeDeadLetter = batchChanges('dead-letter', (queue, deliveryIds: readonly string[]) =>
    removeJobs(queue, deliveryIds.map(deadDeliveryJobId)),
  );

  return {
    isReady,
    tryWrite,
    readServers,
    close,
    byName: (name: QueueName): Queue => queues.byName[name],

    scheduleHoldExpiry: (hold: Omit<DueHold, 'dueAtMs'>, now: Date) => {
      const dueAtMs = Date.now() + hold.expiresAt.getTime() - now.getTime();
      return changeExpiry({ jobId: holdExpiryJobId(hold), added: { ...hold, dueAtMs } });
    },
    /** Removes the job of a hold that has ended or has another expiry. */
    removeHoldExpiry: (hold: Pick<DueHold, 'holdId' | 'expiresAt'>) => changeExpiry({ jobId: holdExpiryJobId(hold) }),
    enqueueDispatch: (reservationId: string, eventId: string, eventType: string) =>
      addDispatch({ reservationId, eventId, eventType }),
    scheduleDeliveries: (due: readonly DueDelivery[]) => allAccepted(due.map(addDelivery)),
    /** Puts a delivery's job back if it is missing or finished. */
    ensureDelivery: async ({ deliveryId, generation }: DeliverySeries, toDue: () => Promise<DueDelivery>) =>
      (await ask('webhook-delivery', (queue) =>
        ensureJob(queue, deliveryJobId(deliveryId, generation), async () => deliveryJob(await toDue())),
      )) ?? 'unavailable',
    /** Makes a waiting retry due now. False if there is no such job (the sweep adds it). */
    promoteDelivery: async ({ deliveryId, generation }: DeliverySeries) =>
      (await ask('webhook-delivery', (queue) => promoteJob(queue, deliveryJobId(deliveryId, generation)))) ?? false,

    addDeadLetters: (dead: readonly Parameters<typeof addDeadLetter>[0][]) => allAccepted(dead.map(addDeadLetter)),
    removeDeadLetters: (deliveryIds: readonly string[]) => allAccepted(deliveryIds.map(removeDeadLetter)),
    /**
     * The deliveries of queued dead letters, oldest first, after the first `skip`; null for a dead letter that is not a
     * delivery. Empty without Redis.
     */
    listDeadLetters: async (skip: number, limit: number) =>
      (await ask('dead-letter', (queue) => queuedDeadLetters(queue, skip, limit))) ?? [],
    /** Moves a failed job to the dead-letter queue. The job stays where it is if Redis fails. */
    giveUpJob: async (queue: WorkedQueue, job: Job, reason: string) => {
      const dead = deadJobOf(queue, job, reason);
      const added = await ask('dead-letter', (deadLetters) => addJob(deadLetters, deadJobJob(dead, job.timestamp)));
      if (added !== undefined) await ask(queue, (source) => source.remove(dead.job_id));
    },
    /** Runs a given-up (dead-lettered) job again. False if Redis fails. */
    retryGivenUp: async (dead: DeadJob) =>
      (await ask(dead.queue, (queue) => ensureJob(queue, dead.job_id, async () => sourceJob(dead)))) !== undefined,
    /** How many jobs of each worked queue are dead letters; undefined if Redis does not respond. */
    countGivenUp: () => ask('dead-letter', countGivenUp),

    /** The figures of all queues in the exposition format of Prometheus; undefined unless Redis gives all of them. */
    exportMetrics: () => allOrNone(QUEUE_NAMES.map((name) => ask(name, (queue) => queue.exportPrometheusMetrics()))),
    /** Undefined unless Redis gives the state of all worked queues. */
    readStates: () => allOrNone(WORKED_QUEUES.map((name) => ask(name, (queue) => readState(name, queue)))),
    /** Whether an operator has paused the queue; undefined if Redis does not respond. */
    isPaused: (name: WorkedQueue) => ask(name, (queue) => queue.isPaused()),
    /** How many jobs wait to be taken, 0 for a paused queue; undefined if Redis does not respond. */
    countWaiting: (name: QueueName) =>
      ask(name, async (queue) => ((await queue.isPaused()) ? 0 : queue.getJobCountByTypes('wait', 'prioritized'))),
    /**
     * Deletes queues of older releases that `webhook-delivery` and `dead-letter` replace, once they have no workers.
     */
    removeRetired: async () => {
      for (const name of ['event-dispatch', 'webhook-dead-letter']) await queues.removeRetired(name);
    },
  };
}

/** How long changes of expiry jobs wait to share a batch, which halves their cost. No caller waits for them. */
const LINGER_MS = 200;

type ExpiryChange = { jobId: string; added?: DueHold };

/** Adds and removes jobs of hold expiry. A job that is added and removed in one batch is not added. */
function changeExpiryJobs(queue: Queue, changes: readonly ExpiryChange[]): Promise<object> {
  const removed = new Set(changes.flatMap(({ jobId, added }) => (added === undefined ? jobId : [])));
  const added = new Map(changes.flatMap((each) => (each.added === undefined ? [] : [[each.jobId, each.added]])));
  const jobs = [...added].flatMap(([jobId, hold]) => (removed.has(jobId) ? [] : holdExpiryJob(hold)));
  const onlyRemoved = [...removed].filter((jobId) => !added.has(jobId));
  return Promise.all([queue.addBulk(jobs), removeJobs(queue, onlyRemoved)]);
}

/** Removes jobs, except those that are running. */
const removeJobs = (queue: Queue, jobIds: readonly string[]) =>
  Promise.all(jobIds.map((jobId) => queue.remove(jobId, { removeChildren: false })));

const allAccepted = async (writes: readonly Promise<boolean>[]) => (await Promise.all(writes)).every(Boolean);

async function allOrNone<T>(responses: readonly Promise<T | undefined>[]): Promise<T[] | undefined> {
  const received = (await Promise.all(responses)).filter((response) => response !== undefined);
  return received.length === responses.length ? received : undefined;
}

async function readState(name: WorkedQueue, queue: Queue): Promise<QueueState> {
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
    const subject = subjectOfDeadLetter(jobId);
    return 'deliveryId' in subject ? subject.deliveryId : null;
  });
}

/** At most this many dead letters are counted. */
const MAX_COUNTED = 10_000;

async function countGivenUp(queue: Queue): Promise<ReadonlyMap<WorkedQueue, number>> {
  const jobIds = await queue.getRanges(['failed', 'waiting', 'active'], 0, MAX_COUNTED - 1);
  const counts = new Map<WorkedQueue, number>();
  for (const jobId of jobIds) {
    const subject = subjectOfDeadLetter(jobId);
    if ('queue' in subject) counts.set(subject.queue, (counts.get(subject.queue) ?? 0) + 1);
  }
  return counts;
}

function deadJobOf(
  queue: WorkedQueue,
  { id = '', name, data, attemptsMade, finishedOn }: Job,
  reason: string,
): DeadJob {
  return {
    queue,
    job_name: name,
    job_id: id,
    job_data: fieldsOf(data),
    reason,
    attempts: attemptsMade,
    failed_at: new Date(finishedOn ?? Date.now()).toISOString(),
  };
}
