/** swc options that compile TypeScript for Node. */
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
 * The file name of a suite gives its tier. `npm test` runs suites of one process, `npm run test:system` suites that
 * start processes, servers or a browser, and `TEST_TIER=static npm test` suites that only read the repository. `long`
 * and `faults` select from all of these. Suites in `OWN_COMMANDS` run only by scripts/upgrade.ts (builds an earlier
 * release), scripts/topologies.ts (failovers), scripts/alert-trials.ts (waits for alerts) and `npm run test:clients`
 * (downloads generators and frameworks).
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
  // Suites of `npm test` mostly wait for leases, timers and servers: five keep two cores busy. Suites of the other
  // tiers start processes of their own.
  maxWorkers: tier === 'fast' ? 5 : 3,
  // Node never frees the code that a suite's virtual machine has evaluated (ADR 0025).
  workerIdleMemoryLimit: '1GB',
  testTimeout: 120_000,
  forceExit: false,
  detectOpenHandles: false,
};
