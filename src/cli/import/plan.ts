import { textOf } from '../values.ts';
import { changesOf } from './changes.ts';
import type { CurrentState, CurrentVenue } from './read-current.ts';
import { PREFIX } from './read-current.ts';
import { planResource } from './plan-resource.ts';
import type { Ids, Plan } from './steps.ts';
import { completionNote, UNFINISHED } from './unfinished.ts';
import type { WantedVenue } from './wanted.ts';

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
      learn: (answer, ids) => ids.set(key, textOf((answer as Record<string, unknown>)['venue_id'])),
    });
  }
  const changes = isUnfinished ? [] : changesOf(body, current.fields);
  if (changes.length > 0) {
    const change = Object.fromEntries(changes.map(({ field, to }) => [field, to]));
    plan.steps.push({
      ...{ ...own, action: 'change', changes },
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
