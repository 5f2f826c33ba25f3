const childProcess = require('node:child_process');
const { syncBuiltinESMExports } = require('node:module');

const MESSAGE =
  'A suite of `npm test` must not start a process: name it *.system.test.ts, so that `npm run test:system` runs it';
const SYNCHRONOUS = ['execFileSync', 'execSync', 'spawnSync'];

/** Makes every way to start a process throw, browsers included, until the returned function is called. */
module.exports = function forbidProcesses() {
  const reject = () => {
    throw new Error(MESSAGE);
  };
  const before = Object.fromEntries(SYNCHRONOUS.map((name) => [name, childProcess[name]]));
  // spawn, exec, execFile and fork all call this method.
  const { spawn } = childProcess.ChildProcess.prototype;
  childProcess.ChildProcess.prototype.spawn = reject;
  for (const name of SYNCHRONOUS) childProcess[name] = reject;
  syncBuiltinESMExports();
  return () => {
    childProcess.ChildProcess.prototype.spawn = spawn;
    Object.assign(childProcess, before);
    syncBuiltinESMExports();
  };
};
