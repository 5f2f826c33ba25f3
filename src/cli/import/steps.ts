import type { ScheduleBody } from '../../catalog/venues/schedules.schemas.ts';
import type { ApiRequest } from '../client.ts';
import { isObject, type Json, textOf } from '../values.ts';
import { hoursByDay } from '../views.ts';
import type { WantedResource, WantedVenue } from './check.ts';
import type { Fault } from './file-content.ts';
import type { CurrentResource, CurrentVenue } from './read-current.ts';

/** The ids of venues and resources by key; a step that creates one adds its id. */
export type Ids = Map<string, string>;

export type Step = {
  action: 'create' | 'change' | 'remove' | 'complete';
  kind: 'venue' | 'resource' | 'schedule' | 'price rule';
  venue: string;
  resource?: string;
  name?: string;
  line: number;
  changes: Change[];
  note?: string;
  /** The request for a preview, if the step can take slots off sale. */
  preview?: { venueId: string; change: Json };
  request: (ids: Ids) => ApiRequest;
  /** The key of the created object, if later steps need its id. */
  creates?: string;
};

export type Plan = { steps: Step[]; unchanged: number; ids: Ids; faults: Fault[] };

export type Outcome = {
  doneCount: number;
  /** `isFailure` is false if the user interrupted between two steps. */
  stopped?: { reason: string; isFailure: boolean; mayBeDone: boolean };
};

export type ResourceInPlan = {
  venue: WantedVenue;
  resource: WantedResource;
  currentVenue: CurrentVenue | undefined;
  existing: CurrentResource | undefined;
  names: { venue: string; resource: string };
  path: (ids: Ids) => string;
};

export const resourceKey = (venue: WantedVenue, key: string): string => `${venue.key}\n${key}`;

/**
 * Marks a new venue or resource until all of it exists. It is inactive meanwhile, so it sells nothing; a later import
 * that finds the mark completes it.
 */
export const UNFINISHED = 'Import not finished';

export const isHiddenNow = ({ fields }: CurrentResource): boolean =>
  fields['resource_type'] === UNFINISHED && fields['status'] === 'inactive';

export const completionNote = (status: string | undefined): string =>
  status === 'inactive' ? 'stays inactive, as the file says' : 'goes on sale, as the last step';

export type Change = { field: string; from: unknown; to: unknown };

/** The fields of `wanted` that differ in `current`; fields missing in the file are ignored. */
export function changesOf(wanted: object, current: Json): Change[] {
  return Object.entries(wanted)
    .filter(([field, value]) => value !== undefined && !isSame(value, current[field]))
    .map(([field, to]) => ({ field, from: current[field] ?? null, to: to as unknown }));
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(inOrder(one)) === JSON.stringify(inOrder(other));
}

/** The order of days or names does not matter. */
const inOrder = (value: unknown): unknown => (Array.isArray(value) ? value.map(textOf).toSorted() : (value ?? null));

/** The differences between price rules. In `current`, everything that was not given is null. */
export function ruleChanges(wanted: Json, current: Json): Change[] {
  const { price_rule_id: _id, resource_id: _resource, created_at: _at, ...fields } = current;
  return changesOf(Object.fromEntries(Object.keys(fields).map((key) => [key, wanted[key] ?? null])), fields);
}

export function scheduleChanges(wanted: ScheduleBody, current: unknown): Change[] {
  const { weekly, exceptions } = isObject(current) ? current : {};
  const [currentHours, wantedHours] = [hoursByDay({ weekly, exceptions }), hoursByDay(wanted)];
  const days = Object.keys({ ...currentHours, ...wantedHours });
  const noException = Object.fromEntries(days.map((day) => [day, 'as every week']));
  return changesOf({ ...noException, ...wantedHours }, { ...noException, ...currentHours });
}
