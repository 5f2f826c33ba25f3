import type { BlackoutRow } from '../blackouts/blackouts.service.ts';
import { DomainError } from '../domain/errors.ts';
import type { ResourceRow, VenueRow } from '../venues/venues.service.ts';

/** All that decides what may be sold at a venue, but for claims and the time. One object until something of it changes (ADR 0037). */
export type VenueRules = {
  venue: VenueRow;
  /** By id. */
  resources: readonly ResourceRow[];
  /** Those that had not ended when they were read, by their start. */
  blackouts: readonly BlackoutRow[];
};

/** @throws DomainError RESOURCE_NOT_FOUND for a resource that the venue does not have. */
export function requireResourceIn({ resources }: VenueRules, resourceId: string): ResourceRow {
  const resource = resources.find(({ _id }) => _id === resourceId);
  if (resource !== undefined) return resource;
  throw new DomainError(
    'RESOURCE_NOT_FOUND',
    'The venue has no resource with that id. Copy resource_id from the listing of its resources.',
  );
}
