import { type NewJob, RETRY_OPTIONS, WORKED_QUEUES, type WorkedQueue } from './jobs.ts';

/** A delivery whose last attempt failed, as its row says. `attempts`: of its series. */
export type DeadDelivery = {
  delivery_id: string;
  event_type: string;
  event_id: string;
  subscription_id: string;
  /** Null if an older release made the last attempt. */
  endpoint_host: string | null;
  partner_id: string;
  attempts: number;
  last_status: number | null;
  last_error: string;
  failed_at: string;
};
/** A job whose attempts are used up, or whose data has no known shape. */
export type DeadJob = {
  queue: WorkedQueue;
  job_name: string;
  job_id: string;
  job_data: object;
  reason: string;
  attempts: number;
  failed_at: string;
};
export type DeadLetterJob = DeadDelivery | DeadJob;

/** A dead letter fails at its first run, stays among the failed jobs, and goes when a retry succeeds. */
const KEPT_UNTIL_RETRIED = { removeOnComplete: true };

/** `outcome`: how the last attempt ended, in short: `HTTP 503`. */
export function deadDeliveryJob({ outcome, ...data }: DeadDelivery & { outcome: string }): NewJob {
  return {
    name: `${data.event_type} → ${outcome}`,
    data: data satisfies DeadDelivery,
    opts: { jobId: deadDeliveryJobId(data.delivery_id), ...KEPT_UNTIL_RETRIED },
  };
}

const DEAD_PREFIX = 'dead-';

export function deadDeliveryJobId(deliveryId: string): string {
  return `${DEAD_PREFIX}${deliveryId}`;
}

/** `addedAtMs`: when the source job was added; one that is retried and fails again gets another dead letter. */
export function deadJobJob(data: DeadJob, addedAtMs: number): NewJob {
  return {
    name: data.job_name,
    data: data satisfies DeadJob,
    opts: { jobId: `${DEAD_PREFIX}${data.queue}-${data.job_id}-${addedAtMs}`, ...KEPT_UNTIL_RETRIED },
  };
}

/** The source job of a dead letter, to be run again. */
export function sourceJob({ job_name: name, job_data: data, job_id: jobId }: DeadJob): NewJob {
  return { name, data, opts: { jobId, ...RETRY_OPTIONS } };
}

/** What a job of the dead-letter queue is about, by its id: a delivery, or a job of a queue. */
export function subjectOfDeadLetter(jobId: string): { deliveryId: string } | { queue: WorkedQueue } {
  const subject = jobId.slice(DEAD_PREFIX.length);
  const queue = WORKED_QUEUES.find((name) => subject.startsWith(`${name}-`));
  return queue === undefined ? { deliveryId: subject } : { queue };
}
