import type { CurrentVenue } from './read-current.ts';
import type { Ids, Step } from './steps.ts';
import type { WantedResource, WantedVenue } from './wanted.ts';

/** A resource of the file, and what is there of its venue. */
export type ResourceInPlan = {
  venue: WantedVenue;
  resource: WantedResource;
  current: CurrentVenue | undefined;
  /** Nothing is sold at the venue before the last step, so a resource that is whole when it is made need not be hidden itself. */
  isUnfinished: boolean;
};

/** What all steps of one resource have in common. */
export type OfResource = Pick<Step, 'venue' | 'resource'> & { path: (ids: Ids) => string };

export const resourceKey = (venue: WantedVenue, key: string): string => `${venue.key}\n${key}`;

/** The beginning of a step of this resource. */
export function own<K extends Step['kind']>({ venue, resource }: OfResource, kind: K) {
  return { kind, venue, ...(resource === undefined ? {} : { resource }) };
}
