import { isDeepStrictEqual } from 'node:util';
import { dayBounds } from '../../platform/calendar.ts';
import type { VenueChange } from '../changes/changes.service.ts';
import type { PriceRule, ResourceRow, VenueRow } from './venues.model.ts';

/** The announcement for a changed venue; undefined if the change does not affect availability. */
export function changeOfVenue(before: VenueRow, after: VenueRow): VenueChange | undefined {
  if (before.status === after.status && before.timeZone === after.timeZone) return undefined;
  return { venueId: after._id, reason: 'venue', resourceIds: null, from: null, to: null };
}

/** The fields of a resource that decide its slots. */
export const SLOT_FIELDS = ['opensAt', 'closesAt', 'durationMinutes', 'schedule'] as const;

const FIELDS_OF_REASON = {
  prices: ['pricePaise'],
  schedule: SLOT_FIELDS,
  resource: ['status'],
} as const satisfies Record<string, readonly (keyof ResourceRow)[]>;

/** The announcements for a changed resource, one for each reason. */
export function changesOfResource(before: ResourceRow, after: ResourceRow): VenueChange[] {
  const reasons = Object.keys(FIELDS_OF_REASON) as (keyof typeof FIELDS_OF_REASON)[];
  return reasons
    .filter((reason) => FIELDS_OF_REASON[reason].some((field) => !isDeepStrictEqual(before[field], after[field])))
    .map((reason) => changeOfResources(after.venueId, reason, [after._id]));
}

export function changeOfResources(
  venueId: string,
  reason: keyof typeof FIELDS_OF_REASON,
  resourceIds: readonly string[],
): VenueChange {
  return { venueId, reason, resourceIds: [...new Set(resourceIds)].sort(), from: null, to: null };
}

/** The announcement for an added or removed price rule, from the start of its first date to the end of its last. */
export function changeOfPriceRule(
  resource: Pick<ResourceRow, '_id' | 'venueId'>,
  { fromDate, toDate }: PriceRule,
  timeZone: string,
): VenueChange {
  return {
    ...changeOfResources(resource.venueId, 'prices', [resource._id]),
    from: fromDate === null ? null : dayBounds(fromDate, timeZone).start,
    to: toDate === null ? null : dayBounds(toDate, timeZone).end,
  };
}
