import type { BlackoutRow } from './blackouts.model.ts';

/** What of a blackout matters to slots. */
export type Blackout = Pick<BlackoutRow, 'startsAt' | 'endsAt' | 'resourceIds'>;

type Resource = { _id: string; sharesSpaceWith: readonly string[] };

/**
 * Whether a blackout keeps a window of the resource from being sold: it overlaps the window, and names the resource, or one
 * with which it shares ground, or all. It takes the ground that a claim on the named resources would take (ADR 0009).
 */
export function isBlackedOut(
  resource: Resource,
  window: { start: Date; end: Date },
  blackouts: readonly Blackout[],
): boolean {
  return blackouts.some(
    ({ startsAt, endsAt, resourceIds }) =>
      startsAt < window.end &&
      window.start < endsAt &&
      (resourceIds === null || resourceIds.some((id) => meets(resource, id))),
  );
}

function meets({ _id, sharesSpaceWith }: Resource, named: string): boolean {
  return _id === named || sharesSpaceWith.includes(named);
}

const MAX_DAYS = 366;
const DAY_MS = 86_400_000;

/** Why nothing can be closed in [startsAt, endsAt); null where it can. */
export function windowFault(startsAt: Date, endsAt: Date, now: Date): string | null {
  if (endsAt <= startsAt) return 'must be after starts_at';
  if (endsAt <= now) return 'is in the past: there is nothing left to close';
  return endsAt.getTime() - startsAt.getTime() > MAX_DAYS * DAY_MS
    ? `is more than ${MAX_DAYS} days after starts_at`
    : null;
}
