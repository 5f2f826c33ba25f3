const { TestEnvironment } = require('jest-environment-node');
const watchLeaks = require('./leaks.cjs');
const forbidProcesses = require('./no-processes.cjs');

/** Values that the suites of a worker share. A map, because Jest empties other objects on a global when suites end. */
const keptByWorker = new Map();

/**
 * Jest's Node environment with Node's own `Error`, so that `instanceof` works as in production. A suite of `npm test`
 * that starts a process or leaves anything behind fails. If a test fails or the suite does not load, leaks are not
 * checked, so that only that failure is reported.
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
