import type { BlackoutRow } from './blackouts.model.ts';

type Blackout = Pick<BlackoutRow, 'startsAt' | 'endsAt' | 'resourceIds'>;

type Resource = { _id: string; sharesSpaceWith: readonly string[] };

type Window = { start: Date; end: Date };

export function isBlackedOut(resource: Resource, window: Window, blackouts: readonly Blackout[]): boolean {
  return blackouts.some((blackout) => closes(blackout, resource, window));
}

/** Whether a blackout overlaps the window and closes the resource, one that shares its space, or the whole venue. */
export function closes(
  { startsAt, endsAt, resourceIds }: Blackout,
  { _id, sharesSpaceWith }: Resource,
  { start, end }: Window,
): boolean {
  const isOfResource = resourceIds === null || resourceIds.some((id) => id === _id || sharesSpaceWith.includes(id));
  return isOfResource && startsAt < end && endsAt > start;
}

const MAX_DAYS = 366;
const DAY_MS = 86_400_000;

/** Why [startsAt, endsAt) cannot be closed; null if it can. */
export function windowFault(startsAt: Date, endsAt: Date, now: Date): string | null {
  if (endsAt <= startsAt) return 'must be after starts_at';
  if (endsAt <= now) return 'is in the past: there is nothing left to close';
  return endsAt.getTime() - startsAt.getTime() > MAX_DAYS * DAY_MS
    ? `is more than ${MAX_DAYS} days after starts_at`
    : null;
}
