import { type ExecFileException, execFile } from 'node:child_process';
import { access, constants, stat } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

/** Environment variables; only entry points read `process.env`. */
export type Environment = Record<string, string | undefined>;

export type LogLine = (line: string) => void;

const run = promisify(execFile);
/** Enough for a download on a slow line, or a build on a slow machine. */
const timeoutMs = 10 * 60 * 1000;

/** Runs a command and returns its output. @throws Error with its last lines if it fails, or after `withinMs` */
export async function runCommand(
  command: string,
  args: readonly string[],
  env: Environment,
  withinMs = timeoutMs,
): Promise<string> {
  try {
    const { stdout } = await run(command, args, { env, timeout: withinMs, maxBuffer: 64 * 1024 * 1024 });
    return stdout;
  } catch (error) {
    throw new Error(reasonOf(error as ExecFileException, withinMs), { cause: error });
  }
}

function reasonOf({ killed, stderr, message }: ExecFileException, withinMs: number): string {
  if (killed) return `no end within ${withinMs / 1000} s`;
  return (stderr?.trim() || message).split('\n').slice(-2).join(' ');
}

/** The absolute paths of all executables on the PATH with these names, in the order of `names`, then of the PATH. */
export async function executablesOnPath(names: readonly string[], env: Environment): Promise<string[]> {
  const folders = (env['PATH'] ?? '').split(path.delimiter).filter((folder) => path.isAbsolute(folder));
  const files = names.flatMap((name) => folders.map((folder) => path.join(folder, name)));
  const found = await Promise.all(files.map(isExecutable));
  return files.filter((_file, index) => found[index]);
}

export async function isExecutable(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return (await stat(file)).isFile();
  } catch {
    return false;
  }
}
