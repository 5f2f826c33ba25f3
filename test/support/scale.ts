/**
 * How often something is tried that takes long: `full` in the long tier (`npm run test:long`), `short` in `npm test`, which has
 * to end within minutes on two cores.
 */
export const scaled = (full: number, short: number): number =>
  process.env['TEST_TIER'] === 'long' ? full : short;
