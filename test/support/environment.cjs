const { TestEnvironment } = require('jest-environment-node');
const watchLeaks = require('./leaks.cjs');
const forbidProcesses = require('./no-processes.cjs');

/** A map, as Jest empties every other object on the global of a suite when that ends. */
const keptByWorker = new Map();

/**
 * Node as Jest has it, with the `Error` that Node itself throws, so that `instanceof` knows those as in production. The suites
 * of `npm test` start no process in it, and leave nothing behind.
 */
module.exports = class extends TestEnvironment {
  async setup() {
    await super.setup();
    this.global.Error = Error;
    this.global.keptByWorker = keptByWorker;
    if ((process.env.TEST_TIER ?? 'fast') !== 'fast') return;
    this.requireNoLeaks = watchLeaks();
    this.allowProcesses = forbidProcesses();
  }

  async teardown() {
    this.allowProcesses?.();
    try {
      await this.requireNoLeaks?.();
    } finally {
      await super.teardown();
    }
  }
};
