/** A venue of the benchmark. Its resources open from 06:00 to 22:00 in Asia/Kolkata, with slots of one hour. */
export type Venue = { id: string; resources: readonly string[] };

export type Slot = { resourceId: string; slotId: string; start: Date; end: Date; date: string };

export const SLOTS_OF_DAY = 16;
/** Days from tomorrow on, safely within the booking horizon. */
export const DAYS = 88;

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const ZONE_MS = 5.5 * HOUR_MS;
const OPENS_AT_HOUR = 6;

/** Number of a venue's slots in `DAYS` days. */
export const slotCount = (venue: Venue): number => DAYS * SLOTS_OF_DAY * venue.resources.length;

/** The slot of this number. Order: all resources at one start, then at the next start, day by day. Numbers wrap. */
export function slotAt(venue: Venue, number: number): Slot {
  const { resources } = venue;
  const resourceId = resources[number % resources.length] ?? '';
  const startNumber = Math.floor(number / resources.length);
  const day = Math.floor(startNumber / SLOTS_OF_DAY) % DAYS;
  const hour = OPENS_AT_HOUR + (startNumber % SLOTS_OF_DAY);
  const midnightMs = Math.floor((Date.now() + ZONE_MS) / DAY_MS) * DAY_MS + (day + 1) * DAY_MS - ZONE_MS;
  const start = new Date(midnightMs + hour * HOUR_MS);
  return {
    resourceId,
    slotId: `${resourceId}_${start.toISOString().slice(0, 16).replaceAll(/[-:]/g, '')}Z`,
    start,
    end: new Date(start.getTime() + HOUR_MS),
    date: dateOfDay(day),
  };
}

/** The local date of day `day`; 0 is tomorrow. */
export function dateOfDay(day: number): string {
  return new Date(Date.now() + ZONE_MS + (day + 1) * DAY_MS).toISOString().slice(0, 10);
}
