/**
 * How often something is tried that takes long: `full` in the long tiers (`npm run test:long`, `npm run test:faults`), `short`
 * in `npm test`, which has to end within minutes on two cores.
 */
export const scaled = (full: number, short: number): number =>
  ['long', 'faults'].includes(process.env['TEST_TIER'] ?? '') ? full : short;
