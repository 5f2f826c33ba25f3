import { toPaise } from '../../domain/money.ts';
import { omitUndefined } from '../../platform/omit-undefined.ts';
import type { ResourceBody, VenueBody } from './venues.schemas.ts';
import type { changeResource, VenueRow } from './venues.service.ts';

// The fields of a body as rows have them; of one that creates a row, the schema requires those that the row must have.

export function venueChange({
  time_zone: timeZone,
  ...same
}: Partial<VenueBody>): Partial<Omit<VenueRow, '_id'>> {
  return omitUndefined({ ...same, timeZone });
}

export function resourceChange(body: Partial<ResourceBody>): Parameters<typeof changeResource>[2] {
  return omitUndefined({
    name: body.name,
    resourceType: body.resource_type,
    sportCategory: body.sport_category,
    durationMinutes: body.duration_minutes,
    pricePaise: body.price_rupees === undefined ? undefined : toPaise(body.price_rupees),
    opensAt: body.operating_hours_start,
    closesAt: body.operating_hours_end,
    sharesSpaceWith: body.shares_space_with,
    status: body.status,
  });
}
