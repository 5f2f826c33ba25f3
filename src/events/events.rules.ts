import { toRupees } from '../domain/money.ts';
import type { RetentionRule } from '../domain/retention.ts';
import { idBound } from '../platform/ids.ts';
import { attachedInEvent } from '../reservations/attached.rules.ts';
import type { Outbox } from '../reservations/reservations.model.ts';
import type { EventRow } from './events.model.ts';

/** The venue that a receiver needs a grant for; null for a sample, which has no venue, and for no event. */
export function requiredVenueId(event: Pick<EventRow, 'venueId' | 'isTest'> | null | undefined): string | null {
  return event?.isTest === true ? null : (event?.venueId ?? null);
}

/** X-Request-Id of the call that made the event; null if the service or an older release made it. */
export function requestIdOf({ actor }: Pick<EventRow, 'actor'>): string | null {
  return actor === undefined || actor.kind === 'service' ? null : (actor.requestId ?? null);
}

/** The request id if the receiver made the call, else null: a caller may choose its request id. */
export function requestIdFor(event: Pick<EventRow, 'actor'>, receiverId: string): string | null {
  const { actor } = event;
  return actor?.kind === 'api_key' && actor.partnerId === receiverId ? requestIdOf(event) : null;
}

/** The span of the call that made the event, as W3C Trace Context; undefined if it was not traced. */
export function traceparentOfEvent({ actor }: Pick<EventRow, 'actor'>): string | undefined {
  return actor === undefined || actor.kind === 'service' ? undefined : actor.traceparent;
}

/** The body of an event for one receiver, without `delivery_id`; no event has customers' data. */
export function eventBody(event: EventRow, receiverId: string): Record<string, unknown> {
  const isOriginator = receiverId === event.originatorId;
  return {
    event_id: event._id,
    event_type: event.type,
    timestamp: event.at.toISOString(),
    venue_id: event.venueId,
    slot_id: event.slotId,
    hold_id: event.holdId,
    booking_id: event.bookingId,
    partner_id: event.originatorId,
    details: {
      resource_id: event.resourceId,
      slot_start: event.slotStart.toISOString(),
      slot_end: event.slotEnd.toISOString(),
      ...(event.holdExpiresAt === null ? {} : { hold_expiry_at: event.holdExpiresAt.toISOString() }),
      ...(isOriginator ? { price_rupees: toRupees(event.pricePaise) } : {}),
      ...(isOriginator && event.reason !== null ? { reason: event.reason } : {}),
      ...(event.attached?.partnerId === receiverId ? attachedInEvent(event.attached) : {}),
      ...(event.isTest === true ? { test: true } : {}),
    },
  };
}

/** The rows of an outbox, oldest first. An older release's events take their subject from it (ADR 0009). */
export function toEventRows({ outbox, ...reservation }: Outbox): EventRow[] {
  const { _id: holdId, venueId, resourceId, slotId, slotStart, slotEnd, pricePaise } = reservation;
  const subject = { venueId, resourceId, slotId, slotStart, slotEnd, pricePaise, holdId };
  return outbox.map(({ eventId, holdExpiresAt = null, reason = null, ...event }) => ({
    _id: eventId,
    ...subject,
    ...event,
    holdExpiresAt,
    reason,
  }));
}

/** Ids contain their host's time; how far its clock may be ahead. */
const AHEAD_MS = 86_400_000;

/**
 * Events go after they happened and their slot has ended, so that the timeline of a booking stays whole. An event that
 * waits for its sequence number stays. Walked by id: no other index has all events in the order of time.
 */
export const PAST_EVENTS: RetentionRule = {
  collection: 'events',
  field: '_id',
  hint: '_id_',
  instant: 'at',
  isWalked: (before) => ({ _id: { $lt: idBound(new Date(before.getTime() + AHEAD_MS)) } }),
  isOver: (before) => ({ at: { $lt: before }, slotEnd: { $lt: before }, isUnsequenced: { $exists: false } }),
};
