import type { BulkJobOptions } from 'bullmq';

// What each queue's jobs carry, what they are called and how they are repeated and kept. Job data is ids only: what a job
// means is read from the database when it runs.

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

export type NewJob = { name: string; data: object; opts: BulkJobOptions & { jobId: string } };

const DAY_SECONDS = 86_400;
const REMOVE_COMPLETED = { age: 3600, count: 1000 };
const REMOVE_FAILED = { age: DAY_SECONDS, count: 1000 };

/** Ends a hold when it lapses. An extended hold has another job: its id has the expiry in it. */
export function holdExpiryJob({ holdId, expiresAt }: DueHold, now: Date): NewJob {
  return {
    name: 'expire-hold',
    data: { holdId } satisfies HoldExpiryJob,
    opts: {
      jobId: `hold-${holdId}-${expiresAt.getTime()}`,
      delay: Math.max(0, expiresAt.getTime() - now.getTime()),
      removeOnComplete: REMOVE_COMPLETED,
      removeOnFail: REMOVE_FAILED,
    },
  };
}

/** Takes the events of a reservation out of its outbox. */
export function eventDispatchJob(reservationId: string, eventId: string): NewJob {
  return {
    name: 'dispatch-event',
    data: { reservationId } satisfies EventDispatchJob,
    opts: {
      jobId: `event-${eventId}`,
      attempts: 3,
      backoff: { type: 'exponential', delay: 500 },
      removeOnComplete: REMOVE_COMPLETED,
      removeOnFail: REMOVE_FAILED,
    },
  };
}

/** Makes the attempts of one series of a delivery; the worker's backoff says when each is due. */
export function deliveryJob(delivery: DueDelivery): NewJob {
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
      removeOnComplete: REMOVE_COMPLETED,
      removeOnFail: { age: 30 * DAY_SECONDS, count: 10_000 },
    },
  };
}

/** BullMQ ignores a job whose id exists in any state, so each series of attempts has a generation of its own. */
export function deliveryJobId(deliveryId: string, generation: number): string {
  return `delivery-${deliveryId}-g${generation}`;
}

/** Shows a dead letter on the queue board; no worker takes it. */
export function deadLetterJob(deliveryId: string): NewJob {
  return {
    name: 'dead-letter',
    data: { deliveryId } satisfies DeadLetterJob,
    opts: { jobId: deadLetterJobId(deliveryId) },
  };
}

export function deadLetterJobId(deliveryId: string): string {
  return `${DEAD_LETTER_PREFIX}${deliveryId}`;
}

/** The delivery that a dead letter's job is about. */
export function deliveryOfDeadLetter(jobId: string): string {
  return jobId.slice(DEAD_LETTER_PREFIX.length);
}

const DEAD_LETTER_PREFIX = 'dead-';
