import type { Clock } from '../platform/clock.ts';
import { newId } from '../platform/ids.ts';
import type { Db } from '../platform/mongo.ts';
import type { EventType } from '../reservations/event-types.ts';
import { hasDetail, isOfBooking } from '../reservations/event-types.ts';
import { slotIdOf } from '../slots/slot.rules.ts';
import type { EventRow } from './events.model.ts';
import type { EventRange } from './events.store.ts';
import {
  appendEvents,
  eraseReasons,
  findEvent,
  findEvents,
  findEventsBetween,
  findEventsOfReservation,
} from './events.store.ts';

export type { EventRow } from './events.model.ts';

/** An event of the log, or null where there is none of that id. */
export async function readEvent(deps: { db: Db }, eventId: string): Promise<EventRow | null> {
  return findEvent(deps.db, eventId);
}

/** The events of `eventIds` that the log has, by id. */
export async function readEvents(
  deps: { db: Db },
  eventIds: readonly string[],
): Promise<Map<string, EventRow>> {
  return findEvents(deps.db, eventIds);
}

/** What the log has of a reservation, from its hold to its end, oldest first. */
export async function readEventsOfReservation(deps: { db: Db }, holdId: string): Promise<EventRow[]> {
  return findEventsOfReservation(deps.db, holdId);
}

/** Overwrites the reasons in all events of these reservations; returns the events' ids. */
export async function eraseReasonsOf(
  deps: { db: Db },
  holdIds: readonly string[],
  replacement: string,
): Promise<string[]> {
  return eraseReasons(deps.db, holdIds, replacement);
}

/** State changes of these types at these venues in a span of time, oldest first, page by page: those after `last`. */
export async function readEventsBetween(
  deps: { db: Db },
  range: EventRange,
  last: EventRow | undefined,
  limit: number,
): Promise<EventRow[]> {
  return findEventsBetween(deps.db, range, last, limit);
}

const HOUR_MS = 3_600_000;

/** Writes a sample event of the partner's to the log: a slot of tomorrow on a court that does not exist. */
export async function logTestEvent(
  deps: { db: Db; clock: Clock },
  partnerId: string,
  type: EventType,
): Promise<EventRow> {
  const at = deps.clock.now();
  const slotStart = new Date(Math.ceil(at.getTime() / HOUR_MS) * HOUR_MS + 24 * HOUR_MS);
  const event: EventRow = {
    _id: newId(),
    type,
    at,
    venueId: newId(),
    resourceId: 'sample-court',
    slotId: slotIdOf('sample-court', slotStart),
    slotStart,
    slotEnd: new Date(slotStart.getTime() + HOUR_MS),
    holdId: newId(),
    bookingId: isOfBooking(type) ? newId() : null,
    originatorId: partnerId,
    holdExpiresAt: hasDetail(type, 'holdExpiresAt') ? new Date(at.getTime() + 600_000) : null,
    pricePaise: 120_000,
    reason: null,
    isTest: true,
  };
  await appendEvents(deps.db, [event]);
  return event;
}
