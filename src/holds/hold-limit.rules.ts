/**
 * One of the ordinals below `limit` that are not taken, drawn at random so that calls which race seldom want the same; undefined
 * where all of them are taken.
 */
export function freeOrdinal(taken: readonly number[], limit: number): number | undefined {
  const below = [...new Set(taken)].filter((each) => each < limit).sort((a, b) => a - b);
  if (below.length >= limit) return undefined;
  let ordinal = Math.floor(Math.random() * (limit - below.length));
  for (const each of below) if (each <= ordinal) ordinal += 1;
  return ordinal;
}
