/** What may be sold: the granted venue and its resources. */

import { field, fieldText } from '../embedded/api-caller.ts';
import { requireEqual, requireThat } from './expectations.ts';
import type { StepContext } from './step-context.ts';

export type Venue = {
  venueId: string;
  timeZone: string;
};

/** Lists both; the venues must be exactly the one that was granted. */
export async function showVenue({ partner, transcript }: StepContext, venueId: string): Promise<Venue> {
  const venues = (await partner.call('GET', '/api/v1/partner/venues', { show: ['count'] })).list('data');
  const ids = venues.map((venue) => field(venue, 'venue_id'));
  requireEqual('the venues that are listed', ids, [venueId]);
  const [venue] = venues;
  transcript.passed(
    `the granted venue and no other: ${fieldText(venue, 'name')}, ${fieldText(venue, 'city')}`,
  );

  const path = `/api/v1/partner/venues/${venueId}/resources`;
  const resources = (await partner.call('GET', path, { show: ['count'] })).list('data');
  for (const resource of resources) {
    const of = (name: string): string => fieldText(resource, name);
    const hours = `${of('operating_hours_start')}-${of('operating_hours_end')}`;
    transcript.row(`${of('resource_id')}: ${of('duration_minutes')} min, ${hours}, Rs ${of('price_rupees')}`);
  }
  requireThat(resources.length > 0, 'resources of the venue', 'at least one', 'none');
  transcript.passed(`${resources.length} resources can be sold`);
  return { venueId, timeZone: fieldText(venue, 'time_zone') };
}
