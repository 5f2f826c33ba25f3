/** Python programs for scripts and tests, each in its own environment in the cache folder. */

import { access, rename } from 'node:fs/promises';
import path from 'node:path';
import { cacheFolder, withScratchFolder } from '../src/development/embedded/binary-cache.ts';
import { type Environment, executablesOnPath, runCommand } from '../src/development/embedded/run-command.ts';

/** Versions by package name. The first package names the environment. */
type Packages = Readonly<Record<string, string>>;

/**
 * The Python executable of an environment with exactly these package versions. The first call creates the environment
 * with pip, in another folder, and moves it into place: concurrent calls are safe. Run programs of packages as modules
 * (`-m`), because their scripts contain the path of that other folder.
 *
 * @throws Error without Python 3 with venv and pip, or if pip fails or takes more than ten minutes
 */
export async function pythonEnvironment(
  packages: Packages,
  env: Environment,
  log: (line: string) => void,
): Promise<string> {
  const requirements = requirementsOf(packages);
  const [name = ''] = requirements;
  const home = path.join(cacheFolder(env), name.replace('==', '-'));
  if (!(await exists(home))) {
    log(`Installing ${requirements.join(', ')} with pip, once ...`);
    await withScratchFolder(env, async (folder) => {
      await installPackages(packages, folder, env);
      await rename(path.join(folder, 'venv'), home).catch(async (error: unknown) => {
        if (!(await exists(home))) throw error;
      });
    });
  }
  return path.join(home, 'bin', 'python');
}

/**
 * Creates an environment with these packages in `folder` and returns the folder of its programs.
 *
 * @throws Error as `pythonEnvironment` does
 */
export async function installPackages(packages: Packages, folder: string, env: Environment): Promise<string> {
  const requirements = requirementsOf(packages);
  const venv = path.join(folder, 'venv');
  const [python] = await executablesOnPath(['python3', 'python'], env);
  if (python === undefined)
    throw new Error(
      `${requirements.join(', ')}: needs Python 3.10 or newer with venv and pip; there is no python3 on the PATH.`,
    );
  const run = (command: string, args: readonly string[]) => runCommand(command, args, { ...env, TMPDIR: folder });
  await run(python, ['-m', 'venv', venv]);
  const quiet = ['--no-input', '--quiet', '--disable-pip-version-check'];
  await run(path.join(venv, 'bin', 'python'), ['-m', 'pip', 'install', ...quiet, ...requirements]);
  return path.join(venv, 'bin');
}

const requirementsOf = (packages: Packages): string[] =>
  Object.entries(packages).map(([name, version]) => `${name}==${version}`);

async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
