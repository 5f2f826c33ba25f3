/** Length of one cell. Slot lengths and operating hours are multiples of it. */
export const CELL_MINUTES = 5;

const CELL_MS = CELL_MINUTES * 60_000;

type Window = { start: Date; end: Date };
type Sharing = { _id: string; sharesSpaceWith: readonly string[] };

/**
 * The cells that a claim on [start, end) fills: `<space>@<YYYYMMDDHHmm>` in UTC, for every space and 5-minute step.
 *
 * Two windows that overlap by any amount in a common space share at least one cell, which is what the unique index on
 * cells rejects. Windows off the 5-minute grid are widened to the grid, so that this stays true. Windows on the grid
 * that only touch share no cell.
 *
 * @throws RangeError without a space, or when `start` is not before `end`: a claim without cells would guard nothing.
 */
export function cellsOf(spaces: readonly string[], start: Date, end: Date): string[] {
  if (spaces.length === 0 || !(start < end)) {
    throw new RangeError('A claim needs a space and a start that is before its end.');
  }
  const steps: string[] = [];
  const firstMs = firstStep(start) * CELL_MS;
  for (let atMs = firstMs; atMs < end.getTime(); atMs += CELL_MS) steps.push(stepOf(new Date(atMs)));
  return spaces.flatMap((space) => steps.map((step) => `${space}@${step}`));
}

/** Whether two windows in one space share a cell, without making the cells. */
export function shareStep(a: Window, b: Window): boolean {
  return firstStep(a.start) < stepsEnd(b.end) && firstStep(b.start) < stepsEnd(a.end);
}

const firstStep = (start: Date): number => Math.floor(start.getTime() / CELL_MS);
const stepsEnd = (end: Date): number => Math.ceil(end.getTime() / CELL_MS);

/** The cells of shared space that a window of a resource fills. */
export function sharedCellsOfWindow({ _id, sharesSpaceWith }: Sharing, { start, end }: Window): string[] {
  const shared = spacesOf(_id, sharesSpaceWith).slice(1);
  return shared.length === 0 ? [] : cellsOf(shared, start, end);
}

/** The cells that a claim on a window of a resource fills. */
export function cellsOfWindow({ _id, sharesSpaceWith }: Sharing, { start, end }: Window): string[] {
  return cellsOf(spacesOf(_id, sharesSpaceWith), start, end);
}

/**
 * The spaces that a resource fills: its own, and one for each resource with which it shares space, named by the pair in
 * alphabetical order (`turf-a+turf-full`). A full turf thus shares a space with each of its halves, and the halves
 * share none. `sharesSpaceWith` must name the other resource on both sides.
 */
export function spacesOf(resourceId: string, sharesSpaceWith: readonly string[]): string[] {
  const others = new Set(sharesSpaceWith);
  others.delete(resourceId);
  return [resourceId, ...[...others].map((other) => [resourceId, other].sort().join('+'))];
}

/** The resources with slots that a claim on a resource blocks, sorted; absent if the claim blocks no other. */
export function resourcesAffected({ _id, sharesSpaceWith }: Sharing): { resourceIdsAffected?: string[] } {
  const ids = new Set([_id, ...sharesSpaceWith]);
  return ids.size === 1 ? {} : { resourceIdsAffected: [...ids].sort() };
}

/** `YYYYMMDDHHmm` in UTC. Availability needs thousands of them; slicing ISO text takes three times as long. */
function stepOf(instant: Date): string {
  const day = (instant.getUTCFullYear() * 100 + instant.getUTCMonth() + 1) * 100 + instant.getUTCDate();
  return String(day * 10_000 + instant.getUTCHours() * 100 + instant.getUTCMinutes());
}
