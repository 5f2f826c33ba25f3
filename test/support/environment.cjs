const { TestEnvironment } = require('jest-environment-node');
const watchLeaks = require('./leaks.cjs');
const forbidProcesses = require('./no-processes.cjs');

/** A map, as Jest empties every other object on the global of a suite when that ends. */
const keptByWorker = new Map();

/**
 * Node as Jest has it, with the `Error` that Node itself throws, so that `instanceof` knows those as in production. The suites
 * of `npm test` start no process in it, and leave nothing behind. A suite that does not load, or has a failed test, is not checked
 * for what it leaves behind, so that Jest reports the failure itself.
 */
module.exports = class extends TestEnvironment {
  async setup() {
    await super.setup();
    this.global.Error = Error;
    this.global.keptByWorker = keptByWorker;
    const { TEST_TIER: tier = 'fast' } = process.env;
    if (tier === 'fast') this.allowProcesses = forbidProcesses();
    if (tier !== 'static') this.requireNoLeaks = watchLeaks();
  }

  handleTestEvent({ name }) {
    if (name === 'run_start') this.isLoaded = true;
    if (name === 'test_fn_failure' || name === 'hook_failure') this.hasFailed = true;
  }

  async teardown() {
    this.allowProcesses?.();
    try {
      if (this.isLoaded && !this.hasFailed) await this.requireNoLeaks?.();
    } finally {
      await super.teardown();
    }
  }
};
