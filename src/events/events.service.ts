import type { AvailabilityChange } from '../catalog/changes/changes.model.ts';
import { slotIdOf } from '../catalog/slots/slot.rules.ts';
import { readDatabaseTime } from '../platform/clock.ts';
import { newId } from '../platform/ids.ts';
import type { Db } from '../platform/mongo.ts';
import { type EventType, hasDetail, isOfBooking, isOfVenue } from '../reservations/event-types.ts';
import type { EventRow } from './events.model.ts';
import { changeEvent } from './events.rules.ts';
import { insertSample } from './events.store.ts';

export { eraseTextsOfEvents } from './events.store.ts';

const HOUR_MS = 3_600_000;

/**
 * Logs a sample event for the partner, about tomorrow's slot of a court that does not exist, or about a blackout there.
 */
export async function logTestEvent(deps: { db: Db }, partnerId: string, type: EventType): Promise<EventRow> {
  const at = await readDatabaseTime(deps.db);
  const event = isOfVenue(type) ? sampleChange(at) : sampleOfSlot(at, partnerId, type);
  await insertSample(deps.db, event);
  return event;
}

function sampleChange(at: Date): EventRow {
  const to = new Date(at.getTime() + HOUR_MS);
  const change: AvailabilityChange = { reason: 'blackout', resourceIds: ['sample-court'], from: at, to };
  return { ...changeEvent({ _id: newId(), venueId: newId(), at, change }), isTest: true };
}

function sampleOfSlot(at: Date, partnerId: string, type: EventType): EventRow {
  const slotStart = new Date(Math.ceil(at.getTime() / HOUR_MS) * HOUR_MS + 24 * HOUR_MS);
  return {
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
}
