import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { usageError } from './command-error.ts';

/**
 * Makes this process the only one that uses `file`, and resolves to what ends that. A process that died, killed even, is no obstacle.
 * Each puts down a file with its pid in the name before it looks for others, so that of two that start at once at least one sees
 * the other. @throws CommandError that names the process which has it
 */
export async function lockState(file: string): Promise<() => Promise<void>> {
  const folder = path.dirname(file);
  const own = `${file}.${process.pid}.lock`;
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeFile(own, '', { mode: 0o600 });
  } catch (failure) {
    const { code = 'unknown reason' } = failure as NodeJS.ErrnoException;
    throw usageError(`--state: nothing can be written to ${folder} (${code}). Name a file elsewhere.`);
  }
  for (const pid of await pidsAt(file)) {
    if (pid === process.pid) continue;
    if (await isAlive(pid)) {
      await rm(own, { force: true });
      throw usageError(
        `--state: ${file} is in use by process ${pid}. Stop that one, or give this one a file of its own.`,
      );
    }
    await rm(`${file}.${pid}.lock`, { force: true });
  }
  return () => rm(own, { force: true });
}

async function pidsAt(file: string): Promise<number[]> {
  const prefix = `${path.basename(file)}.`;
  const names = await readdir(path.dirname(file));
  return names
    .filter((name) => name.startsWith(prefix) && name.endsWith('.lock'))
    .map((name) => name.slice(prefix.length, -'.lock'.length))
    .filter((text) => /^\d+$/.test(text))
    .map(Number);
}

async function isAlive(pid: number): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch (failure) {
    // Another user's process is alive, too.
    return (failure as NodeJS.ErrnoException).code === 'EPERM';
  }
  // A dead process keeps its pid until its parent asks for it, which in a container may be never. Elsewhere there is no such file.
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return !/\) [ZX] /.test(stat);
}
