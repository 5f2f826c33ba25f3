import { readFileSync } from 'node:fs';

const bundled = JSON.parse(
  readFileSync(new URL('test/support/bundled-packages.json', import.meta.url), 'utf8'),
);

/** @type {import('jest').Config} */
export default {
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  extensionsToTreatAsEsm: ['.ts', '.tsx'],
  transform: {
    '\\.tsx?$': [
      '@swc/jest',
      {
        jsc: {
          parser: { syntax: 'typescript', tsx: true },
          transform: { react: { runtime: 'automatic', importSource: 'preact' } },
          target: 'es2023',
          experimental: { keepImportAttributes: true },
        },
        module: { type: 'es6' },
        sourceMaps: 'inline',
      },
    ],
  },
  // Each of these in one file (test/support/builds.ts): every suite loads them anew, and file by file that takes a second.
  moduleNameMapper: { [`^(${bundled.join('|')})$`]: '<rootDir>/.cache/test-packages/$1.cjs' },
  globalSetup: '<rootDir>/test/support/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/.cache/', '<rootDir>/.data/'],
  // Every suite talks to a real MongoDB and Redis, and some wait for processes: a third keeps two cores busy meanwhile.
  maxWorkers: 3,
  testTimeout: 120_000,
  forceExit: false,
  detectOpenHandles: false,
};
