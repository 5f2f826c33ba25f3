const { createRequire } = require('node:module');

// Jest's own, which is no dependency of this package.
const requireOfJest = createRequire(createRequire(require.resolve('jest')).resolve('@jest/core'));
const { default: Sequencer } = requireOfJest('@jest/test-sequencer');

/** The longest suites, whose files are the shortest. */
const LONGEST = /\/conformance\/(calls|webhooks)\.test\.ts$/;

/** Starts the longest suites first, also where Jest has no times of an earlier run and sorts by the size of files. */
module.exports = class extends Sequencer {
  sort(tests) {
    const isLongest = ({ path }) => LONGEST.test(path);
    const sorted = super.sort(tests);
    return [...sorted.filter(isLongest), ...sorted.filter((test) => !isLongest(test))];
  }
};
