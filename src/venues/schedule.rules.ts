import { WEEKDAYS, weekdayOf } from '../platform/calendar.ts';
import type { Hours, Schedule } from './venues.model.ts';

/** The schedule of a resource that is open at the same hours on every day. */
export function everyDay(hours: Hours): Schedule {
  return {
    weekly: Object.fromEntries(WEEKDAYS.map((weekday) => [weekday, [hours]])) as Schedule['weekly'],
    exceptions: [],
  };
}

/** The openings of any date by a schedule: its exception, else those of its day of the week. */
export function hoursOn({ weekly, exceptions }: Schedule): (date: string) => readonly Hours[] {
  const byDate = new Map(exceptions.map(({ date, hours }) => [date, hours]));
  return (date) => byDate.get(date) ?? weekly[weekdayOf(date)];
}
