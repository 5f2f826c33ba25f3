import type { CurrentResource } from './read-current.ts';

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
  const sale = isWithVenue ? 'is whole, and goes on sale with the venue' : 'goes on sale, as the last step';
  const end = status === 'inactive' ? 'stays inactive, as the file says' : sale;
  return wasInterrupted ? `${end}: this completes an import that was interrupted` : end;
}
