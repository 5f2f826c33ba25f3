import { DomainError } from '../domain/errors.ts';

/** A venue that is missing or not granted, in the same words. */
export function venueNotAuthorized(): DomainError {
  return new DomainError(
    'VENUE_NOT_AUTHORIZED',
    'No venue with that id is granted to you. List your venues, or ask the platform operator for a grant.',
  );
}
