import type { FieldFault } from '../../domain/errors.ts';
import { addDays, WEEKDAYS, type Weekday, weekdayOf } from '../../platform/calendar.ts';
import type { Hours, Schedule } from './venues.model.ts';

/** A schedule with the same hours every day. */
export function everyDay(hours: Hours): Schedule {
  return {
    weekly: Object.fromEntries(WEEKDAYS.map((weekday) => [weekday, [hours]])) as Schedule['weekly'],
    exceptions: [],
  };
}

const DAY_MINUTES = 1440;

/** An opening in minutes from the start of its day; `endMinute` is beyond 1440 if the opening passes midnight. */
type Span = { path: string; startMinute: number; endMinute: number };

/**
 * Why a schedule is invalid: openings of one day overlap, an opening ends after one of the next day has begun, or a
 * date occurs twice. A fault names the later opening. If an exception ends after the weekly hours of the next date have
 * begun, the fault names the exception.
 */
export function scheduleFaults({ weekly, exceptions }: Schedule): FieldFault[] {
  const ofWeek = (weekday: Weekday) => spansOf(weekly[weekday], `weekly.${weekday}`);
  const indexOf = new Map(exceptions.map(({ date }, index) => [date, index] as const).reverse());
  const ofException = (index: number) => spansOf(exceptions[index]?.hours ?? [], `exceptions.${index}.hours`);
  const ofDate = (date: string) => {
    const index = indexOf.get(date);
    return index === undefined ? ofWeek(weekdayOf(date)) : ofException(index);
  };
  return [
    ...WEEKDAYS.flatMap((weekday, index) => [
      ...overlapsWithin(ofWeek(weekday)),
      ...overlapsWithDayBefore(ofWeek(WEEKDAYS[(index + 6) % 7] ?? 'sun'), ofWeek(weekday)),
    ]),
    ...exceptions.flatMap(({ date }, index) => {
      if (indexOf.get(date) !== index) return [{ path: `exceptions.${index}.date`, message: 'is named twice' }];
      const dayAfter = addDays(date, 1);
      return [
        ...overlapsWithin(ofException(index)),
        ...overlapsWithDayBefore(ofDate(addDays(date, -1)), ofException(index)),
        ...(indexOf.has(dayAfter) ? [] : overrunsOf(ofException(index), ofDate(dayAfter))),
      ];
    }),
  ];
}

function spansOf(hours: readonly Hours[], path: string): Span[] {
  return hours
    .map(({ start, end }, index) => {
      const [startMinute, endMinute] = [minutesOf(start), minutesOf(end)];
      const isNextDay = endMinute <= startMinute;
      return { path: `${path}.${index}`, startMinute, endMinute: isNextDay ? endMinute + DAY_MINUTES : endMinute };
    })
    .toSorted((a, b) => a.startMinute - b.startMinute);
}

function minutesOf(time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  return hours * 60 + minutes;
}

const lastEnd = (spans: readonly Span[]) => Math.max(0, ...spans.map(({ endMinute }) => endMinute));

function overlapsWithin(spans: readonly Span[]): FieldFault[] {
  const overlapping = spans.filter(({ startMinute }, index) => startMinute < lastEnd(spans.slice(0, index)));
  return faultsAt('start', overlapping, 'is before another opening of the day has ended');
}

function overlapsWithDayBefore(dayBefore: readonly Span[], spans: readonly Span[]): FieldFault[] {
  const overlapping = spans.filter(({ startMinute }) => startMinute < lastEnd(dayBefore) - DAY_MINUTES);
  return faultsAt('start', overlapping, 'is before an opening of the previous day has ended');
}

function overrunsOf(spans: readonly Span[], dayAfter: readonly Span[]): FieldFault[] {
  const firstStart = Math.min(Infinity, ...dayAfter.map(({ startMinute }) => startMinute));
  const overrunning = spans.filter(({ endMinute }) => endMinute - DAY_MINUTES > firstStart);
  return faultsAt('end', overrunning, 'is after an opening of the next day has begun');
}

function faultsAt(field: keyof Hours, spans: readonly Span[], message: string): FieldFault[] {
  return spans.map(({ path }) => ({ path: `${path}.${field}`, message }));
}
