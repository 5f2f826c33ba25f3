import type { ApiRequest } from '../client.ts';
import type { Change } from './changes.ts';
import type { WantedResource, WantedVenue } from './check.ts';
import type { Fault } from './file-content.ts';
import type { CurrentResource, CurrentVenue } from './read-current.ts';

export type Action = 'create' | 'change' | 'remove' | 'complete';
export type Kind = 'venue' | 'resource' | 'schedule' | 'price rule';

/** The ids of venues and resources by their keys: those that the service has, and those of what a step has created. */
export type Ids = Map<string, string>;

/** One call that brings the service nearer to the file. */
export type Step = {
  action: Action;
  kind: Kind;
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
  /** Takes the id out of the response, where later steps belong to what was created. */
  takeId?: (response: unknown, ids: Ids) => void;
};

export type Plan = { steps: Step[]; unchanged: number; ids: Ids; faults: Fault[] };

/** How far an import came. */
export type Outcome = {
  done: Step[];
  /** Why it stopped: the step was rejected, or the user interrupted it. */
  stopped?: { step: Step | undefined; reason: string; mayBeDone: boolean };
  notDone: Step[];
};

/** A resource of the file, and what is there of its venue. */
export type ResourceInPlan = {
  venue: WantedVenue;
  resource: WantedResource;
  current: CurrentVenue | undefined;
  /** Nothing is sold at the venue before the last step, so a resource that is whole when it is made need not be hidden itself. */
  isUnfinished: boolean;
};

/** What all steps of one resource have in common. */
export type StepBase = Pick<Step, 'venue' | 'resource'> & { path: (ids: Ids) => string };

export const resourceKey = (venue: WantedVenue, key: string): string => `${venue.key}\n${key}`;

/** The beginning of a step of this resource. */
export function resourceStep<K extends Step['kind']>({ venue, resource }: StepBase, kind: K) {
  return { kind, venue, ...(resource === undefined ? {} : { resource }) };
}

/**
 * Stands where a fact of a new venue or resource belongs until all of it is there. It is inactive for as long, so that
 * nothing is sold of it, and an import that finds it knows that another was interrupted, and completes it (ADR 0011).
 */
export const UNFINISHED = 'Import not finished';

/** Whether the service has the resource as an import leaves it that was cut off. */
export const isHiddenNow = ({ fields }: CurrentResource): boolean =>
  fields['resource_type'] === UNFINISHED && fields['status'] === 'inactive';

type Hidden = { status: string | undefined; wasInterrupted: boolean; isWithVenue?: boolean };

/** What the last step of something hidden does, for the plan; a resource may go on sale only with its venue. */
export function completionNote({ status, wasInterrupted, isWithVenue = false }: Hidden): string {
  const sale = isWithVenue
    ? 'is complete, and goes on sale with the venue'
    : 'goes on sale, as the last step';
  const end = status === 'inactive' ? 'stays inactive, as the file says' : sale;
  return wasInterrupted ? `${end}: this completes an import that was interrupted` : end;
}
