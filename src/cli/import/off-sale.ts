import { groupBy } from '../../platform/group-by.ts';
import type { CallApi } from '../client.ts';
import { isObject, type Json, objectsOf } from '../values.ts';
import { PREFIX } from './read-current.ts';
import type { Step } from './steps.ts';

export type OffSale = { venue: string; conflict_count: number; conflicts: Json[] };

/** The holds and bookings on slots that are off sale after the steps (`would be`) or now (`is`). Changes nothing. */
export async function readOffSale(steps: readonly Step[], call: CallApi, when: 'would be' | 'is'): Promise<OffSale[]> {
  const offSale: OffSale[] = [];
  const previews = steps.flatMap(({ venue, preview }) => (preview === undefined ? [] : [{ venue, ...preview }]));
  for (const [venueId, venuePreviews] of groupBy(previews, (each) => each.venueId)) {
    const path = `${PREFIX}/venues/${venueId}/change-preview`;
    // An empty change asks for slots that are off sale already.
    const body = when === 'is' ? {} : combined(venuePreviews.map(({ change }) => change));
    const response = await call({ method: 'POST', path, body });
    const { conflict_count: count, conflicts } = isObject(response) ? response : {};
    const venue = venuePreviews[0]?.venue ?? '';
    if (count !== 0) offSale.push({ venue, conflict_count: Number(count), conflicts: objectsOf(conflicts) });
  }
  return offSale;
}

/** The changes of one venue, merged: a resource's own change and its schedule become one entry. */
function combined(changes: readonly Json[]): Json {
  const venue = changes.find((change) => 'venue' in change)?.['venue'] ?? {};
  const byResource = groupBy(
    changes.filter((change) => 'resource_id' in change),
    (change) => change['resource_id'],
  );
  return { venue, resources: [...byResource.values()].map((parts) => Object.assign({}, ...parts) as Json) };
}
