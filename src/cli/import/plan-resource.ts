import { textOf } from '../values.ts';
import { changesOf, scheduleChanges } from './changes.ts';
import type { CurrentResource } from './read-current.ts';
import { PREFIX } from './read-current.ts';
import type { OfResource, ResourceInPlan } from './in-plan.ts';
import { own, resourceKey } from './in-plan.ts';
import { planPriceRules } from './plan-price-rules.ts';
import { sharedWhenCompleted, sharedWhenMade, sharingFaults } from './plan-sharing.ts';
import type { Plan, Step } from './steps.ts';
import { completionNote, isHiddenNow, UNFINISHED } from './unfinished.ts';
import type { WantedResource } from './wanted.ts';

/** Adds the steps of a resource: itself, its schedule, its price rules, and what makes it go on sale. */
export function planResource(plan: Plan, inPlan: ResourceInPlan): void {
  const { venue, resource, current } = inPlan;
  const there = current?.resources.get(resource.key);
  const key = resourceKey(venue, resource.key);
  if (there !== undefined) plan.ids.set(key, there.id);
  const of: OfResource = {
    venue: `${venue.body.name}, ${venue.body.city}`,
    resource: resource.body.name,
    path: (ids) => `${PREFIX}/resources/${ids.get(key) ?? ''}`,
  };
  plan.faults.push(...sharingFaults(inPlan));
  const isHidden = there === undefined ? mustBeHidden(inPlan) : isHiddenNow(there);
  if (there === undefined) plan.steps.push(creation(inPlan, of, isHidden));
  else if (!isHidden) planChange(plan, resource, of, there);
  planSchedule(plan, resource, of, there);
  planPriceRules(plan, resource, of, there);
  if (!isHidden) return;
  plan.steps.push({
    ...{ ...own(of, 'resource'), action: 'complete', line: resource.line, changes: [] },
    note: completionNote({
      ...{ status: resource.body.status, wasInterrupted: there !== undefined },
      isWithVenue: inPlan.isUnfinished,
    }),
    request: (ids) => ({
      ...{ method: 'PATCH', path: of.path(ids) },
      body: { status: 'active', ...resource.body, ...sharedWhenCompleted(inPlan, ids) },
    }),
  });
}

/**
 * Whether a new resource is not whole when it is made. The service relates shared ground one by one: cut off in the middle, it
 * leaves a resource that is inactive, which the mark tells from one that somebody closed.
 */
function mustBeHidden({ venue, resource, current, isUnfinished }: ResourceInPlan): boolean {
  const hasMore = resource.schedule !== undefined || resource.rules.length > 0;
  return (hasMore && !isUnfinished) || sharedWhenMade(venue, resource, current).length > 0;
}

function creation({ venue, resource, current }: ResourceInPlan, of: OfResource, isHidden: boolean): Step {
  const sharing = sharedWhenMade(venue, resource, current);
  return {
    ...{ ...own(of, 'resource'), action: 'create', line: resource.line, changes: [] },
    request: (ids) => ({
      method: 'POST',
      path: `${PREFIX}/venues/${ids.get(venue.key) ?? ''}/resources`,
      body: {
        ...resource.body,
        ...(isHidden ? { resource_type: UNFINISHED, status: 'inactive' } : {}),
        shares_space_with: sharing.map((key) => ids.get(resourceKey(venue, key)) ?? ''),
      },
    }),
    learn: (answer, ids) => {
      const id = textOf((answer as Record<string, unknown>)['resource_id']);
      ids.set(resourceKey(venue, resource.key), id);
    },
  };
}

function planChange(
  plan: Plan,
  { body, line }: WantedResource,
  of: OfResource,
  there: CurrentResource,
): void {
  const changes = changesOf(body, there.fields);
  if (changes.length === 0) {
    plan.unchanged += 1;
    return;
  }
  const change = Object.fromEntries(changes.map(({ field, to }) => [field, to]));
  plan.steps.push({
    ...{ ...own(of, 'resource'), action: 'change', line, changes },
    request: (ids) => ({ method: 'PATCH', path: of.path(ids), body: change }),
  });
}

function planSchedule(
  plan: Plan,
  { schedule, body }: WantedResource,
  of: OfResource,
  there: CurrentResource | undefined,
): void {
  if (schedule === undefined) return;
  const changes = there === undefined ? [] : scheduleChanges(schedule.body, there.schedule);
  // A resource without a schedule shows its operating hours as one, and would go on following them.
  const hours = {
    operating_hours_start: body.operating_hours_start,
    operating_hours_end: body.operating_hours_end,
  };
  const followsHours = there !== undefined && changesOf(hours, there.fields).length > 0;
  if (there !== undefined && changes.length === 0 && !followsHours) {
    plan.unchanged += 1;
    return;
  }
  plan.steps.push({
    ...{
      ...own(of, 'schedule'),
      action: there === undefined ? 'create' : 'change',
      line: schedule.line,
      changes,
    },
    request: (ids) => ({ method: 'PUT', path: `${of.path(ids)}/schedule`, body: schedule.body }),
  });
}
