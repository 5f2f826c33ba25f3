import { LRUCache } from 'lru-cache';
import { salePeriodOf } from '../../catalog/slots/slot.rules.ts';
import type { SlotTarget } from '../../catalog/slots/slot-targets.service.ts';
import type { SlotDeps } from '../../catalog/slots/slots.service.ts';
import type { VenueRules } from '../../catalog/slots/venue-rules.store.ts';
import type { ResourceRow } from '../../catalog/venues/resources.service.ts';
import type { VenueRow } from '../../catalog/venues/venues.service.ts';
import { addDays, datesBetween, dayBounds, localDateOf } from '../../platform/calendar.ts';
import { memoizeByObject } from '../../platform/memoize-by-object.ts';
import type { Db } from '../../platform/mongo.ts';
import { singleFlightByKey } from '../../platform/single-flight.ts';
import { beginReading, isRecent, type Reading } from './availability.service.ts';
import { readFreeSlots } from './planned-slots.service.ts';
import type { PlannedSlot } from './slot-states.rules.ts';

const MAX_ALTERNATIVES = 3;

/** How many days before and after the wanted day each step reads. Most look-ups end with the first step. */
const REACHES = [1, 7, 38, 69, 100];

const MAX_LOOK_UPS = 1000;

const lookUpsOf = memoizeByObject((_db: Db) => ({
  shared: singleFlightByKey<PlannedSlot[]>(),
  cached: new LRUCache<string, { found: PlannedSlot[]; reading: Reading }>({ max: MAX_LOOK_UPS }),
}));

/**
 * Up to three free slots of the target's venue and sport, nearest in time first, within the booking horizon and 100
 * days. Callers within half a second share a look-up. Makes one query usually, at most nine, each of at most 31 days.
 */
export function findAlternatives(deps: SlotDeps, { rules, resource, start }: SlotTarget): Promise<PlannedSlot[]> {
  const key = `${resource._id} ${start.getTime()}`;
  const { shared, cached } = lookUpsOf(deps.db);
  return shared(key, async () => {
    const known = cached.get(key);
    if (known !== undefined && isRecent(deps.db, rules, known.reading)) return known.found;
    const reading = beginReading(deps.db, rules);
    const found = await lookUpAlternatives(deps, rules, resource, start);
    cached.set(key, { found, reading });
    return found;
  });
}

type Dates = { from: string; to: string };

async function lookUpAlternatives(deps: SlotDeps, rules: VenueRules, resource: ResourceRow, wanted: Date) {
  const { venue } = rules;
  if (venue.status !== 'active') return [];
  const resources = rules.resources.filter(
    ({ sportCategory, status }) => sportCategory === resource.sportCategory && status === 'active',
  );
  if (resources.length === 0) return [];
  const sold = sellableDates(deps, venue);
  const nearest = byDistance(wanted);
  let found: PlannedSlot[] = [];
  let seen: Dates | undefined;
  for (const reach of REACHES) {
    const next = datesAround(wanted, reach, sold, venue.timeZone);
    for (const { from, to } of beyond(next, seen)) {
      found.push(...(await readFreeSlots(deps, rules, resources, datesBetween(from, to))));
    }
    seen = next;
    found = found.sort(nearest).slice(0, MAX_ALTERNATIVES);
    const last = found[MAX_ALTERNATIVES - 1];
    const isNearest = last !== undefined && distance(last, wanted) <= certainty(seen, sold, wanted, venue.timeZone);
    if (isNearest || (seen.from === sold.from && seen.to === sold.to)) break;
  }
  return found;
}

/** The operating dates on sale now, beginning with yesterday, which may run past midnight. */
function sellableDates(deps: SlotDeps, venue: VenueRow): Dates {
  const { after, before } = salePeriodOf(deps.clock.now(), deps.config.bookingHorizonDays, venue.timeZone);
  const last = new Date(before.getTime() - 1);
  return { from: addDays(localDateOf(after, venue.timeZone), -1), to: localDateOf(last, venue.timeZone) };
}

/** The dates on sale up to `reach` days from the wanted date, or from the nearest date on sale. */
function datesAround(wanted: Date, reach: number, sold: Dates, timeZone: string): Dates {
  const date = earlier(later(localDateOf(wanted, timeZone), sold.from), sold.to);
  return { from: later(addDays(date, -reach), sold.from), to: earlier(addDays(date, reach), sold.to) };
}

const earlier = (a: string, b: string): string => (a < b ? a : b);
const later = (a: string, b: string): string => (a < b ? b : a);

function beyond(dates: Dates, seen: Dates | undefined): Dates[] {
  if (seen === undefined) return [dates];
  const sides = [
    { from: dates.from, to: addDays(seen.from, -1) },
    { from: addDays(seen.to, 1), to: dates.to },
  ];
  return sides.filter(({ from, to }) => from <= to);
}

/**
 * The distance from `wanted`, in milliseconds, within which the dates `seen` have every slot on sale. The first date is
 * counted from its end, because slots of the day before may begin on it after midnight.
 */
function certainty(seen: Dates, sold: Dates, wanted: Date, timeZone: string): number {
  const begin = dayBounds(addDays(seen.from, 1), timeZone).start.getTime();
  const end = dayBounds(seen.to, timeZone).end.getTime();
  return Math.min(
    seen.from === sold.from ? Infinity : wanted.getTime() - begin,
    seen.to === sold.to ? Infinity : end - wanted.getTime(),
  );
}

/** Nearest first; ties by resource, then by start. */
function byDistance(wanted: Date): (a: PlannedSlot, b: PlannedSlot) => number {
  return (a, b) =>
    distance(a, wanted) - distance(b, wanted) ||
    a.resource._id.localeCompare(b.resource._id) ||
    a.start.getTime() - b.start.getTime();
}

function distance(slot: PlannedSlot, wanted: Date): number {
  return Math.abs(slot.start.getTime() - wanted.getTime());
}
