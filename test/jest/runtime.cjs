const { register } = require('node:module');
const { pathToFileURL } = require('node:url');
const { default: Runtime } = require('jest-runtime');

let suites = 0;

/**
 * Loads test files with Node's own `import` instead of Jest's modules in a virtual machine: packages are loaded once in a
 * worker, not once for each file, and tests meet the same module system and the same globals as the service does (ADR 0018).
 * The modules of this project are loaded anew for each file (loader.mjs).
 */
module.exports = class NodeRuntime extends Runtime {
  /** Of the environment, as the suite found them. */
  variables = { ...process.env };

  /** Otherwise Jest asks for `--experimental-vm-modules`, which nothing here needs. */
  unstable_shouldLoadAsEsm() {
    return true;
  }

  /** @param {string} file of a suite; each worker has one at a time */
  async unstable_importModule(file) {
    if (suites === 0)
      register('./loader.mjs', { parentURL: pathToFileURL(__filename), data: this._config.rootDir });
    suites += 1;
    // Node knows where the loader's code comes from; what Jest has installed in its place does not.
    process.setSourceMapsEnabled(true);
    delete Error.prepareStackTrace;
    globalThis[Symbol.for('@jest/globals')] = this.jestGlobals.cjsGlobals(file);
    await import(`${pathToFileURL(file).href}?suite=${suites}`);
  }

  teardown() {
    for (const name of Object.keys(process.env)) if (!(name in this.variables)) delete process.env[name];
    Object.assign(process.env, this.variables);
    super.teardown();
  }
};
