const { TEST_TIER: tier = 'fast' } = process.env;

/** Whether this is one of the long tiers: `npm run test:long`, `npm run test:faults`. */
export const isLongTier = ['long', 'faults'].includes(tier);

/** Whether this is `npm test`, in which nothing is started but the two servers. */
export const isFastTier = tier === 'fast';

/**
 * How often something is tried that takes long: `full` in the long tiers, `short` in the others, which have to end within minutes
 * on two cores.
 */
export const scaled = (full: number, short: number): number => (isLongTier ? full : short);

/**
 * All of `items` in the long tiers. Otherwise every third, which one to begin with depends on `turn`: so three rows in a row that
 * try the same items try all of them.
 */
export const sampled = <T>(items: readonly T[], turn: number): T[] =>
  items.filter((_item, index) => index % scaled(1, 3) === turn % scaled(1, 3));
