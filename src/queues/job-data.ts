import { UnrecoverableError } from 'bullmq';

// How workers read the data of jobs, which anybody with access to Redis can write, and how jobs fail.

// BullMQ stores the message and the stack of an error. These errors have no stack, because their message says all.

/**
 * An attempt failed and is not the last; tells the backoff how long to wait. The delivery's row records the failure.
 */
export class AttemptFailed extends Error {
  override stack = '';
  readonly retryInMs: number;

  constructor(message: string, retryInMs: number) {
    super(message);
    this.retryInMs = retryInMs;
  }
}

/** A failure that repetition cannot fix: the job fails at once. */
export class FinalFailure extends UnrecoverableError {
  override stack = '';
}

/** The fields of a job's unchecked data; no fields if the data is not an object. */
export function fieldsOf(data: unknown): Record<string, unknown> {
  return typeof data === 'object' && data !== null ? { ...data } : {};
}
const isText = (value: unknown): value is string => typeof value === 'string';
const isTexts = (value: unknown): value is string[] => Array.isArray(value) && value.every(isText);

/**
 * The hold of an expiry job, and the expiry for which the job was added: undefined in jobs of release 1.0.0.
 * @throws FinalFailure for data of another shape
 */
export function holdIn(jobData: unknown): { holdId: string; expiresAt: Date | undefined } {
  const data = fieldsOf(jobData);
  if (isText(data['hold_id']) && isText(data['expires_at'])) {
    return { holdId: data['hold_id'], expiresAt: new Date(data['expires_at']) };
  }
  if (isText(data['holdId'])) return { holdId: data['holdId'], expiresAt: undefined };
  throw unknownShape('hold_id and expires_at');
}

type DeliveryToRetry = {
  deliveryId: string;
  subscriptionId: string;
  partnerId: string;
  generation: number;
  isKnownDead: boolean;
};

/** The work of a `webhook-delivery` job, also of release 1.0.0. @throws FinalFailure for data of another shape */
export function webhookWorkIn(jobData: unknown): { reservationIds: string[] } | DeliveryToRetry {
  const { reservationIds } = fieldsOf(jobData);
  if (isTexts(reservationIds)) return { reservationIds };
  const delivery = deliveryIn(jobData);
  if (delivery !== undefined) return delivery;
  throw unknownShape('reservationIds, or delivery_id, subscription_id, partner_id and generation');
}

/** The delivery of a job that makes attempts; undefined for other jobs. */
export function deliveryIn(jobData: unknown): DeliveryToRetry | undefined {
  const data = fieldsOf(jobData);
  const deliveryId = data['delivery_id'] ?? data['deliveryId'];
  const subscriptionId = data['subscription_id'] ?? data['subscriptionId'];
  const partnerId = data['partner_id'] ?? data['partnerId'];
  const { generation } = data;
  if (!isText(deliveryId) || !isText(subscriptionId) || !isText(partnerId)) return undefined;
  if (typeof generation !== 'number') return undefined;
  return { deliveryId, subscriptionId, partnerId, generation, isKnownDead: data['is_known_dead'] === true };
}

function unknownShape(needed: string): FinalFailure {
  return new FinalFailure(`The job's data is invalid: it must have ${needed}.`);
}

/** The ids in the data of a job, by their names in log lines; none if the data is invalid. */
export function loggedIdsOf(jobData: unknown): Record<string, string | string[]> {
  const data = fieldsOf(jobData);
  const fields = {
    hold_ids: data['reservationIds'],
    hold_id: data['hold_id'] ?? data['holdId'],
    delivery: data['delivery_id'] ?? data['deliveryId'],
    subscription_id: data['subscription_id'] ?? data['subscriptionId'],
    partner_id: data['partner_id'] ?? data['partnerId'],
  };
  const isId = (field: [string, unknown]): field is [string, string | string[]] =>
    isText(field[1]) || isTexts(field[1]);
  return Object.fromEntries(Object.entries(fields).filter(isId));
}
