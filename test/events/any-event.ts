import { randomUUID } from 'node:crypto';
import type { EventRow } from '../../src/events/events.model.ts';

/** A new `hold_created` event of its own hold, with these fields. */
export function anyEvent(fields: Pick<EventRow, 'venueId'> & Partial<EventRow>): EventRow {
  const now = new Date();
  return {
    _id: randomUUID(),
    type: 'hold_created',
    at: now,
    holdId: randomUUID(),
    resourceId: 'turf',
    slotId: 'turf_x',
    slotStart: now,
    slotEnd: now,
    pricePaise: 120_000,
    originatorId: randomUUID(),
    bookingId: null,
    holdExpiresAt: now,
    reason: null,
    ...fields,
  };
}
