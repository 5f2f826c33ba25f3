import type { EventSubject, OutboxEvent, Reservation } from '../reservations/reservations.model.ts';
import type { EventRow } from './events.model.ts';

/**
 * A waiting event as the log will have it. It says what was written when it happened; only where an older release wrote it, it takes
 * slot and price from the reservation (ADR 0026).
 */
export function toEventRow(reservation: Reservation, { eventId, ...waiting }: OutboxEvent): EventRow {
  return {
    _id: eventId,
    ...subjectOf(reservation),
    ...waiting,
    holdExpiresAt: waiting.holdExpiresAt ?? null,
    reason: waiting.reason ?? null,
    isUnsequenced: true,
  };
}

function subjectOf(reservation: Reservation): EventSubject {
  const { _id: holdId, venueId, resourceId, slotId, slotStart, slotEnd, pricePaise } = reservation;
  return { venueId, resourceId, slotId, slotStart, slotEnd, pricePaise, holdId };
}
