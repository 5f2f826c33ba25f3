const childProcess = require('node:child_process');
const { syncBuiltinESMExports } = require('node:module');

const MESSAGE = 'A suite of `npm test` starts no process: name it *.system.test.ts, for `npm run test:system`';
const SYNCHRONOUS = ['execFileSync', 'execSync', 'spawnSync'];

/** Makes every way to start a process throw, browsers included, until the returned function is called. */
module.exports = function forbidProcesses() {
  const refuse = () => {
    throw new Error(MESSAGE);
  };
  const before = Object.fromEntries(SYNCHRONOUS.map((name) => [name, childProcess[name]]));
  // spawn, exec, execFile and fork all end here.
  const { spawn } = childProcess.ChildProcess.prototype;
  childProcess.ChildProcess.prototype.spawn = refuse;
  for (const name of SYNCHRONOUS) childProcess[name] = refuse;
  syncBuiltinESMExports();
  return () => {
    childProcess.ChildProcess.prototype.spawn = spawn;
    Object.assign(childProcess, before);
    syncBuiltinESMExports();
  };
};
