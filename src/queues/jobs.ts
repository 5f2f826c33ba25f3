import type { BulkJobOptions, Job } from 'bullmq';
import { newId } from '../platform/ids.ts';
import { fieldsOf } from './job-data.ts';

/** The queues of due work, in the order in which a booking passes through them. */
export const WORKED_QUEUES = ['hold-expiry', 'webhook-delivery'] as const;
export type WorkedQueue = (typeof WORKED_QUEUES)[number];

/** All queues. `dead-letter` has deliveries and jobs that failed for good, until an operator retries them. */
export const QUEUE_NAMES = [...WORKED_QUEUES, 'dead-letter'] as const;
export type QueueName = (typeof QUEUE_NAMES)[number];

// The data, names, repetition and retention of each queue's jobs, as operators read them in Bull Board. Job data has no
// personal data, no secret, and only the host of an endpoint: a handler reads the rest from the database when it runs.

/** The remaining attempts of a delivery's series (first attempt and retries). */
type DeliveryJob = {
  delivery_id: string;
  event_type: string;
  event_id: string;
  subscription_id: string;
  partner_id: string;
  /** Null for a test event. */
  venue_id: string | null;
  generation: number;
  /** The series had ended with a dead letter when an operator ran the job again. */
  is_known_dead?: true;
};

/** A delivery that failed at its last attempt. `attempts`: how many the series had. */
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
/** A job without attempts left, or with invalid data. */
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

export type DueHold = {
  holdId: string;
  slotId: string;
  venueId: string;
  expiresAt: Date;
  /** `expiresAt` by this host's clock, which BullMQ uses. */
  dueAtMs: number;
};
type WaitingEvent = { reservationId: string; eventId: string; eventType: string };
/** `endpointHost`: null if the endpoint is unknown. */
export type DueDelivery = DeliveryJob & { endpointHost: string | null; attemptsLeft: number; delayMs: number };

export type NewJob = { name: string; data: object; opts: BulkJobOptions & { jobId: string } };

const DAY_SECONDS = 86_400;
const REMOVAL = {
  removeOnComplete: { age: 3600, count: 1000 },
  removeOnFail: { age: DAY_SECONDS, count: 1000 },
};
/** A job that fails this many times is moved to the dead-letter queue. */
const RETRY_OPTIONS = { attempts: 3, backoff: { type: 'exponential', delay: 500 }, ...REMOVAL };

export function holdExpiryJob({ dueAtMs, ...hold }: DueHold): NewJob {
  return {
    name: `expire hold · ${hold.slotId}`,
    data: {
      hold_id: hold.holdId,
      slot_id: hold.slotId,
      venue_id: hold.venueId,
      expires_at: hold.expiresAt.toISOString(),
    },
    opts: { jobId: holdExpiryJobId(hold), delay: Math.max(0, dueAtMs - Date.now()), ...RETRY_OPTIONS },
  };
}

/** Contains the expiry, so that an extended hold gets another job. */
export function holdExpiryJobId({ holdId, expiresAt }: Pick<DueHold, 'holdId' | 'expiresAt'>): string {
  return `hold-${holdId}-${expiresAt.getTime()}`;
}

/** More reservations than this become several jobs, which several workers can run. */
const MAX_IN_JOB = 50;

/** The jobs that dispatch events from the outboxes and make the first attempt of each delivery. */
export function dispatchJobs(waiting: readonly WaitingEvent[]): NewJob[] {
  const jobs: NewJob[] = [];
  for (let start = 0; start < waiting.length; start += MAX_IN_JOB) {
    const group = waiting.slice(start, start + MAX_IN_JOB);
    const [first] = group;
    // BullMQ ignores a job with an existing id, so several events get a new id: some of them may be enqueued already.
    const id = group.length === 1 ? first?.eventId : newId();
    jobs.push({
      name: 'dispatch events',
      data: {
        reservationIds: group.map(({ reservationId }) => reservationId),
        events: group.map(({ eventType, eventId }) => ({ event_type: eventType, event_id: eventId })),
      },
      opts: { jobId: `event-${id}`, ...RETRY_OPTIONS },
    });
  }
  return jobs;
}

/** The job for the remaining attempts of a delivery's series; the worker's backoff says when each is due. */
export function deliveryJob({ endpointHost, attemptsLeft, delayMs, ...data }: DueDelivery): NewJob {
  return {
    name: `${data.event_type} → ${endpointHost ?? 'unknown endpoint'}`,
    data: data satisfies DeliveryJob,
    opts: {
      jobId: deliveryJobId(data.delivery_id, data.generation),
      delay: delayMs,
      attempts: attemptsLeft,
      backoff: { type: 'webhook' },
      ...REMOVAL,
      removeOnFail: { age: 30 * DAY_SECONDS, count: 10_000 },
    },
  };
}

/** Different for each series: BullMQ ignores a job with an id that exists in any state. */
export function deliveryJobId(deliveryId: string, generation: number): string {
  return `delivery-${deliveryId}-g${generation}`;
}

/** Jobs of `dead-letter` fail at their first run on purpose, and stay listed as failed until a retry succeeds. */
const KEPT_UNTIL_RETRIED = { removeOnComplete: true };

/** `outcome`: how the last attempt ended, for example `HTTP 503`. */
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

/** The dead letter of a failed job. A job that is retried and fails again gets another dead letter. */
export function deadJobJob(
  queue: WorkedQueue,
  { id = '', name, data, attemptsMade, timestamp, finishedOn }: Job,
  reason: string,
): NewJob {
  return {
    name,
    data: {
      queue,
      job_name: name,
      job_id: id,
      job_data: fieldsOf(data),
      reason,
      attempts: attemptsMade,
      failed_at: new Date(finishedOn ?? Date.now()).toISOString(),
    } satisfies DeadJob,
    opts: { jobId: `${DEAD_PREFIX}${queue}-${id}-${timestamp}`, ...KEPT_UNTIL_RETRIED },
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
