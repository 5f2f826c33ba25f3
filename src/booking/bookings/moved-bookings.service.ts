import { pricedSlotAt } from '../../catalog/slots/slot.rules.ts';
import { findResource } from '../../catalog/venues/resources.store.ts';
import { findVenue, listTimeZones } from '../../catalog/venues/venues.store.ts';
import { localDateTimeOf, offsetsOf, remembered } from '../../platform/calendar.ts';
import { readDatabaseTime } from '../../platform/clock.ts';
import type { Db } from '../../platform/mongo.ts';
import { ZONE_DATA } from '../../platform/zone-data.ts';
import { findUpcomingBookings } from '../../reservations/reservation-reads.store.ts';

const AHEAD_MS = 4 * 366 * 86_400_000;

/** Each time zone's offsets, with the instants from which they apply. `zoneData`: the release of the IANA database. */
export type ZoneRules = { zoneData: string; zones: Record<string, [fromMs: number, offsetMs: number][]> };

/** The offsets by which this Node.js computes wall times, in the zones of all venues, for four years. */
export async function readZoneRules(db: Db): Promise<ZoneRules> {
  const [now, timeZones] = [(await readDatabaseTime(db)).getTime(), await listTimeZones(db)];
  const zones = timeZones.map((timeZone) => [timeZone, offsetsOf(timeZone, now, now + AHEAD_MS)]);
  return { zoneData: ZONE_DATA, zones: Object.fromEntries(zones) as ZoneRules['zones'] };
}

/** `before` and `now`: the wall time at `slotStart`, by the saved offsets and by those of this Node.js. */
type MovedBooking = {
  bookingId: string;
  resourceId: string;
  slotStart: Date;
  before: string;
  now: string;
  isOnSchedule: boolean;
};

/** The upcoming bookings with a wall time that has changed since `readZoneRules` ran, sorted by start. */
export async function* listMovedBookings(db: Db, { zones }: ZoneRules): AsyncGenerator<MovedBooking> {
  const venueOf = remembered((id) => findVenue(db, id));
  const resourceOf = remembered((id) => findResource(db, id));
  for await (const booking of findUpcomingBookings(db, await readDatabaseTime(db))) {
    const { bookingId, venueId, resourceId, slotStart } = booking;
    const [venue, resource] = [await venueOf(venueId), await resourceOf(resourceId)];
    const offset = zones[venue?.timeZone ?? '']?.findLast(([fromMs]) => fromMs <= slotStart.getTime());
    if (bookingId === undefined || venue === null || offset === undefined) continue;
    const before = new Date(slotStart.getTime() + offset[1]).toISOString().slice(0, 'YYYY-MM-DDTHH:MM'.length);
    const now = localDateTimeOf(slotStart, venue.timeZone);
    if (before === now) continue;
    const isOnSchedule = resource !== null && pricedSlotAt(venue, resource, slotStart) !== undefined;
    yield { bookingId, resourceId, slotStart, before, now, isOnSchedule };
  }
}
