import { slotIdOf } from '../catalog/slots/slot.rules.ts';
import { readDatabaseTime } from '../platform/clock.ts';
import { newId } from '../platform/ids.ts';
import type { Db } from '../platform/mongo.ts';
import { type EventType, hasDetail, isOfBooking } from '../reservations/event-types.ts';
import type { EventRow } from './events.model.ts';
import { insertSample } from './events.store.ts';

export { eraseTextsOfEvents } from './events.store.ts';

const HOUR_MS = 3_600_000;

/** Logs a sample event of the partner: a slot of tomorrow on a court that does not exist. */
export async function logTestEvent(deps: { db: Db }, partnerId: string, type: EventType): Promise<EventRow> {
  const at = await readDatabaseTime(deps.db);
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
  await insertSample(deps.db, event);
  return event;
}
