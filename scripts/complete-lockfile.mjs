// Completes package-lock.json with the packages of other platforms that npm left out. Run it after `npm install`:
// node scripts/complete-lockfile.mjs [--hashes]
//
// Native packages list one optional dependency per platform. If a mirror lacks some of them, npm leaves them out of the
// lockfile, and `npm ci` then rejects that lockfile on every machine. An entry needs only the version, which the parent
// pins, and the platform, which the name contains. npm does not verify an entry without a hash. --hashes adds missing
// hashes: run it with a registry that has these packages.

import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const file = fileURLToPath(new URL('../package-lock.json', import.meta.url));
const lock = JSON.parse(readFileSync(file, 'utf8'));

/** `["linux"]`, `["arm64"]` and `["glibc"]` or undefined, from a name such as `@scope/binding-linux-arm64-gnu`. */
function platformOf(name) {
  const words = name.slice(name.lastIndexOf('/') + 1).split('-');
  const os = words.find((word) =>
    /^(aix|android|darwin|freebsd|linux|netbsd|openbsd|openharmony|sunos|win32)$/.test(word),
  );
  const cpu = words.find((word) => /^(arm|arm64|ia32|loong64|mips64el|ppc64|riscv64|s390x|x64)$/.test(word));
  if (os === undefined || cpu === undefined) throw new Error(`${name} does not name its platform`);
  const libc = { gnu: 'glibc', glibc: 'glibc', musl: 'musl' }[words.at(-1)];
  return { os: [os], cpu: [cpu], libc: os === 'linux' && libc !== undefined ? [libc] : undefined };
}

/** Whether Node resolves `name` from the package at `path`. */
function isLocked(path, name) {
  for (let folder = path; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
    if (`${folder}${folder === '' ? '' : '/'}node_modules/${name}` in lock.packages) return true;
    if (folder === '') return false;
  }
}

const missing = Object.entries(lock.packages).flatMap(([path, { optionalDependencies = {}, dev }]) =>
  Object.entries(optionalDependencies)
    .filter(([name]) => !isLocked(path, name))
    .map(([name, version]) => ({ name, version, dev })),
);
for (const { name, version, dev } of missing) {
  if (!/^\d+\.\d+\.\d+$/.test(version))
    throw new Error(`The parent of ${name} must pin it to one version, and names ${version}`);
  const { os, cpu, libc } = platformOf(name);
  // Use npm's own order of keys: otherwise the next `npm install` would change the entry.
  lock.packages[`node_modules/${name}`] = { version, cpu, dev, libc, optional: true, os };
}

/** The SHA-512 of this version; undefined if the registry in use lacks it. */
function hashOf(name, version) {
  const view = spawnSync('npm', ['view', `${name}@${version}`, 'dist.integrity'], { encoding: 'utf8' });
  const [hash] = /^sha512-[A-Za-z0-9+/]{86}==$/m.exec(view.stdout) ?? [];
  return hash;
}

if (process.argv.includes('--hashes')) {
  const lacksHash = ([path, { integrity }]) => path !== '' && integrity === undefined;
  for (const [path, { version, ...rest }] of Object.entries(lock.packages).filter(lacksHash)) {
    const integrity = hashOf(path.slice(path.lastIndexOf('node_modules/') + 13), version);
    if (integrity !== undefined) lock.packages[path] = { version, integrity, ...rest };
    console.log(`${path}: ${integrity ?? 'not in the registry'}`);
  }
}

lock.packages = Object.fromEntries(Object.entries(lock.packages).toSorted(([a], [b]) => a.localeCompare(b, 'en')));
writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
console.log(`${missing.length} packages of other platforms added`);
