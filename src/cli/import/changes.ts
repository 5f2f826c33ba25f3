import { WEEKDAYS } from '../../platform/calendar.ts';
import type { ScheduleBody } from '../../venues/schedules.schemas.ts';
import { isObject, objectsOf, textOf } from '../values.ts';
import { hoursIn } from '../views.ts';

/** A field that is not as the file says. */
export type Change = { field: string; from: unknown; to: unknown };

type Fields = Readonly<Record<string, unknown>>;

/** The fields of `wanted` that `current` has otherwise; a field that the file does not have may be as it is. */
export function changesOf(wanted: object, current: Fields): Change[] {
  return Object.entries(wanted)
    .filter(([field, value]) => value !== undefined && !isSame(value, current[field]))
    .map(([field, to]) => ({ field, from: current[field] ?? null, to: to as unknown }));
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(inOrder(one)) === JSON.stringify(inOrder(other));
}

/** The order of days, or of names, means nothing. */
const inOrder = (value: unknown): unknown => (Array.isArray(value) ? value.map(textOf).toSorted() : value);

/** What differs between a price rule and the one there is: there, everything that was not given is null. */
export function ruleChanges(wanted: Fields, current: Fields): Change[] {
  const fields = Object.keys(current).filter((field) => !NOT_OF_FILE.has(field));
  const whole = Object.fromEntries(fields.map((field) => [field, wanted[field] ?? null]));
  return Object.entries(whole)
    .filter(([field, value]) => !isSame(value, current[field] ?? null))
    .map(([field, to]) => ({ field, from: current[field] ?? null, to }));
}

const NOT_OF_FILE = new Set(['price_rule_id', 'resource_id', 'created_at']);

/** The days and dates whose hours differ. */
export function scheduleChanges(wanted: ScheduleBody, current: unknown): Change[] {
  const [now, then] = [hoursByDay(current), hoursByDay(wanted)];
  const days = [...new Set([...now.keys(), ...then.keys()])];
  return days
    .filter((day) => now.get(day) !== then.get(day))
    .map((day) => ({
      field: day,
      from: now.get(day) ?? 'as every week',
      to: then.get(day) ?? 'as every week',
    }));
}

function hoursByDay(schedule: unknown): Map<string, string> {
  const { weekly, exceptions } = isObject(schedule) ? schedule : {};
  const week = isObject(weekly) ? weekly : {};
  return new Map([
    ...WEEKDAYS.map((day) => [day, hoursIn(sorted(week[day]))] as const),
    ...objectsOf(exceptions)
      .toSorted((a, b) => (textOf(a['date']) < textOf(b['date']) ? -1 : 1))
      .map(({ date, hours }) => [textOf(date), hoursIn(sorted(hours))] as const),
  ]);
}

function sorted(openings: unknown): Record<string, unknown>[] {
  return objectsOf(openings).toSorted((a, b) => (textOf(a['start']) < textOf(b['start']) ? -1 : 1));
}
