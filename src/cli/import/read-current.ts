import { type CallApi, readAll } from '../client.ts';
import { type Json, objectsOf, textOf } from '../values.ts';
import type { WantedResource, WantedVenue } from './check.ts';
import { type Fault, nameKey, venueKey } from './file-content.ts';

export const PREFIX = '/api/v1/operator';

export type CurrentResource = { id: string; fields: Json; schedule: unknown; rules: Json[] };
export type CurrentVenue = { id: string; fields: Json; resources: ReadonlyMap<string, CurrentResource> };

/** The service's state of the venues in the file, by `venueKey`. */
export type CurrentState = ReadonlyMap<string, CurrentVenue>;

/** Reads the state through the API. Repeated names are faults: it would be unclear which one the file means. */
export async function readCurrent(
  call: CallApi,
  wanted: readonly WantedVenue[],
): Promise<{ state: CurrentState; faults: Fault[] }> {
  const faults: Fault[] = [];
  const state = new Map<string, CurrentVenue>();
  const all = objectsOf((await readAll(call, { method: 'GET', path: `${PREFIX}/venues` })).data);
  for (const venue of wanted) {
    const found = all.filter((each) => venueKey(each) === venue.key);
    const [only] = found;
    if (found.length > 1) faults.push(ambiguous(venue, venue.body.name, found, 'venue_id'));
    else if (only !== undefined) state.set(venue.key, await readVenue(call, venue, only, faults));
  }
  return { state, faults };
}

async function readVenue(call: CallApi, wanted: WantedVenue, fields: Json, faults: Fault[]): Promise<CurrentVenue> {
  const id = textOf(fields['venue_id']);
  const all = await listAt(call, `${PREFIX}/venues/${id}/resources`);
  const resources = new Map<string, CurrentResource>();
  for (const resource of wanted.resources) {
    const found = all.filter((each) => nameKey(each['name']) === resource.key);
    const [only] = found;
    const subject = `${wanted.body.name} / ${resource.body.name}`;
    if (found.length > 1) faults.push(ambiguous(resource, subject, found, 'resource_id'));
    else if (only !== undefined) resources.set(resource.key, await readResource(call, resource, only));
  }
  return { id, fields, resources };
}

async function readResource(call: CallApi, wanted: WantedResource, fields: Json): Promise<CurrentResource> {
  const id = textOf(fields['resource_id']);
  const path = `${PREFIX}/resources/${id}`;
  const [schedule, rules] = await Promise.all([
    wanted.schedule === undefined ? undefined : call({ method: 'GET', path: `${path}/schedule` }),
    wanted.rules.length === 0 ? [] : listAt(call, `${path}/price-rules`),
  ]);
  return { id, fields, schedule, rules };
}

async function listAt(call: CallApi, path: string): Promise<Json[]> {
  const response = (await call({ method: 'GET', path })) as { data?: unknown };
  return objectsOf(response.data);
}

function ambiguous({ line }: { line: number }, subject: string, found: readonly Json[], id: string): Fault {
  const ids = found.map((each) => textOf(each[id])).join(', ');
  const message = `the service has ${found.length} of this name (${ids}). Rename all but one of them first.`;
  return { line, subject, path: 'name', message };
}
