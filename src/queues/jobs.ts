import type { BulkJobOptions } from 'bullmq';
import { newId } from '../platform/ids.ts';
import { FinalFailure } from './failures.ts';

/** The queues of due work, in the order in which a booking passes through them. */
export const WORKED_QUEUES = ['hold-expiry', 'webhook-delivery'] as const;
export type WorkedQueue = (typeof WORKED_QUEUES)[number];

/** All queues; the last holds what failed for good in the others, until an operator retries it. */
export const QUEUE_NAMES = [...WORKED_QUEUES, 'dead-letter'] as const;
export type QueueName = (typeof QUEUE_NAMES)[number];

// The data, names, repetition and retention of each queue's jobs, as operators read them in Bull Board. Job data has no
// personal data, no secret, and of an endpoint only its host: a handler reads the rest from the database when it runs.

export type HoldExpiryJob = { hold_id: string; slot_id: string; venue_id: string; expires_at: string };
export type DispatchJob = {
  /** Workers of older releases read only this. */
  reservationIds: string[];
  events: { event_type: string; event_id: string }[];
};
/** The remaining attempts of a delivery's series. */
export type DeliveryJob = {
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

export type DueHold = {
  holdId: string;
  slotId: string;
  venueId: string;
  expiresAt: Date;
  /** The time until `expiresAt`, by the database's clock. */
  inMs: number;
};
export type WaitingEvent = { reservationId: string; eventId: string; eventType: string };
export type DueDelivery = {
  deliveryId: string;
  eventType: string;
  eventId: string;
  subscriptionId: string;
  partnerId: string;
  venueId: string | null;
  /** Null if the subscription is unknown. */
  endpointHost: string | null;
  generation: number;
  attemptsLeft: number;
  delayMs: number;
};

export type NewJob = { name: string; data: object; opts: BulkJobOptions & { jobId: string } };

const DAY_SECONDS = 86_400;
const REMOVAL = {
  removeOnComplete: { age: 3600, count: 1000 },
  removeOnFail: { age: DAY_SECONDS, count: 1000 },
};
/** A job that fails this often goes to the dead-letter queue. */
export const RETRY_OPTIONS = { attempts: 3, backoff: { type: 'exponential', delay: 500 }, ...REMOVAL };

export function holdExpiryJob({ inMs, ...hold }: DueHold): NewJob {
  return {
    name: `expire hold · ${hold.slotId}`,
    data: {
      hold_id: hold.holdId,
      slot_id: hold.slotId,
      venue_id: hold.venueId,
      expires_at: hold.expiresAt.toISOString(),
    } satisfies HoldExpiryJob,
    opts: { jobId: holdExpiryJobId(hold), delay: Math.max(0, inMs), ...RETRY_OPTIONS },
  };
}

/** Contains the expiry, so that an extended hold gets another job. */
export function holdExpiryJobId({ holdId, expiresAt }: Pick<DueHold, 'holdId' | 'expiresAt'>): string {
  return `hold-${holdId}-${expiresAt.getTime()}`;
}

/** Reservations in one job; more are split, so that several workers share them. */
const MAX_SHARED = 50;

/** Jobs that dispatch the events of outboxes: each job also makes their first attempts. */
export function dispatchJobs(waiting: readonly WaitingEvent[]): NewJob[] {
  const jobs: NewJob[] = [];
  for (let from = 0; from < waiting.length; from += MAX_SHARED) {
    const group = waiting.slice(from, from + MAX_SHARED);
    const [first] = group;
    // BullMQ ignores a job whose id exists. An event can be offered again, so a shared job gets an id of its own.
    const id = group.length === 1 ? first?.eventId : newId();
    jobs.push({
      name: 'dispatch events',
      data: {
        reservationIds: group.map(({ reservationId }) => reservationId),
        events: group.map(({ eventType, eventId }) => ({ event_type: eventType, event_id: eventId })),
      } satisfies DispatchJob,
      opts: { jobId: `event-${id}`, ...RETRY_OPTIONS },
    });
  }
  return jobs;
}

/** The job for the attempts that a delivery's series has left; the worker's backoff says when each is due. */
export function deliveryJob({ endpointHost, attemptsLeft, delayMs, ...delivery }: DueDelivery): NewJob {
  return {
    name: `${delivery.eventType} → ${endpointHost ?? 'unknown endpoint'}`,
    data: {
      delivery_id: delivery.deliveryId,
      event_type: delivery.eventType,
      event_id: delivery.eventId,
      subscription_id: delivery.subscriptionId,
      partner_id: delivery.partnerId,
      venue_id: delivery.venueId,
      generation: delivery.generation,
    } satisfies DeliveryJob,
    opts: {
      jobId: deliveryJobId(delivery.deliveryId, delivery.generation),
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

type JobData = Record<string, unknown>;

/** The fields of a job's data, which may be anything; none if it is not an object. */
export function fieldsOf(data: unknown): JobData {
  return typeof data === 'object' && data !== null ? { ...data } : {};
}
const isText = (value: unknown): value is string => typeof value === 'string';
const isTexts = (value: unknown): value is string[] => Array.isArray(value) && value.every(isText);

/** `expiresAt`: the expiry for which the job was added; undefined in jobs of an older release. */
export type HoldToExpire = { holdId: string; expiresAt: Date | undefined };

/** The holds of an expiry job, also of an older release. @throws FinalFailure for data of another shape */
export function holdsIn(jobData: unknown): HoldToExpire[] {
  const data = fieldsOf(jobData);
  if (isText(data['hold_id']) && isText(data['expires_at'])) {
    return [{ holdId: data['hold_id'], expiresAt: new Date(data['expires_at']) }];
  }
  if (isTexts(data['holdIds'])) return data['holdIds'].map((holdId) => ({ holdId, expiresAt: undefined }));
  if (isText(data['holdId'])) return [{ holdId: data['holdId'], expiresAt: undefined }];
  throw unknownShape('hold_id and expires_at');
}

export type DeliveryToRetry = {
  deliveryId: string;
  subscriptionId: string;
  partnerId: string;
  generation: number;
  isKnownDead: boolean;
};

/** The work of a `webhook-delivery` job, also of an older release. @throws FinalFailure for data of another shape */
export function webhookWorkIn(jobData: unknown): { reservationIds: string[] } | DeliveryToRetry {
  const { reservationIds } = fieldsOf(jobData);
  if (isTexts(reservationIds)) return { reservationIds };
  const delivery = deliveryIn(jobData);
  if (delivery !== undefined) return delivery;
  throw unknownShape('reservationIds, or delivery_id, subscription_id and generation');
}

/** The delivery whose attempts a job makes; undefined for other jobs. */
export function deliveryIn(jobData: unknown): DeliveryToRetry | undefined {
  const data = fieldsOf(jobData);
  const deliveryId = data['delivery_id'] ?? data['deliveryId'];
  const subscriptionId = data['subscription_id'] ?? data['subscriptionId'];
  const partnerId = data['partner_id'] ?? data['partnerId'] ?? subscriptionId;
  const { generation } = data;
  if (!isText(deliveryId) || !isText(subscriptionId) || !isText(partnerId)) return undefined;
  if (typeof generation !== 'number') return undefined;
  const isKnownDead = data['is_known_dead'] === true || data['isKnownDead'] === true;
  return { deliveryId, subscriptionId, partnerId, generation, isKnownDead };
}

function unknownShape(needed: string): FinalFailure {
  return new FinalFailure(`The job's data has no known shape: it must have ${needed}.`);
}

/** The ids in the data of a job, by their names in log lines; none if it has no known shape. */
export function loggedIdsOf(jobData: unknown): Record<string, string | string[]> {
  const data = fieldsOf(jobData);
  const fields = {
    hold_ids: data['holdIds'] ?? data['reservationIds'],
    hold_id: data['hold_id'] ?? data['holdId'],
    delivery: data['delivery_id'] ?? data['deliveryId'],
    subscription_id: data['subscription_id'] ?? data['subscriptionId'],
    partner_id: data['partner_id'] ?? data['partnerId'],
  };
  const isId = (field: [string, unknown]): field is [string, string | string[]] =>
    isText(field[1]) || isTexts(field[1]);
  return Object.fromEntries(Object.entries(fields).filter(isId));
}
