import type { EventRow } from '../../events/events.model.ts';
import { requestIdOf } from '../../events/events.rules.ts';
import type { AttemptRow, DeliveryRow } from './deliveries.model.ts';

/** The ids of a delivery in log lines. Each attempt of a `delivery` has its own `delivery_id`. */
export function deliveryFields({
  _id,
  eventId,
  subscriptionId,
  partnerId,
}: Pick<DeliveryRow, '_id' | 'eventId' | 'subscriptionId' | 'partnerId'>) {
  return { delivery: _id, event_id: eventId, subscription_id: subscriptionId, partner_id: partnerId };
}

/** The subject of an event and the request that made it, in log lines; null if not known. */
export function eventFields(event: EventRow | undefined) {
  return {
    hold_id: event?.holdId ?? null,
    booking_id: event?.bookingId ?? null,
    request_id: event === undefined ? null : requestIdOf(event),
  };
}

/** Why an attempt failed: `http_status 503`, `redirect 301 to https://partner.example`. */
export function causeOf({
  statusCode,
  error,
  errorDetail,
  redirectTo,
}: Pick<AttemptRow, 'statusCode' | 'error' | 'errorDetail' | 'redirectTo'>): string {
  const parts = [error, statusCode, errorDetail && `(${errorDetail})`, redirectTo && `to ${redirectTo}`];
  return parts.filter((part) => part !== null && part !== undefined).join(' ');
}
