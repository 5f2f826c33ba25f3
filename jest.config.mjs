import { SWC_OPTIONS } from './test/jest/swc-options.mjs';

/** @type {import('jest').Config} */
export default {
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  // Suites are loaded by Node itself (ADR 0018); Jest's own loader has what is left: the global setup.
  runtime: '<rootDir>/test/jest/runtime.cjs',
  testEnvironment: '<rootDir>/test/jest/environment.cjs',
  transform: { '\\.tsx?$': ['@swc/jest', SWC_OPTIONS] },
  globalSetup: '<rootDir>/test/support/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/.cache/', '<rootDir>/.data/'],
  // Every suite talks to a real MongoDB and Redis, and some wait for processes: a third keeps two cores busy meanwhile.
  maxWorkers: 3,
  testTimeout: 120_000,
  forceExit: false,
  detectOpenHandles: false,
};
