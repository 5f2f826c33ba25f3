import { toRupees } from '../../domain/money.ts';
import type { ResourceRow, VenueRow } from './venues.model.ts';

export function venueView(venue: VenueRow): Record<string, unknown> {
  return {
    venue_id: venue._id,
    name: venue.name,
    address: venue.address,
    city: venue.city,
    status: venue.status,
    time_zone: venue.timeZone,
  };
}

export function resourceView(resource: ResourceRow): Record<string, unknown> {
  return {
    resource_id: resource._id,
    venue_id: resource.venueId,
    name: resource.name,
    resource_type: resource.resourceType,
    sport_category: resource.sportCategory,
    duration_minutes: resource.durationMinutes,
    price_rupees: toRupees(resource.pricePaise),
    operating_hours_start: resource.opensAt,
    operating_hours_end: resource.closesAt,
  };
}

export function operatorResourceView(resource: ResourceRow): Record<string, unknown> {
  return {
    ...resourceView(resource),
    shares_space_with: resource.sharesSpaceWith,
    has_schedule: resource.schedule !== undefined,
    status: resource.status,
  };
}
