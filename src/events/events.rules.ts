import { toRupees } from '../domain/money.ts';
import { attachedInEvent } from '../reservations/attached.rules.ts';
import type { EventSubject, Outbox, OutboxEvent } from '../reservations/reservations.model.ts';
import type { EventRow } from './events.model.ts';

/** The venue that a partner needs a grant for to receive the event; null for a sample, which is of no venue, and for no event. */
export function requiredVenueId(
  event: Pick<EventRow, 'venueId' | 'isTest'> | null | undefined,
): string | null {
  return event?.isTest === true ? null : (event?.venueId ?? null);
}

/** X-Request-Id of the call that made the event; null of what the service did by itself, and of what older releases wrote. */
export function requestIdOf({ actor }: Pick<EventRow, 'actor'>): string | null {
  return actor === undefined || actor.kind === 'service' ? null : (actor.requestId ?? null);
}

/** The request id for one receiver: the id may be one that the caller chose, and is for the caller alone. */
export function requestIdFor(event: Pick<EventRow, 'actor'>, receiverId: string): string | null {
  const { actor } = event;
  return actor?.kind === 'api_key' && actor.partnerId === receiverId ? requestIdOf(event) : null;
}

/** The span of the call that made the event, as W3C Trace Context; undefined where it was not traced. */
export function traceparentOfEvent({ actor }: Pick<EventRow, 'actor'>): string | undefined {
  return actor === undefined || actor.kind === 'service' ? undefined : actor.traceparent;
}

/**
 * The body of an event for one receiver, `delivery_id` aside. What is for the
 * originator alone is in it only where the receiver is the originator, what a partner attached only where it is that partner;
 * customers' data is in no event.
 */
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

/**
 * The waiting events of a reservation as the log will have them, oldest first. They say what was written when they happened; only
 * those that an older release wrote take slot and price from the reservation (ADR 0009).
 */
export function toEventRows(outbox: Outbox): EventRow[] {
  return outbox.outbox.map((waiting) => toEventRow(outbox, waiting));
}

function toEventRow(outbox: Outbox, { eventId, ...waiting }: OutboxEvent): EventRow {
  return {
    _id: eventId,
    ...subjectOf(outbox),
    ...waiting,
    holdExpiresAt: waiting.holdExpiresAt ?? null,
    reason: waiting.reason ?? null,
  };
}

function subjectOf(outbox: Outbox): EventSubject {
  const { _id: holdId, venueId, resourceId, slotId, slotStart, slotEnd, pricePaise } = outbox;
  return { venueId, resourceId, slotId, slotStart, slotEnd, pricePaise, holdId };
}
