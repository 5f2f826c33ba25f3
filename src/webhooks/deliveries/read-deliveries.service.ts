import { type Audience, audienceOf, DomainError } from '../../domain/errors.ts';
import type { EventRow } from '../../events/events.model.ts';
import { findEventIdsOfRequest, findEvents } from '../../events/events.store.ts';
import type { Db } from '../../platform/mongo.ts';
import type { Page, Position } from '../../platform/pagination.ts';
import { findSubscriptions } from '../subscriptions/subscriptions.store.ts';
import type { DeliveryRow } from './deliveries.model.ts';
import {
  type DeliveryFilter,
  findDeliveryByAnyId,
  findEveryDeliveryOfEvents,
  listDeliveryRows,
} from './deliveries.store.ts';

export type DeliveryDetail = { delivery: DeliveryRow; event: EventRow | null; endpointUrl: string | null };

/** The most events for which deliveries are listed by request id: a caller may use the same id for all its calls. */
const MAX_EVENTS_OF_REQUEST = 1000;

/** The deliveries of a partner, or of all, newest first; with `requestId`, only those of that call's events. */
export async function listDeliveries(
  deps: { db: Db },
  { requestId, ...filter }: DeliveryFilter & { requestId?: string },
  after: Position | undefined,
  limit: number,
): Promise<Page<DeliveryDetail>> {
  const events =
    requestId === undefined ? {} : { eventIds: await findEventIdsOfRequest(deps.db, requestId, MAX_EVENTS_OF_REQUEST) };
  const { rows, next } = await listDeliveryRows(deps.db, { ...filter, ...events }, after, limit);
  return { rows: rows.map(await findDetails(deps, rows)), next };
}

/**
 * A delivery to the partner, by its own id or the id of an attempt (`X-Delivery-Id`); to any partner if `partnerId` is
 * absent (operators).
 * @throws DomainError DELIVERY_NOT_FOUND for a delivery that is missing or goes to another partner
 */
export async function getDelivery(
  deps: { db: Db },
  partnerId: string | undefined,
  deliveryId: string,
): Promise<DeliveryDetail> {
  const delivery = await findDeliveryByAnyId(deps.db, deliveryId);
  if (delivery === null || (partnerId !== undefined && delivery.partnerId !== partnerId)) {
    throw new DomainError('DELIVERY_NOT_FOUND', NOT_FOUND[audienceOf(partnerId)]);
  }
  return (await findDetails(deps, [delivery]))(delivery);
}

export async function listDeliveriesOfEvents(deps: { db: Db }, eventIds: readonly string[]): Promise<DeliveryDetail[]> {
  const rows = await findEveryDeliveryOfEvents(deps.db, eventIds);
  return rows.map(await findDetails(deps, rows));
}

/** The event and the endpoint of each delivery, in two reads. */
export async function findDetails(
  deps: { db: Db },
  rows: readonly DeliveryRow[],
): Promise<(delivery: DeliveryRow) => DeliveryDetail> {
  const eventIds = rows.map((row) => row.eventId);
  const subscriptionIds = rows.map((row) => row.subscriptionId);
  const events = await findEvents(deps.db, eventIds);
  const subscriptions = await findSubscriptions(deps.db, subscriptionIds);
  return (delivery) => ({
    delivery,
    event: events.get(delivery.eventId) ?? null,
    endpointUrl:
      subscriptions.get(delivery.subscriptionId)?.endpointUrl ?? delivery.attempts.at(-1)?.endpointUrl ?? null,
  });
}

const NOT_FOUND: Record<Audience, string> = {
  partner:
    'You have no delivery with that id. Use the X-Delivery-Id of an attempt, or an id listed by /api/v1/partner/observability.',
  operator:
    'There is no delivery with that id. Use the X-Delivery-Id of an attempt, or list the deliveries to find its id.',
};
