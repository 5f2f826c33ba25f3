import { localTimeOf, weekdayOf } from '../platform/calendar.ts';
import type { PriceRule, ResourceRow } from '../venues/venues.service.ts';

/** What a slot costs in paise, by its operating date and then by its start. */
export type PricesOn = (date: string) => (start: Date) => number;

/** Wall times of instants; each is resolved once, since all resources of a venue ask for the same few. */
export function wallTimesIn(timeZone: string): (instant: Date) => string {
  const known = new Map<number, string>();
  return (instant) => {
    const time = known.get(instant.getTime()) ?? localTimeOf(instant, timeZone);
    known.set(instant.getTime(), time);
    return time;
  };
}

/**
 * The prices of a resource's slots: what the matching price rule of highest priority says, among equals the newest, else the
 * base price (decisions §2). A rule's days and dates are those of the slot's operating day, as in availability, so that the
 * hours after midnight cost what their evening costs; its times are those that the clocks at the venue show at the start.
 */
export function pricesOf(
  { pricePaise, priceRules = [] }: Pick<ResourceRow, 'pricePaise' | 'priceRules'>,
  wallTimeOf: (instant: Date) => string,
): PricesOn {
  // Stable: of equals the one that stands first stays first, and here that is the newest.
  const ordered = priceRules.toReversed().sort((a, b) => b.priority - a.priority);
  return (date) => {
    const ofDate = ordered.filter((rule) => isForDate(rule, date));
    return (start) => {
      const rule = ofDate.find((each) => isForTime(each, () => wallTimeOf(start)));
      return rule === undefined ? pricePaise : priceBy(rule, pricePaise);
    };
  };
}

function isForDate({ daysOfWeek, fromDate, toDate }: PriceRule, date: string): boolean {
  if (fromDate !== null && date < fromDate) return false;
  if (toDate !== null && date > toDate) return false;
  return daysOfWeek === null || daysOfWeek.includes(weekdayOf(date));
}

const MIDNIGHT = '00:00';

/** Half-open [startTime, endTime), past midnight where the end is not after the start. */
function isForTime({ startTime, endTime }: PriceRule, wallTime: () => string): boolean {
  if (startTime === null && endTime === null) return true;
  const [from, to, time] = [startTime ?? MIDNIGHT, endTime ?? MIDNIGHT, wallTime()];
  return from < to ? from <= time && time < to : from <= time || time < to;
}

function priceBy({ pricePaise, multiplier }: PriceRule, basePaise: number): number {
  return pricePaise ?? multiplied(basePaise, multiplier ?? 1);
}

const MULTIPLIER_STEPS = 10_000;

/** In whole numbers, because 45 × 0.7 is less than 31.5 in binary; half a paisa is rounded up. */
function multiplied(paise: number, multiplier: number): number {
  const steps = Math.round(multiplier * MULTIPLIER_STEPS);
  return Math.floor((paise * steps + MULTIPLIER_STEPS / 2) / MULTIPLIER_STEPS);
}
