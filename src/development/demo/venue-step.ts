/** What may be sold: the granted venue and its resources. */

import { field } from '../embedded/api-caller.ts';
import { requireEqual, requireThat } from './expectations.ts';
import { read } from './read.ts';
import type { StepContext } from './step-context.ts';

export interface Venue {
  readonly venueId: string;
  readonly timeZone: string;
}

/** Lists both; the venues must be exactly the one that was granted. */
export async function showVenue({ partner, transcript }: StepContext, venueId: string): Promise<Venue> {
  const venues = (await partner.call('GET', '/api/v1/partner/venues', { show: ['count'] })).list('data');
  const ids = venues.map((venue) => field(venue, 'venue_id'));
  requireEqual('the venues that are listed', ids, [venueId]);
  const [venue] = venues;
  transcript.held(`the granted venue, no other: ${read(venue, 'name')}, ${read(venue, 'city')}`);

  const path = `/api/v1/partner/venues/${venueId}/resources`;
  const resources = (await partner.call('GET', path, { show: ['count'] })).list('data');
  for (const resource of resources) {
    const of = (name: string): string => read(resource, name);
    const hours = `${of('operating_hours_start')}-${of('operating_hours_end')}`;
    transcript.row(`${of('resource_id')}: ${of('duration_minutes')} min, ${hours}, Rs ${of('price_rupees')}`);
  }
  requireThat(resources.length > 0, 'resources of the venue', 'one at least', 'none');
  transcript.held(`${resources.length} resources can be sold`);
  return { venueId, timeZone: read(venue, 'time_zone') };
}
