import type { CallApi } from '../client.ts';
import { isObject, objectsOf, textOf } from '../values.ts';
import { PREFIX } from './read-current.ts';
import type { Step } from './steps.ts';

type Json = Readonly<Record<string, unknown>>;

export type OffSale = { venue: string; conflict_count: number; conflicts: Json[] };

/** The holds and bookings on slots that are off sale after the steps (`would be`) or now (`is`). Changes nothing. */
export async function readOffSale(steps: readonly Step[], call: CallApi, when: 'would be' | 'is'): Promise<OffSale[]> {
  const found: OffSale[] = [];
  for (const [venueId, { name, ...change }] of changesByVenue(steps)) {
    const path = `${PREFIX}/venues/${venueId}/change-preview`;
    const response = await call({ method: 'POST', path, body: when === 'is' ? {} : change });
    const { conflict_count: count, conflicts } = isObject(response) ? response : {};
    if (count !== 0) found.push({ venue: name, conflict_count: Number(count), conflicts: objectsOf(conflicts) });
  }
  return found;
}

type VenueChange = { name: string; venue: unknown; resources: Json[] };

/** The changes of each venue combined; a resource's own change comes before its schedule. */
function changesByVenue(steps: readonly Step[]): Map<string, VenueChange> {
  const changes = new Map<string, VenueChange>();
  for (const { venue: name, preview } of steps) {
    if (preview === undefined) continue;
    const { venueId, change } = preview;
    const known = changes.get(venueId) ?? { name, venue: {}, resources: [] };
    changes.set(venueId, known);
    if (change['venue'] !== undefined) known.venue = change['venue'];
    else {
      const id = textOf(change['resource_id']);
      const earlier = known.resources.find((each) => each['resource_id'] === id);
      known.resources = [...known.resources.filter((each) => each !== earlier), { ...earlier, ...change }];
    }
  }
  return changes;
}
