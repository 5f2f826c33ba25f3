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

/** An opening in minutes from the start of its day; `to` is beyond 1440 if it passes midnight. */
type Span = { path: string; from: number; to: number };

/**
 * Why a schedule is invalid: openings of one day that overlap, openings that run into an opening of the next day, dates
 * that occur twice. Each fault names the later opening or, if the next date only has its weekly hours, the exception
 * that runs into them.
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
      const [from, to] = [minutesOf(start), minutesOf(end)];
      return { path: `${path}.${index}`, from, to: to <= from ? to + DAY_MINUTES : to };
    })
    .toSorted((a, b) => a.from - b.from);
}

function minutesOf(time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  return hours * 60 + minutes;
}

const lastEnd = (spans: readonly Span[]) => Math.max(0, ...spans.map(({ to }) => to));

function overlapsWithin(spans: readonly Span[]): FieldFault[] {
  return spans
    .filter(({ from }, index) => from < lastEnd(spans.slice(0, index)))
    .map(({ path }) => ({
      path: `${path}.start`,
      message: 'is before another opening of the day has ended',
    }));
}

function overlapsWithDayBefore(dayBefore: readonly Span[], spans: readonly Span[]): FieldFault[] {
  return spans
    .filter(({ from }) => from < lastEnd(dayBefore) - DAY_MINUTES)
    .map(({ path }) => ({
      path: `${path}.start`,
      message: 'is before the opening of the day before has ended',
    }));
}

function overrunsOf(spans: readonly Span[], dayAfter: readonly Span[]): FieldFault[] {
  const firstStart = Math.min(Infinity, ...dayAfter.map(({ from }) => from));
  return spans
    .filter(({ to }) => to - DAY_MINUTES > firstStart)
    .map(({ path }) => ({ path: `${path}.end`, message: 'is after the opening of the day after has begun' }));
}
