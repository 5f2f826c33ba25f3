const { TEST_TIER: tier = 'fast' } = process.env;

/** Whether this is a long tier: `scripts/test-long.sh`, `npm run test:faults`. */
export const isLongTier = ['long', 'faults'].includes(tier);

/** Whether this is `npm test`, whose suites start no process. */
export const isFastTier = tier === 'fast';

/** A size or time for the tier: `full` in the long tiers, `short` in the others, which have only minutes. */
export const scaled = (full: number, short: number): number => (isLongTier ? full : short);
