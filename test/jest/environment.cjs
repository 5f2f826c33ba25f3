const { TestEnvironment } = require('jest-environment-node');
const forbidProcesses = require('./no-processes.cjs');

/** What matchers and messages know values by. */
const SHARED = [
  'Array',
  'BigInt',
  'Boolean',
  'Date',
  'Error',
  'Function',
  'Map',
  'Number',
  'Object',
  'Promise',
  'RegExp',
  'Set',
  'String',
  'Symbol',
];

/**
 * Jest's own code stays in its virtual machine, and the suite is outside (runtime.cjs): here it gets the constructors and the
 * timers of the suite.
 */
module.exports = class NodeTestEnvironment extends TestEnvironment {
  constructor(config, context) {
    super(config, context);
    for (const name of SHARED) this.global[name] = globalThis[name];
    const FakeTimers = this.fakeTimersModern.constructor;
    this.fakeTimersModern = new FakeTimers({ config: config.projectConfig, global: globalThis });
  }

  async setup() {
    await super.setup();
    if ((process.env.TEST_TIER ?? 'fast') === 'fast') this.allowProcesses = forbidProcesses();
  }

  async teardown() {
    this.allowProcesses?.();
    await super.teardown();
  }
};
