const { TEST_TIER: tier = 'fast' } = process.env;

/** Whether this is one of the long tiers: `scripts/test-long.sh`, `npm run test:faults`. */
export const isLongTier = ['long', 'faults'].includes(tier);

/** Whether this is `npm test`, in which nothing is started but the two servers. */
export const isFastTier = tier === 'fast';

/**
 * How often something is tried that takes long: `full` in the long tiers, `short` in the others, which have to end within minutes
 * on two cores.
 */
export const scaled = (full: number, short: number): number => (isLongTier ? full : short);
