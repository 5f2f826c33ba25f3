import type { BlackoutRow } from './blackouts.model.ts';

/** What of a blackout matters to slots. */
export type Blackout = Pick<BlackoutRow, 'startsAt' | 'endsAt' | 'resourceIds'>;

type Resource = { _id: string; sharesSpaceWith: readonly string[] };

type Window = { start: Date; end: Date };

/**
 * Whether a blackout keeps a window of the resource from being sold: it overlaps the window, and names the resource, or one
 * with which it shares space, or all. It takes the space that a claim on the named resources would take (ADR 0009).
 */
export function isBlackedOut(resource: Resource, window: Window, blackouts: readonly Blackout[]): boolean {
  return blackedOutBy(resource, blackouts)(window);
}

/** The same for many windows of the resource: what a call costs hardly grows with the number of blackouts. */
export function blackedOutBy(
  resource: Resource,
  blackouts: readonly Blackout[],
): (window: Window) => boolean {
  const closures = unionOf(blackouts.filter((blackout) => closesSpaceOf(blackout, resource)));
  return ({ start, end }) => {
    const next = closures[countEndedBy(closures, start.getTime())];
    return next !== undefined && next.from < end.getTime();
  };
}

/** Whether it closes the resource at its time: it names the resource, or one with which it shares space, or all. */
export function closesSpaceOf(
  { resourceIds }: Pick<Blackout, 'resourceIds'>,
  { _id, sharesSpaceWith }: Resource,
): boolean {
  return resourceIds === null || resourceIds.some((id) => id === _id || sharesSpaceWith.includes(id));
}

/** [from, to) in epoch milliseconds. */
type Closure = { from: number; to: number };

/** The times that any of the blackouts covers, apart from each other and in order. */
function unionOf(blackouts: readonly Blackout[]): Closure[] {
  const spans = blackouts
    .map(({ startsAt, endsAt }) => ({ from: startsAt.getTime(), to: endsAt.getTime() }))
    .sort((a, b) => a.from - b.from);
  const union: Closure[] = [];
  for (const span of spans) {
    const last = union.at(-1);
    if (last !== undefined && span.from <= last.to) last.to = Math.max(last.to, span.to);
    else union.push(span);
  }
  return union;
}

/** How many of the closures have ended at `instant`; those are the first ones. */
function countEndedBy(closures: readonly Closure[], instant: number): number {
  let [low, high] = [0, closures.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((closures[middle]?.to ?? Infinity) <= instant) low = middle + 1;
    else high = middle;
  }
  return low;
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
