/**
 * Installs the dependencies of the lockfile if they are missing, so that `npm start`, `npm test` and `npm run demo`
 * work as the first command in a fresh clone. Prints nothing if all are installed. Uses only Node's own modules.
 * Concurrent runs wait for the run that installs.
 */

import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.resolve(fileURLToPath(new URL('..', import.meta.url)));
const lockFolder = path.join(root, '.cache', 'install-once.lock');
const ownerFile = path.join(lockFolder, 'pid');
const pollMs = 200;
/** A process creates the lock, then writes its id. Without an id after this time, the process was killed. */
const ownerGraceMs = 5_000;

if (!isInstalled()) {
  takeLock();
  try {
    if (!isInstalled()) install();
  } finally {
    rmSync(lockFolder, { recursive: true, force: true });
  }
}

/** Compares the lockfile with npm's record of its last complete install. Optional packages may be missing. */
function isInstalled() {
  const locked = packagesIn('package-lock.json');
  const installed = packagesIn(path.join('node_modules', '.package-lock.json'));
  if (locked === undefined || installed === undefined) return false;
  return Object.entries(locked).every(
    ([name, entry]) => !name.includes('node_modules/') || entry.optional || installed[name]?.version === entry.version,
  );
}

function packagesIn(file) {
  try {
    return JSON.parse(readFileSync(path.join(root, file), 'utf8')).packages;
  } catch {
    return undefined;
  }
}

function install() {
  console.error('Installing the dependencies (npm ci) ...');
  const npm = process.env.npm_execpath;
  const [command, ...prefix] = npm ? [process.execPath, npm] : ['npm'];
  const options = { cwd: root, stdio: 'inherit', shell: !npm && process.platform === 'win32' };
  const { status, error } = spawnSync(command, [...prefix, 'ci', '--include=dev'], options);
  if (status === 0) return;
  console.error(`npm ci failed${error ? `: ${error.message}` : ''}. Run it by hand to see why.`);
  process.exitCode = 1;
}

function takeLock() {
  mkdirSync(path.dirname(lockFolder), { recursive: true });
  for (let waited = false; ; waited = true) {
    try {
      mkdirSync(lockFolder);
      writeFileSync(ownerFile, String(process.pid));
      return;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
    if (isStale()) rmSync(lockFolder, { recursive: true, force: true });
    else {
      if (!waited) console.error('Waiting for another process that installs the dependencies ...');
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pollMs);
    }
  }
}

function isStale() {
  try {
    const owner = readFileSync(ownerFile, 'utf8');
    return owner !== '' && !isAlive(Number(owner));
  } catch {
    return ageOf(lockFolder) > ownerGraceMs;
  }
}

function ageOf(folder) {
  try {
    return Date.now() - statSync(folder).mtimeMs;
  } catch {
    return 0;
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}
