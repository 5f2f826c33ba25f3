/** The fuzzer: a Python program, in an environment of its own in the project's cache folder. */

import { access, rename } from 'node:fs/promises';
import path from 'node:path';
import { cacheFolder, withScratchFolder } from '../../src/development/embedded/binary-cache.ts';
import { runBounded } from '../../src/development/embedded/bounded-command.ts';
import { executablesOnPath } from '../../src/development/embedded/executables.ts';

const VERSION = '4.32.5';
const STALL_MS = 120_000;

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The Python of an environment that has Schemathesis in exactly this version; made with pip when it is not there yet, and
 * kept. It is moved to its place when it is complete, so that one of two that install it at once simply comes too late.
 *
 * @throws Error when there is no Python 3 with venv and pip, or pip fails or makes no progress for two minutes
 */
export async function installFuzzer(env: Environment, log: (line: string) => void): Promise<string> {
  const home = path.join(cacheFolder(env), `schemathesis-${VERSION}`);
  if (!(await exists(home))) {
    log(`Installing schemathesis ${VERSION} with pip, once ...`);
    await withScratchFolder(env, async (folder) => {
      const made = path.join(folder, 'venv');
      await makeEnvironment(made, folder, env);
      await rename(made, home).catch(async (error: unknown) => {
        if (!(await exists(home))) throw error;
      });
    });
  }
  return path.join(home, 'bin', 'python');
}

async function makeEnvironment(made: string, folder: string, env: Environment): Promise<void> {
  const [python] = await executablesOnPath(['python3', 'python'], env);
  if (python === undefined)
    throw new Error(
      'The fuzzer needs Python 3.10 or newer with venv and pip; there is no python3 on the PATH.',
    );
  const run = (command: string, args: readonly string[]) =>
    runBounded({ command, args, env: { ...env, TMPDIR: folder }, folder, stallMs: STALL_MS });
  await run(python, ['-m', 'venv', made]);
  const quiet = ['--no-input', '--quiet', '--disable-pip-version-check'];
  await run(path.join(made, 'bin', 'python'), ['-m', 'pip', 'install', ...quiet, `schemathesis==${VERSION}`]);
}

async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
