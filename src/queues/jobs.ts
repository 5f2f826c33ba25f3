import type { BulkJobOptions } from 'bullmq';
import { newId } from '../platform/ids.ts';

// What each queue's jobs carry, what they are called and how they are repeated and kept. Job data is ids only: what a job
// means is read from the database when it runs.

/** Holds that lapse within a moment. */
export type HoldExpiryJob = { holdIds: string[] };
/** Reservations in whose outboxes events wait. */
export type DeliverEventsJob = { reservationIds: string[] };
/**
 * The next attempt of a series, which the row of the delivery numbers and counts. `isKnownDead`: the job has ended with a dead letter, so
 * one that is run again is an operator's.
 */
export type RetryJob = {
  deliveryId: string;
  subscriptionId: string;
  /** Absent in jobs of an older release. */
  partnerId?: string;
  generation: number;
  isKnownDead?: true;
};
export type WebhookDeliveryJob = DeliverEventsJob | RetryJob;
export type DeadLetterJob = { deliveryId: string };

/** What a job of a worker is about, as log lines name it. */
export function loggedIdsOf(data: HoldExpiryJob | WebhookDeliveryJob): Record<string, unknown> {
  if ('holdIds' in data) return { hold_ids: data.holdIds };
  if ('reservationIds' in data) return { hold_ids: data.reservationIds };
  const { deliveryId, subscriptionId, partnerId } = data;
  return { delivery: deliveryId, subscription_id: subscriptionId, partner_id: partnerId };
}

/** `inMs`: until then, by the database's clock. */
export type DueHold = { holdId: string; expiresAt: Date; inMs: number };
export type WaitingEvent = { reservationId: string; eventId: string };
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

/** How many holds or reservations a job is for at most: several workers share what is more. */
const MAX_SHARED = 50;
/** A hold's job may come so much later than its end. */
const LATER_BY_MS = 50;

/**
 * Ends holds when they lapse: those that lapse within 50 ms share a job, which is due when the last of them has. A hold alone has the
 * expiry in its job's id, so that an extended hold gets another job.
 */
export function holdExpiryJobs(holds: readonly DueHold[]): NewJob[] {
  const byExpiry = holds.toSorted((a, b) => a.expiresAt.getTime() - b.expiresAt.getTime());
  const isTogether = (first: DueHold, next: DueHold) =>
    next.expiresAt.getTime() - first.expiresAt.getTime() <= LATER_BY_MS;
  return inGroups(byExpiry, isTogether).map((group) => {
    const [first, last] = [group[0], group.at(-1) ?? group[0]];
    return {
      name: 'expire-holds',
      data: { holdIds: group.map(({ holdId }) => holdId) } satisfies HoldExpiryJob,
      opts: {
        jobId: `hold-${idOf(group, `${first.holdId}-${first.expiresAt.getTime()}`)}`,
        delay: Math.max(0, last.inMs),
        removeOnComplete: REMOVE_COMPLETED,
        removeOnFail: REMOVE_FAILED,
      },
    };
  });
}

/** Jobs of an older release are for one hold. */
export function holdIdsOf(data: HoldExpiryJob | { holdId: string }): readonly string[] {
  return 'holdIds' in data ? data.holdIds : [data.holdId];
}

/** Takes the events of reservations out of their outboxes, and sends each to its receivers for the first time. */
export function deliverEventsJobs(waiting: readonly WaitingEvent[]): NewJob[] {
  return inGroups(waiting, () => true).map((group) => ({
    name: 'deliver-events',
    data: { reservationIds: group.map(({ reservationId }) => reservationId) } satisfies DeliverEventsJob,
    opts: {
      jobId: `event-${idOf(group, group[0].eventId)}`,
      attempts: 3,
      backoff: { type: 'exponential', delay: 500 },
      removeOnComplete: REMOVE_COMPLETED,
      removeOnFail: REMOVE_FAILED,
    },
  }));
}

/**
 * The id of a group's job: `alone` where the group has one item, else one that no job has had. BullMQ ignores a job whose id exists, so
 * an item that is offered again must not give its id to what shares a job with it.
 */
function idOf(group: readonly unknown[], alone: string): string {
  return group.length === 1 ? alone : newId();
}

/** What shares a job, in the order of the items: as many as fit together with the first of them. */
function inGroups<Item>(
  items: readonly Item[],
  isTogether: (first: Item, next: Item) => boolean,
): [Item, ...Item[]][] {
  const groups: [Item, ...Item[]][] = [];
  for (const item of items) {
    const group = groups.at(-1);
    if (group === undefined || group.length === MAX_SHARED || !isTogether(group[0], item))
      groups.push([item]);
    else group.push(item);
  }
  return groups;
}

/** Makes the attempts that a series of a delivery has left; the worker's backoff says when each is due. */
export function retryJob(delivery: DueDelivery): NewJob {
  const { deliveryId, subscriptionId, partnerId, generation, attemptsMade, attemptsLeft, delayMs } = delivery;
  return {
    name: attemptsMade === 0 ? 'first-attempt' : 'retry',
    data: { deliveryId, subscriptionId, partnerId, generation } satisfies RetryJob,
    opts: {
      jobId: deliveryJobId(deliveryId, generation),
      delay: delayMs,
      attempts: attemptsLeft,
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
