import type { ScheduleBody } from '../../catalog/venues/schedules.schemas.ts';
import { isObject, textOf } from '../values.ts';
import { hoursByDay } from '../views.ts';

export type Change = { field: string; from: unknown; to: unknown };

type Fields = Readonly<Record<string, unknown>>;

/** The fields of `wanted` that differ in `current`; fields missing in the file are ignored. */
export function changesOf(wanted: object, current: Fields): Change[] {
  return Object.entries(wanted)
    .filter(([field, value]) => value !== undefined && !isSame(value, current[field]))
    .map(([field, to]) => ({ field, from: current[field] ?? null, to: to as unknown }));
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(inOrder(one)) === JSON.stringify(inOrder(other));
}

/** The order of days or names means nothing. */
const inOrder = (value: unknown): unknown =>
  Array.isArray(value) ? value.map(textOf).toSorted() : (value ?? null);

/** The differences between price rules. In `current`, everything that was not given is null. */
export function ruleChanges(wanted: Fields, current: Fields): Change[] {
  const { price_rule_id: _id, resource_id: _resource, created_at: _at, ...fields } = current;
  return changesOf(Object.fromEntries(Object.keys(fields).map((key) => [key, wanted[key] ?? null])), fields);
}

export function scheduleChanges(wanted: ScheduleBody, current: unknown): Change[] {
  const { weekly, exceptions } = isObject(current) ? current : {};
  const [now, then] = [hoursByDay({ weekly, exceptions }), hoursByDay(wanted)];
  const usual = Object.fromEntries(Object.keys({ ...now, ...then }).map((day) => [day, 'as every week']));
  return changesOf({ ...usual, ...then }, { ...usual, ...now });
}
