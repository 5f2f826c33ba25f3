import type { EventRow } from '../../events/events.model.ts';
import { requiredVenueId } from '../../events/events.rules.ts';
import { findEvents } from '../../events/events.store.ts';
import type { Db } from '../../platform/mongo.ts';
import type { DueDelivery } from '../../queues/jobs.ts';
import { findSubscriptions } from '../subscriptions/subscriptions.store.ts';
import type { DeliveryRow } from './deliveries.model.ts';
import { endpointHost } from './failure-text.rules.ts';
import { attemptsLeft, type RetryConfig } from './retry-schedule.rules.ts';

/** Facts for operators in the job of a delivery that its row does not have. */
type JobFacts = Pick<DueDelivery, 'venueId' | 'endpointHost'>;
type JobRow = Pick<
  DeliveryRow,
  '_id' | 'eventId' | 'eventType' | 'subscriptionId' | 'partnerId' | 'generation' | 'attemptsMade'
>;

export function factsOf(event: EventRow | undefined, endpointUrl: string | undefined): JobFacts {
  return { venueId: requiredVenueId(event), endpointHost: endpointHost(endpointUrl) };
}

/** The facts of each delivery, in two reads. */
export async function findJobFacts(db: Db, rows: readonly JobRow[]): Promise<(row: JobRow) => JobFacts> {
  const [events, subscriptions] = await Promise.all([
    findEvents(
      db,
      rows.map(({ eventId }) => eventId),
    ),
    findSubscriptions(
      db,
      rows.map(({ subscriptionId }) => subscriptionId),
    ),
  ]);
  return ({ eventId, subscriptionId }) => factsOf(events.get(eventId), subscriptions.get(subscriptionId)?.endpointUrl);
}

/** The job of a delivery with its next attempt in `delayMs`. */
export function dueIn(delayMs: number, row: JobRow, facts: JobFacts, config: RetryConfig): DueDelivery {
  const { _id: deliveryId, eventId, eventType, subscriptionId, partnerId, generation, attemptsMade } = row;
  return {
    deliveryId,
    eventId,
    eventType,
    subscriptionId,
    partnerId,
    generation,
    ...facts,
    attemptsLeft: attemptsLeft(config, attemptsMade),
    delayMs,
  };
}
