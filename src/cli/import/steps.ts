import type { ApiRequest } from '../client.ts';
import type { Change } from './changes.ts';
import type { WantedResource, WantedVenue } from './check.ts';
import type { Fault } from './file-content.ts';
import type { CurrentResource, CurrentVenue } from './read-current.ts';

/** The ids of venues and resources by their keys: those that the service has, and those of what a step has created. */
export type Ids = Map<string, string>;

/** One call that brings the service nearer to the file. */
export type Step = {
  action: 'create' | 'change' | 'remove' | 'complete';
  kind: 'venue' | 'resource' | 'schedule' | 'price rule';
  venue: string;
  resource?: string;
  /** Of a price rule. */
  name?: string;
  line: number;
  /** Of what is there already; empty for what is new. */
  changes: Change[];
  note?: string;
  /** What to ask of the service before the plan is shown, where the step can take something off sale. */
  preview?: { venueId: string; change: Readonly<Record<string, unknown>> };
  request: (ids: Ids) => ApiRequest;
  /** The key of what it creates, where later steps need its id. */
  creates?: string;
};

export type Plan = { steps: Step[]; unchanged: number; ids: Ids; faults: Fault[] };

/** How far an import came, and why not further: the next step was rejected, or the user interrupted it. */
export type Outcome = {
  doneCount: number;
  stopped?: { reason: string; isRejected: boolean; mayBeDone: boolean };
};

/** A resource of the file, and what is there of its venue. */
export type ResourceInPlan = {
  venue: WantedVenue;
  resource: WantedResource;
  current: CurrentVenue | undefined;
  existing: CurrentResource | undefined;
  /** What all its steps have in common. */
  names: { venue: string; resource: string };
  path: (ids: Ids) => string;
};

export const resourceKey = (venue: WantedVenue, key: string): string => `${venue.key}\n${key}`;

/**
 * Stands where a fact of a new venue or resource belongs until all of it is there. It is inactive for as long, so that
 * nothing is sold of it, and an import that finds it knows that another was interrupted, and completes it.
 */
export const UNFINISHED = 'Import not finished';

/** Whether the service has the resource as an import leaves it that was cut off. */
export const isHiddenNow = ({ fields }: CurrentResource): boolean =>
  fields['resource_type'] === UNFINISHED && fields['status'] === 'inactive';

/** What the last step of something hidden does. */
export const completionNote = (status: string | undefined): string =>
  status === 'inactive' ? 'stays inactive, as the file says' : 'goes on sale, as the last step';
