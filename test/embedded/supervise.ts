/** A program for supervised-process.system.test.ts: `<program> <log file>`; supervises it and passes its ready message on. */

import { superviseProcess } from '../../src/development/start/supervised-process.ts';

const [file = '', logFile = ''] = process.argv.slice(2);
const supervised = superviseProcess({
  ...{ name: 'child', file, logFile },
  ...{ env: process.env, log: (line) => process.stderr.write(`${line}\n`) },
});
process.send?.(await supervised.ready);
