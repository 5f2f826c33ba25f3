import { type Json, textOf } from '../values.ts';
import type { WantedVenue } from './check.ts';
import { planPriceRules } from './plan-price-rules.ts';
import { sharedAtCompletion, sharedAtCreation, sharingFaults } from './plan-sharing.ts';
import { type CurrentResource, type CurrentState, type CurrentVenue, PREFIX } from './read-current.ts';
import {
  changesOf,
  completionNote,
  type Ids,
  isHiddenNow,
  type Plan,
  type ResourceInPlan,
  resourceKey,
  type Step,
  scheduleChanges,
  UNFINISHED,
} from './steps.ts';

/**
 * The steps that bring the service to the state of the file, without changes to anything that the file does not name.
 */
export function planOf(venues: readonly WantedVenue[], state: CurrentState): Plan {
  const plan: Plan = { steps: [], unchanged: 0, ids: new Map(), faults: [] };
  for (const venue of venues) planVenue(plan, venue, state.get(venue.key));
  return plan;
}

function planVenue(plan: Plan, venue: WantedVenue, current: CurrentVenue | undefined): void {
  const { key, body, line, resources } = venue;
  const own = { kind: 'venue', venue: `${body.name}, ${body.city}`, line } as const;
  const path = (ids: Ids) => `${PREFIX}/venues/${ids.get(key) ?? ''}`;
  const isUnfinished = current === undefined || current.fields['address'] === UNFINISHED;
  if (current === undefined) {
    const hidden = { ...body, address: UNFINISHED, status: 'inactive' };
    const request = () => ({ method: 'POST', path: `${PREFIX}/venues`, body: hidden });
    plan.steps.push({ ...own, action: 'create', changes: [], creates: key, request });
  } else {
    plan.ids.set(key, current.id);
    if (!isUnfinished) {
      const { changes, change } = difference(body, current.fields);
      const preview = { venueId: current.id, change: { venue: change } };
      const request = (ids: Ids) => ({ method: 'PATCH', path: path(ids), body: change });
      planChange(plan, { ...own, changes, preview, request });
    }
  }
  for (const resource of resources) {
    const keyOfResource = resourceKey(venue, resource.key);
    const names = { venue: own.venue, resource: resource.body.name };
    const existing = current?.resources.get(resource.key);
    if (existing !== undefined) plan.ids.set(keyOfResource, existing.id);
    const resourcePath = (ids: Ids) => `${PREFIX}/resources/${ids.get(keyOfResource) ?? ''}`;
    planResource(plan, { venue, resource, currentVenue: current, existing, names, path: resourcePath }, isUnfinished);
  }
  if (!isUnfinished) return;
  const note = completionNote(body.status);
  const request = (ids: Ids) => ({ method: 'PATCH', path: path(ids), body: { status: 'active', ...body } });
  plan.steps.push({ ...own, action: 'complete', changes: [], note, request });
}

function difference(wanted: object, current: Json) {
  const changes = changesOf(wanted, current);
  return { changes, change: Object.fromEntries(changes.map(({ field, to }) => [field, to])) };
}

function planResource(plan: Plan, inPlan: ResourceInPlan, isVenueHidden: boolean): void {
  const { resource, existing, names, path } = inPlan;
  const { line, body, schedule, rules } = resource;
  const step = { ...names, kind: 'resource', line } as const;
  plan.faults.push(...sharingFaults(inPlan));
  // A hidden venue sells nothing, so only its resources that share space are hidden: the service creates these in
  // several writes. If the writes are interrupted, the resource stays inactive; its type UNFINISHED distinguishes it
  // from resources that operators made inactive.
  const hasMoreSteps = (schedule !== undefined || rules.length > 0) && !isVenueHidden;
  const isHidden = existing === undefined ? hasMoreSteps || sharedAtCreation(inPlan).length > 0 : isHiddenNow(existing);
  if (existing === undefined) plan.steps.push(creation(inPlan, isHidden));
  else if (!isHidden) {
    const { changes, change } = difference(body, existing.fields);
    const request = (ids: Ids) => ({ method: 'PATCH', path: path(ids), body: change });
    planChange(plan, { ...step, changes, preview: previewOf(existing, change), request });
  }
  planSchedule(plan, inPlan);
  planPriceRules(plan, inPlan);
  if (!isHidden) return;
  const note = completionNote(body.status);
  const completeBody = (ids: Ids) => ({ status: 'active', ...body, ...sharedAtCompletion(inPlan, ids) });
  const request = (ids: Ids) => ({ method: 'PATCH', path: path(ids), body: completeBody(ids) });
  plan.steps.push({ ...step, action: 'complete', changes: [], note, request });
}

function creation(inPlan: ResourceInPlan, isHidden: boolean): Step {
  const { venue, resource, names } = inPlan;
  return {
    ...names,
    kind: 'resource',
    action: 'create',
    line: resource.line,
    changes: [],
    creates: resourceKey(venue, resource.key),
    request: (ids) => ({
      method: 'POST',
      path: `${PREFIX}/venues/${ids.get(venue.key) ?? ''}/resources`,
      body: {
        ...resource.body,
        ...(isHidden ? { resource_type: UNFINISHED, status: 'inactive' } : {}),
        shares_space_with: sharedAtCreation(inPlan).map((key) => ids.get(resourceKey(venue, key)) ?? ''),
      },
    }),
  };
}

function planSchedule(plan: Plan, { resource: { schedule, body }, existing, names, path }: ResourceInPlan): void {
  if (schedule === undefined) return;
  const step = { ...names, kind: 'schedule', line: schedule.line } as const;
  const request = (ids: Ids) => ({ method: 'PUT', path: `${path(ids)}/schedule`, body: schedule.body });
  if (existing === undefined) {
    plan.steps.push({ ...step, action: 'create', changes: [], request });
    return;
  }
  const changes = scheduleChanges(schedule.body, existing.schedule);
  // For a resource without a schedule, the service shows its operating hours as one. If the file changes
  // these hours, its schedule must be set even if it equals the old hours.
  const { operating_hours_start, operating_hours_end } = body;
  const hoursChange = changesOf({ operating_hours_start, operating_hours_end }, existing.fields);
  const preview = previewOf(existing, { schedule: schedule.body });
  planChange(plan, { ...step, changes, preview, request }, changes.length + hoursChange.length > 0);
}

/** Adds the step unless there is nothing to change. */
function planChange(plan: Plan, step: Omit<Step, 'action'>, isNeeded = step.changes.length > 0): void {
  if (isNeeded) plan.steps.push({ ...step, action: 'change' });
  else plan.unchanged += 1;
}

function previewOf({ id, fields }: CurrentResource, change: object): NonNullable<Step['preview']> {
  return { venueId: textOf(fields['venue_id']), change: { resource_id: id, ...change } };
}
