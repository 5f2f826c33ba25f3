const { createRequire } = require('node:module');

// Jest's own sequencer; this package does not depend on it directly.
const requireOfJest = createRequire(createRequire(require.resolve('jest')).resolve('@jest/core'));
const { default: Sequencer } = requireOfJest('@jest/test-sequencer');

/** The slowest suites, which have the smallest files. */
const LONGEST = /\/conformance\/(calls|webhooks)\.test\.ts$/;

/** Starts the slowest suites first. Without times of an earlier run, Jest sorts by file size. */
module.exports = class extends Sequencer {
  sort(tests) {
    const isLongest = ({ path }) => LONGEST.test(path);
    const sorted = super.sort(tests);
    return [...sorted.filter(isLongest), ...sorted.filter((test) => !isLongest(test))];
  }
};
