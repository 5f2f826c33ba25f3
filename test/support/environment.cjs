const { TestEnvironment } = require('jest-environment-node');
const watchLeaks = require('./leaks.cjs');
const forbidProcesses = require('./no-processes.cjs');

/** A map, because Jest empties all other objects on a suite's global when the suite ends. */
const keptByWorker = new Map();

/**
 * Jest's Node environment with Node's own `Error`, so that `instanceof` works as in production. Suites of `npm test`
 * must start no process and leave nothing behind. After a failed test, or if the suite does not load, leaks are not
 * checked, so that the failure is reported.
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
