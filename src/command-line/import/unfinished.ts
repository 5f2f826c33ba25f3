/**
 * Stands where a fact of a new venue or resource belongs until all of it is there. It is inactive for as long, so that
 * nothing is sold of it, and an import that finds it knows that another was interrupted, and completes it (ADR 0011).
 */
export const UNFINISHED = 'Import not finished';

/** What the last step of something hidden does, for the plan. */
export function completionNote(status: string | undefined, wasInterrupted: boolean): string {
  const end = status === 'inactive' ? 'stays inactive, as the file says' : 'goes on sale, as the last step';
  return wasInterrupted ? `${end}: this completes an import that was interrupted` : end;
}
