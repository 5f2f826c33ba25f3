/** How TypeScript becomes what Node runs. */
const COMPILED = {
  swcrc: false,
  jsc: {
    parser: { syntax: 'typescript', tsx: true },
    transform: { react: { runtime: 'automatic', importSource: 'preact' } },
    target: 'es2023',
    experimental: { keepImportAttributes: true },
  },
  module: { type: 'es6' },
  sourceMaps: 'inline',
};

/**
 * A suite says its tier by its name. `npm test` runs what one process can show, `npm run test:system` what starts processes,
 * servers or a browser, `TEST_TIER=static npm test` what reads the repository only; the long tiers have them all. `node --import tsx scripts/upgrade.ts`
 * builds a former release first, `node --import tsx scripts/topologies.ts` runs servers that stand in for each other, `node --import tsx scripts/alert-trials.ts` waits
 * for alerts, and `npm run test:clients` fetches generators and frameworks of other people.
 */
const OWN_COMMANDS = '!**/*.{upgrade,topology,alerts,clients}.test.ts';
const SUITES = {
  fast: ['<rootDir>/test/**/*.test.ts', '!**/*.{system,static}.test.ts', OWN_COMMANDS],
  system: ['<rootDir>/test/**/*.system.test.ts'],
  static: ['<rootDir>/test/**/*.static.test.ts'],
  long: ['<rootDir>/test/**/*.test.ts', OWN_COMMANDS],
  faults: ['<rootDir>/test/**/*.test.ts', OWN_COMMANDS],
  upgrade: ['<rootDir>/test/**/*.upgrade.test.ts'],
  topologies: ['<rootDir>/test/**/*.topology.test.ts'],
  alerts: ['<rootDir>/test/**/*.alerts.test.ts'],
  clients: ['<rootDir>/test/**/*.clients.test.ts'],
};
const { TEST_TIER: tier = 'fast' } = process.env;
if (!Object.hasOwn(SUITES, tier))
  throw new Error(`TEST_TIER is ${tier}, and none of ${Object.keys(SUITES).join(', ')}`);

/** @type {import('jest').Config} */
export default {
  testMatch: SUITES[tier],
  testEnvironment: '<rootDir>/test/support/environment.cjs',
  testSequencer: '<rootDir>/test/support/sequencer.cjs',
  extensionsToTreatAsEsm: ['.ts', '.tsx'],
  transform: { '\\.tsx?$': ['@swc/jest', COMPILED] },
  ...(tier === 'static'
    ? {}
    : {
        globalSetup: '<rootDir>/test/support/global-setup.ts',
        globalTeardown: '<rootDir>/test/support/global-teardown.ts',
      }),
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/.cache/', '<rootDir>/.data/'],
  // Suites of `npm test` wait for leases, timers and servers longer than they compute: five keep two cores busy. In the
  // other tiers suites start processes of their own.
  maxWorkers: tier === 'fast' ? 5 : 3,
  // Node keeps what a virtual machine has evaluated (ADR 0025).
  workerIdleMemoryLimit: '1GB',
  testTimeout: 120_000,
  forceExit: false,
  detectOpenHandles: false,
};
