import { addDays, localDateTimeOf, weekdayOf } from '../../platform/calendar.ts';
import type { PriceRule, ResourceRow } from '../venues/resources.service.ts';

/** Converts instants to wall times (`YYYY-MM-DDTHH:MM`), each once: the resources of a venue share most instants. */
export function wallTimesIn(timeZone: string): (instant: Date) => string {
  const known = new Map<number, string>();
  return (instant) => {
    const local = known.get(instant.getTime()) ?? localDateTimeOf(instant, timeZone);
    known.set(instant.getTime(), local);
    return local;
  };
}

/**
 * Returns a function that takes the start of a slot of this operating date and returns its price in paise. The matching
 * rule with the highest priority (the newest among equals) sets the price, else the base price applies. A rule's times
 * apply to the wall time of the start. Its days and dates apply to the day on which the rule's hours begin: if a rule
 * for Fridays is from 18:00 to 02:00, it also sets the price at 01:00 on Saturday.
 */
export function pricesOf(
  { pricePaise, priceRules = [] }: Pick<ResourceRow, 'pricePaise' | 'priceRules'>,
  date: string,
  wallTimeOf: (instant: Date) => string,
): (start: Date) => number {
  if (priceRules.length === 0) return () => pricePaise;
  const dayBefore = addDays(date, -1);
  const candidates = priceRules
    // A stable sort keeps the newest of equals first.
    .toReversed()
    .sort((a, b) => b.priority - a.priority)
    .map((rule) => {
      const [from, to] = [rule.startTime ?? MIDNIGHT, rule.endTime ?? MIDNIGHT];
      return { rule, from, to, onDate: isForDate(rule, date), onDayBefore: isForDate(rule, dayBefore) };
    })
    .filter(({ from, to, onDate, onDayBefore }) => onDate || (onDayBefore && to <= from && to > MIDNIGHT));
  return (start) => {
    const found = candidates.find(({ from, to, onDate, onDayBefore }) => {
      if (from === MIDNIGHT && to === MIDNIGHT) return onDate;
      const local = wallTimeOf(start);
      const time = local.slice(TIME_FROM);
      const passesMidnight = to <= from;
      if (from <= time && (time < to || passesMidnight)) return onDate;
      if (time >= to || !passesMidnight) return false;
      // The start is in the rule's hours after midnight. They belong to this date if the slot starts on the next date,
      // and to the day before if the slot starts on this date.
      return local.slice(0, DATE_TO) > date ? onDate : onDayBefore;
    });
    if (found === undefined) return pricePaise;
    return found.rule.pricePaise ?? multiplied(pricePaise, found.rule.multiplier ?? 1);
  };
}

const MIDNIGHT = '00:00';
const DATE_TO = 'YYYY-MM-DD'.length;
const TIME_FROM = 'YYYY-MM-DDT'.length;

function isForDate({ daysOfWeek, fromDate, toDate }: PriceRule, date: string): boolean {
  if (fromDate !== null && date < fromDate) return false;
  if (toDate !== null && date > toDate) return false;
  return daysOfWeek === null || daysOfWeek.includes(weekdayOf(date));
}

const MULTIPLIER_STEPS = 10_000;

/** Integer arithmetic, because 45 × 0.7 is less than 31.5 in binary; half a paisa is rounded up. */
function multiplied(paise: number, multiplier: number): number {
  const steps = Math.round(multiplier * MULTIPLIER_STEPS);
  return Math.floor((paise * steps + MULTIPLIER_STEPS / 2) / MULTIPLIER_STEPS);
}
