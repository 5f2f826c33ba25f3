/** Looks at files that may be executable programs. */

import { execFile } from 'node:child_process';
import { access, constants, stat } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Environment, ServerKind } from './server-kinds.ts';

const run = promisify(execFile);
const versionTimeoutMs = 15_000;

/** Absolute paths of the executable files of these names on the PATH: by name first, then by folder. */
export async function executablesOnPath(names: readonly string[], env: Environment): Promise<string[]> {
  const folders = (env['PATH'] ?? '').split(path.delimiter).filter((folder) => path.isAbsolute(folder));
  const files = names.flatMap((name) => folders.map((folder) => path.join(folder, name)));
  const found = await Promise.all(files.map(isExecutable));
  return files.filter((_file, index) => found[index]);
}

/** True for a regular file (or a link to one) that this user may run. */
export async function isExecutable(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return (await stat(file)).isFile();
  } catch {
    return false;
  }
}

/**
 * Runs the server's binary with `--version`, which also proves that its shared libraries are there. Returns the version, or
 * in `fault` why the binary is of no use, as the rest of a sentence that begins with its name.
 */
export async function askVersion(
  kind: ServerKind,
  file: string,
): Promise<{ version: string; fault?: never } | { version?: never; fault: string }> {
  // redis-memory-server puts such a path in quotes and then looks for a file whose name has quotes.
  if (kind.name === 'redis-server' && /\s/.test(file))
    return { fault: 'cannot be used: its path has a space' };
  try {
    const { stdout } = await run(file, ['--version'], { timeout: versionTimeoutMs });
    const version = kind.versionPattern.exec(stdout)?.[1];
    if (version === undefined) return { fault: `is not a ${kind.name}, judging by its --version` };
    const [major = 0, minor = 0] = version.split('.').map(Number);
    const [oldestMajor, oldestMinor] = kind.oldest;
    const isOldEnoughToFail = major < oldestMajor || (major === oldestMajor && minor < oldestMinor);
    if (isOldEnoughToFail)
      return { fault: `is ${version}; ${oldestMajor}.${oldestMinor} or newer is needed` };
    return { version };
  } catch (error) {
    return { fault: `does not run: ${reasonOf(error)}` };
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const stderr = 'stderr' in error && typeof error.stderr === 'string' ? error.stderr.trim() : '';
  if ('killed' in error && error.killed) return `no response within ${versionTimeoutMs / 1000} s`;
  return (stderr || error.message).split('\n')[0] ?? '';
}
