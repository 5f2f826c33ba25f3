import type { SalePeriod } from '../../catalog/slots/slot.rules.ts';
import { salePeriodOf } from '../../catalog/slots/slot.rules.ts';
import { dayBounds, localDateOf } from '../../platform/calendar.ts';

type Today = { start: Date; until: Date; before: Date };

/** By zone and horizon, the last day that was asked for: resolving its ends costs some 100 µs. */
const lastAsked = new Map<string, Today>();

/** What is on sale now (`salePeriodOf`), and until when its end stays what it is: the end of the day at the venue. */
export function salePeriodAt(
  now: Date,
  bookingHorizonDays: number,
  timeZone: string,
): { onSale: SalePeriod; until: Date } {
  const key = `${timeZone} ${bookingHorizonDays}`;
  let today = lastAsked.get(key);
  if (today === undefined || now < today.start || now >= today.until) {
    const { start, end: until } = dayBounds(localDateOf(now, timeZone), timeZone);
    today = { start, until, before: salePeriodOf(now, bookingHorizonDays, timeZone).before };
    lastAsked.set(key, today);
  }
  return { onSale: { after: now, before: today.before }, until: today.until };
}
