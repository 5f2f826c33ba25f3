import type { AvailabilityChange, WaitingChange } from '../catalog/changes/changes.model.ts';
import { PLATFORM_PARTNER_ID } from '../domain/change-origin.ts';
import type { RetentionRule } from '../domain/data-removal.ts';
import { toRupees } from '../domain/money.ts';
import { idBound } from '../platform/ids.ts';
import { omitUndefined } from '../platform/objects.ts';
import { attachedInEvent } from '../reservations/reservation-views.rules.ts';
import type { Outbox } from '../reservations/reservations.model.ts';
import type { EventRow } from './events.model.ts';

type VenueEvent = Pick<EventRow, 'venueId' | 'isTest' | 'receiverId'>;

/** The venue of an event; null if there is no event, or if it is a sample (`isTest`). */
export function venueIdOf(event: VenueEvent | null | undefined): string | null {
  return event?.isTest === true ? null : (event?.venueId ?? null);
}

/**
 * The venue for which a receiver needs a grant; null if `venueIdOf` is null, and for an event about the receiver's own
 * grant.
 */
export function requiredVenueId(event: VenueEvent | null | undefined): string | null {
  return event?.receiverId === undefined ? venueIdOf(event) : null;
}

/** The id of an event's outbox: its reservation's id, or its own id for a venue change. */
export function outboxIdOf({ _id, holdId }: Pick<EventRow, '_id' | 'holdId'>): string {
  return holdId ?? _id;
}

/** X-Request-Id of the call that made the event; null if the service or an older release made it. */
export function requestIdOf({ actor }: Pick<EventRow, 'actor'>): string | null {
  return actor === undefined || actor.kind === 'service' ? null : (actor.requestId ?? null);
}

/** The request id if the receiver itself made the call, else null: callers may put private data into request ids. */
export function requestIdFor(event: Pick<EventRow, 'actor'>, receiverId: string): string | null {
  const { actor } = event;
  return actor?.kind === 'api_key' && actor.partnerId === receiverId ? requestIdOf(event) : null;
}

/** The span of the call that made the event, as W3C Trace Context; undefined if the call was not traced. */
export function traceparentOfEvent({ actor }: Pick<EventRow, 'actor'>): string | undefined {
  return actor === undefined || actor.kind === 'service' ? undefined : actor.traceparent;
}

/** The body of an event for one receiver, without `delivery_id` and without customers' data. */
export function eventBody(event: EventRow, receiverId: string): Record<string, unknown> {
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
      ...(event.change === undefined ? slotDetails(event, receiverId) : changeDetails(event.change)),
      ...(event.isTest === true ? { test: true } : {}),
    },
  };
}

function slotDetails(event: EventRow, receiverId: string): Record<string, unknown> {
  const isOriginator = receiverId === event.originatorId;
  return {
    resource_id: event.resourceId,
    slot_start: event.slotStart.toISOString(),
    slot_end: event.slotEnd.toISOString(),
    ...(event.holdExpiresAt === null ? {} : { hold_expiry_at: event.holdExpiresAt.toISOString() }),
    ...(isOriginator ? { price_rupees: toRupees(event.pricePaise) } : {}),
    ...(isOriginator && event.reason !== null ? { reason: event.reason } : {}),
    ...(event.attached?.partnerId === receiverId ? attachedInEvent(event.attached) : {}),
    ...omitUndefined({ resource_ids_affected: event.resourceIdsAffected?.toSorted() }),
  };
}

function changeDetails({ reason, resourceIds, from, to }: AvailabilityChange): Record<string, unknown> {
  return {
    reason,
    resource_ids: resourceIds,
    from: from?.toISOString() ?? null,
    to: to?.toISOString() ?? null,
  };
}

/**
 * The rows of an outbox, oldest first. Events of older releases lack slot and price: these come from the reservation.
 */
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

/** The event of a change in `catalog_outbox`. */
export function toChangeEvent({ _id, venueId, at, receiverId, ...waiting }: WaitingChange): EventRow {
  const { reason, resourceIds, from, to } = waiting;
  const event = changeEvent({ _id, venueId, at, change: { reason, resourceIds, from, to } });
  return { ...event, ...omitUndefined({ receiverId }) };
}

/** An event about the venue itself, without a slot. */
export function changeEvent(
  event: Pick<EventRow, '_id' | 'venueId' | 'at'> & { change: AvailabilityChange },
): EventRow {
  return {
    ...event,
    type: 'availability_changed',
    resourceId: null,
    slotId: null,
    slotStart: event.at,
    slotEnd: event.at,
    holdId: null,
    bookingId: null,
    originatorId: PLATFORM_PARTNER_ID,
    holdExpiresAt: null,
    pricePaise: 0,
    reason: null,
  };
}

/** Ids contain the time of the host that made them. Its clock may be ahead by this much. */
const AHEAD_MS = 86_400_000;

/**
 * An event may be deleted some days after it happened, but only if its slot ended as long ago: until then a booking's
 * timeline stays complete. An event that waits for its sequence number stays. Rows are read by id: no other index has
 * all events in order of time.
 */
export const PAST_EVENTS: RetentionRule = {
  collection: 'events',
  field: '_id',
  hint: '_id_',
  instant: 'at',
  isInRange: (before) => ({ _id: { $lt: idBound(new Date(before.getTime() + AHEAD_MS)) } }),
  isDeletable: (before) => ({ at: { $lt: before }, slotEnd: { $lt: before }, isUnsequenced: { $exists: false } }),
};
