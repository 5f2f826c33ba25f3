import { textOf } from '../values.ts';
import { changesOf, scheduleChanges } from './changes.ts';
import type { WantedResource, WantedVenue } from './check.ts';
import { planPriceRules } from './plan-price-rules.ts';
import { sharedWhenCompleted, sharedWhenMade, sharingFaults } from './plan-sharing.ts';
import type { CurrentResource, CurrentState, CurrentVenue } from './read-current.ts';
import { PREFIX } from './read-current.ts';
import type { Ids, Plan, ResourceInPlan, Step, StepBase } from './steps.ts';
import { completionNote, isHiddenNow, resourceKey, resourceStep, UNFINISHED } from './steps.ts';

/** What must be done, in order, for the service to have what the file says; what the file does not name is left alone. */
export function planOf(venues: readonly WantedVenue[], state: CurrentState): Plan {
  const plan: Plan = { steps: [], unchanged: 0, ids: new Map(), faults: [] };
  for (const venue of venues) planVenue(plan, venue, state.get(venue.key));
  return plan;
}

function planVenue(plan: Plan, venue: WantedVenue, current: CurrentVenue | undefined): void {
  const { key, body, line } = venue;
  const isUnfinished = current === undefined || current.fields['address'] === UNFINISHED;
  const own = { kind: 'venue', venue: `${body.name}, ${body.city}`, line } as const;
  const path = (ids: Ids) => `${PREFIX}/venues/${ids.get(key) ?? ''}`;
  if (current !== undefined) plan.ids.set(key, current.id);
  else {
    plan.steps.push({
      ...{ ...own, action: 'create', changes: [] },
      request: () => {
        const hidden = { ...body, address: UNFINISHED, status: 'inactive' };
        return { method: 'POST', path: `${PREFIX}/venues`, body: hidden };
      },
      takeId: (response, ids) => ids.set(key, textOf((response as Record<string, unknown>)['venue_id'])),
    });
  }
  const changes = isUnfinished ? [] : changesOf(body, current.fields);
  if (changes.length > 0) {
    const change = Object.fromEntries(changes.map(({ field, to }) => [field, to]));
    plan.steps.push({
      ...{ ...own, action: 'change', changes },
      ...(current === undefined ? {} : { preview: { venueId: current.id, change: { venue: change } } }),
      request: (ids) => ({ method: 'PATCH', path: path(ids), body: change }),
    });
  } else if (!isUnfinished) plan.unchanged += 1;
  for (const resource of venue.resources) planResource(plan, { venue, resource, current, isUnfinished });
  if (!isUnfinished) return;
  plan.steps.push({
    ...{ ...own, action: 'complete', changes: [] },
    note: completionNote({ status: body.status, wasInterrupted: current !== undefined }),
    request: (ids) => ({ method: 'PATCH', path: path(ids), body: { status: 'active', ...body } }),
  });
}

/** Adds the steps of a resource: itself, its schedule, its price rules, and what makes it go on sale. */
function planResource(plan: Plan, inPlan: ResourceInPlan): void {
  const { venue, resource, current } = inPlan;
  const existing = current?.resources.get(resource.key);
  const key = resourceKey(venue, resource.key);
  if (existing !== undefined) plan.ids.set(key, existing.id);
  const base: StepBase = {
    venue: `${venue.body.name}, ${venue.body.city}`,
    resource: resource.body.name,
    path: (ids) => `${PREFIX}/resources/${ids.get(key) ?? ''}`,
  };
  plan.faults.push(...sharingFaults(inPlan));
  const isHidden = existing === undefined ? mustBeHidden(inPlan) : isHiddenNow(existing);
  if (existing === undefined) plan.steps.push(creation(inPlan, base, isHidden));
  else if (!isHidden) planChange(plan, resource, base, existing);
  planSchedule(plan, resource, base, existing);
  planPriceRules(plan, resource, base, existing);
  if (!isHidden) return;
  plan.steps.push({
    ...{ ...resourceStep(base, 'resource'), action: 'complete', line: resource.line, changes: [] },
    note: completionNote({
      ...{ status: resource.body.status, wasInterrupted: existing !== undefined },
      isWithVenue: inPlan.isUnfinished,
    }),
    request: (ids) => ({
      ...{ method: 'PATCH', path: base.path(ids) },
      body: { status: 'active', ...resource.body, ...sharedWhenCompleted(inPlan, ids) },
    }),
  });
}

/**
 * Whether a new resource is not whole when it is made. The service relates shared space one by one: cut off in the middle, it
 * leaves a resource that is inactive, which the mark tells from one that somebody closed.
 */
function mustBeHidden({ venue, resource, current, isUnfinished }: ResourceInPlan): boolean {
  const hasMore = resource.schedule !== undefined || resource.rules.length > 0;
  return (hasMore && !isUnfinished) || sharedWhenMade(venue, resource, current).length > 0;
}

function creation({ venue, resource, current }: ResourceInPlan, base: StepBase, isHidden: boolean): Step {
  const sharing = sharedWhenMade(venue, resource, current);
  return {
    ...{ ...resourceStep(base, 'resource'), action: 'create', line: resource.line, changes: [] },
    request: (ids) => ({
      method: 'POST',
      path: `${PREFIX}/venues/${ids.get(venue.key) ?? ''}/resources`,
      body: {
        ...resource.body,
        ...(isHidden ? { resource_type: UNFINISHED, status: 'inactive' } : {}),
        shares_space_with: sharing.map((key) => ids.get(resourceKey(venue, key)) ?? ''),
      },
    }),
    takeId: (response, ids) => {
      const id = textOf((response as Record<string, unknown>)['resource_id']);
      ids.set(resourceKey(venue, resource.key), id);
    },
  };
}

function planChange(
  plan: Plan,
  { body, line }: WantedResource,
  base: StepBase,
  existing: CurrentResource,
): void {
  const changes = changesOf(body, existing.fields);
  if (changes.length === 0) {
    plan.unchanged += 1;
    return;
  }
  const change = Object.fromEntries(changes.map(({ field, to }) => [field, to]));
  plan.steps.push({
    ...{ ...resourceStep(base, 'resource'), action: 'change', line, changes },
    preview: previewOf(existing, change),
    request: (ids) => ({ method: 'PATCH', path: base.path(ids), body: change }),
  });
}

function planSchedule(
  plan: Plan,
  { schedule, body }: WantedResource,
  base: StepBase,
  existing: CurrentResource | undefined,
): void {
  if (schedule === undefined) return;
  const changes = existing === undefined ? [] : scheduleChanges(schedule.body, existing.schedule);
  // A resource without a schedule shows its operating hours as one, and would go on following them.
  const hours = {
    operating_hours_start: body.operating_hours_start,
    operating_hours_end: body.operating_hours_end,
  };
  const followsHours = existing !== undefined && changesOf(hours, existing.fields).length > 0;
  if (existing !== undefined && changes.length === 0 && !followsHours) {
    plan.unchanged += 1;
    return;
  }
  plan.steps.push({
    ...{
      ...resourceStep(base, 'schedule'),
      action: existing === undefined ? 'create' : 'change',
      line: schedule.line,
      changes,
    },
    ...(existing === undefined ? {} : { preview: previewOf(existing, { schedule: schedule.body }) }),
    request: (ids) => ({ method: 'PUT', path: `${base.path(ids)}/schedule`, body: schedule.body }),
  });
}

function previewOf({ id, fields }: CurrentResource, change: object): NonNullable<Step['preview']> {
  return { venueId: textOf(fields['venue_id']), change: { resource_id: id, ...change } };
}
