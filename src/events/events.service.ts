import type { Clock } from '../platform/clock.ts';
import { newId } from '../platform/ids.ts';
import type { Db } from '../platform/mongo.ts';
import type { EventType } from '../reservations/event-types.ts';
import { hasDetail, isOfBooking } from '../reservations/event-types.ts';
import type { Reservation } from '../reservations/reservations.model.ts';
import { slotIdOf } from '../slots/slot.rules.ts';
import type { EventRow } from './events.model.ts';
import { toEventRow } from './events.rules.ts';
import { appendEvents, eraseReasons } from './events.store.ts';

/** Writes the events that wait in a reservation's outbox to the log and returns them; what is there already stays as it is. */
export async function logWaitingEvents(deps: { db: Db }, reservation: Reservation): Promise<EventRow[]> {
  const events = reservation.outbox.map((waiting) => toEventRow(reservation, waiting));
  await appendEvents(deps.db, events);
  return events;
}

/** Overwrites the reasons in all events of these reservations; returns the events' ids. */
export async function eraseReasonsOf(
  deps: { db: Db },
  holdIds: readonly string[],
  replacement: string,
): Promise<string[]> {
  return eraseReasons(deps.db, holdIds, replacement);
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
