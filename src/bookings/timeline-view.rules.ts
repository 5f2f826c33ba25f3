import { operatorDeliveryView } from '../deliveries/delivery-view.rules.ts';
import type { Actor } from '../reservations/actor-types.ts';
import type { TimelineEntry } from './booking-timeline.service.ts';

/** An event of a booking's life as operators see it. */
export function timelineEntryView({ event, deliveries }: TimelineEntry): Record<string, unknown> {
  return {
    event_id: event._id,
    event_type: event.type,
    at: event.at.toISOString(),
    partner_id: event.originatorId,
    actor: actorView(event.actor),
    reason: event.reason,
    deliveries: deliveries.map(operatorDeliveryView),
  };
}

function actorView(actor: Actor | undefined): Record<string, unknown> | null {
  if (actor === undefined) return null;
  return actor.kind === 'api_key'
    ? { kind: actor.kind, partner_id: actor.partnerId, key_id: actor.keyId }
    : { kind: actor.kind, partner_id: null, key_id: null };
}
