/** A source of numbers in [0, 1). */
export type Random = () => number;

/** The mulberry32 generator: a seed gives the same numbers on every machine. */
export function mulberry32(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The seed of a property test: `PROPERTY_SEED`, to repeat a failure or try other seeds, or a fixed one. */
export function propertySeed(): number {
  return Number(process.env['PROPERTY_SEED'] ?? 20_261_121);
}

/** A whole number from `min` to `max`, both included. */
export function integerBetween(random: Random, min: number, max: number): number {
  return min + Math.floor(random() * (max - min + 1));
}

/** One of `items`. Throws if there is none. */
export function pick<T>(random: Random, items: readonly T[]): T {
  const [item] = items.slice(integerBetween(random, 0, items.length - 1));
  if (item === undefined) throw new Error('There is nothing to pick from.');
  return item;
}
