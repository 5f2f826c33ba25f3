import type { BulkJobOptions } from 'bullmq';
import { newId } from '../platform/ids.ts';

// The data, names, repetition and retention of each queue's jobs. Job data is ids only: a handler reads the state from
// the database when it runs.

export type HoldExpiryJob = { holdIds: string[] };
export type DeliverEventsJob = { reservationIds: string[] };
/** The next attempt of a series. `isKnownDead`: ended with a dead letter, so an operator has run it again. */
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

/** The ids in a worker's job, by their names in log lines. */
export function loggedIdsOf(data: HoldExpiryJob | WebhookDeliveryJob): Record<string, unknown> {
  if ('holdIds' in data) return { hold_ids: data.holdIds };
  if ('reservationIds' in data) return { hold_ids: data.reservationIds };
  const { deliveryId, subscriptionId, partnerId } = data;
  return { delivery: deliveryId, subscription_id: subscriptionId, partner_id: partnerId };
}

/** `inMs`: how long until then, by the database's clock. */
export type DueHold = { holdId: string; expiresAt: Date; inMs: number };
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
const REMOVAL = {
  removeOnComplete: { age: 3600, count: 1000 },
  removeOnFail: { age: DAY_SECONDS, count: 1000 },
};

/** Holds or reservations in one job; larger work is shared by several workers. */
const MAX_SHARED = 50;
/** How much later than its hold's expiry a job may be due. */
const LATER_BY_MS = 50;

/**
 * Jobs that expire holds. Holds that lapse within 50 ms share a job, due when the last of them has. A job for one hold
 * has the expiry in its id, so that an extended hold gets another job.
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
        ...REMOVAL,
      },
    };
  });
}

/** The holds of an expiry job; jobs of an older release are for one hold. */
export function holdIdsOf(data: HoldExpiryJob | { holdId: string }): readonly string[] {
  return 'holdIds' in data ? data.holdIds : [data.holdId];
}

/** Jobs that take events out of outboxes and send each to its receivers for the first time. */
export function deliverEventsJobs(waiting: readonly { reservationId: string; eventId: string }[]): NewJob[] {
  return inGroups(waiting, () => true).map((group) => ({
    name: 'deliver-events',
    data: { reservationIds: group.map(({ reservationId }) => reservationId) } satisfies DeliverEventsJob,
    opts: {
      jobId: `event-${idOf(group, group[0].eventId)}`,
      attempts: 3,
      backoff: { type: 'exponential', delay: 500 },
      ...REMOVAL,
    },
  }));
}

/**
 * The id of a group's job: `alone` for a group of one, else a new id. BullMQ ignores a job whose id exists, so an item
 * that is offered again must not give its id to a job that it shares.
 */
function idOf(group: readonly unknown[], alone: string): string {
  return group.length === 1 ? alone : newId();
}

/** Consecutive items in groups of at most 50, each item together with the first of its group. */
function inGroups<Item>(items: readonly Item[], isTogether: (first: Item, next: Item) => boolean): [Item, ...Item[]][] {
  const groups: [Item, ...Item[]][] = [];
  for (const item of items) {
    const group = groups.at(-1);
    if (group === undefined || group.length === MAX_SHARED || !isTogether(group[0], item)) groups.push([item]);
    else group.push(item);
  }
  return groups;
}

/** The job for the attempts that a delivery's series has left; the worker's backoff says when each is due. */
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
      ...REMOVAL,
      removeOnFail: { age: 30 * DAY_SECONDS, count: 10_000 },
    },
  };
}

/** Different for each series: BullMQ ignores a job whose id exists in any state. */
export function deliveryJobId(deliveryId: string, generation: number): string {
  return `delivery-${deliveryId}-g${generation}`;
}

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

export function deliveryOfDeadLetter(jobId: string): string {
  return jobId.slice(DEAD_LETTER_PREFIX.length);
}

const DEAD_LETTER_PREFIX = 'dead-';
