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
import type { PlannedSlot } from './planned-slots.rules.ts';
import { readFreeSlots } from './planned-slots.service.ts';

const MAX_ALTERNATIVES = 3;

/** The days before and after the wanted date that each step of a look-up reads. Most look-ups need only the first. */
const REACH_DAYS = [1, 7, 38, 69, 100];

const lookUpsOf = memoizeByObject((_db: Db) => ({
  singleFlight: singleFlightByKey<PlannedSlot[]>(),
  cache: new LRUCache<string, { found: PlannedSlot[]; reading: Reading }>({ max: 1000 }),
}));

/**
 * Up to three free slots of the target's venue and sport, nearest in time first, within the booking horizon and 100
 * days. Callers within half a second share a look-up. Usually makes one query, at most nine, each of at most 31 days.
 */
export function findAlternatives(deps: SlotDeps, { rules, resource, start }: SlotTarget): Promise<PlannedSlot[]> {
  const key = `${resource._id} ${start.getTime()}`;
  const { singleFlight, cache } = lookUpsOf(deps.db);
  return singleFlight(key, async () => {
    const entry = cache.get(key);
    if (entry !== undefined && isRecent(deps.db, rules, entry.reading)) return entry.found;
    const reading = beginReading(deps.db, rules);
    const found = await lookUpAlternatives(deps, rules, resource, start);
    cache.set(key, { found, reading });
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
  const onSale = datesOnSale(deps, venue);
  const nearestFirst = byDistance(wanted);
  let found: PlannedSlot[] = [];
  let read: Dates | undefined;
  for (const reachDays of REACH_DAYS) {
    const next = datesAround(wanted, reachDays, onSale, venue.timeZone);
    for (const { from, to } of notYetRead(next, read)) {
      found.push(...(await readFreeSlots(deps, rules, resources, datesBetween(from, to))));
    }
    read = next;
    found = found.sort(nearestFirst).slice(0, MAX_ALTERNATIVES);
    const last = found[MAX_ALTERNATIVES - 1];
    const completeMs = completeWithinMs(read, onSale, wanted, venue.timeZone);
    const areNearest = last !== undefined && distanceMs(last, wanted) <= completeMs;
    if (areNearest || (read.from === onSale.from && read.to === onSale.to)) break;
  }
  return found;
}

/** The operating dates on sale now, beginning with yesterday, which may run past midnight. */
function datesOnSale(deps: SlotDeps, venue: VenueRow): Dates {
  const { after, before } = salePeriodOf(deps.clock.now(), deps.config.bookingHorizonDays, venue.timeZone);
  const last = new Date(before.getTime() - 1);
  return { from: addDays(localDateOf(after, venue.timeZone), -1), to: localDateOf(last, venue.timeZone) };
}

/** The dates on sale up to `reachDays` from the wanted date, or from the date on sale that is nearest to it. */
function datesAround(wanted: Date, reachDays: number, onSale: Dates, timeZone: string): Dates {
  const date = earlier(later(localDateOf(wanted, timeZone), onSale.from), onSale.to);
  return { from: later(addDays(date, -reachDays), onSale.from), to: earlier(addDays(date, reachDays), onSale.to) };
}

const earlier = (a: string, b: string): string => (a < b ? a : b);
const later = (a: string, b: string): string => (a < b ? b : a);

/** The parts of `dates` before and after the dates already read. */
function notYetRead(dates: Dates, read: Dates | undefined): Dates[] {
  if (read === undefined) return [dates];
  const sides = [
    { from: dates.from, to: addDays(read.from, -1) },
    { from: addDays(read.to, 1), to: dates.to },
  ];
  return sides.filter(({ from, to }) => from <= to);
}

/**
 * The distance from `wanted` within which the dates read contain every slot on sale. Excludes the first date: slots of
 * the operating day before it, which was not read, may begin on it after midnight.
 */
function completeWithinMs(read: Dates, onSale: Dates, wanted: Date, timeZone: string): number {
  const begin = dayBounds(addDays(read.from, 1), timeZone).start.getTime();
  const end = dayBounds(read.to, timeZone).end.getTime();
  return Math.min(
    read.from === onSale.from ? Infinity : wanted.getTime() - begin,
    read.to === onSale.to ? Infinity : end - wanted.getTime(),
  );
}

/** Nearest first; ties by resource, then by start. */
function byDistance(wanted: Date): (a: PlannedSlot, b: PlannedSlot) => number {
  return (a, b) =>
    distanceMs(a, wanted) - distanceMs(b, wanted) ||
    a.resource._id.localeCompare(b.resource._id) ||
    a.start.getTime() - b.start.getTime();
}

function distanceMs(slot: PlannedSlot, wanted: Date): number {
  return Math.abs(slot.start.getTime() - wanted.getTime());
}
