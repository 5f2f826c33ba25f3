import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { usageError } from './command-error.ts';

/**
 * Locks `file` for this process; resolves to the unlock function. Ignores locks of dead processes, even if their pid is
 * reused. Each process writes its own lock file (pid in the name, start time as content), then looks for others: of two
 * concurrent starts, at least one sees the other.
 * @throws CommandError that names the process with the lock
 */
export async function lockState(file: string): Promise<() => Promise<void>> {
  const folder = path.dirname(file);
  const ownLock = `${file}.${process.pid}.lock`;
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeFile(ownLock, await startOf(process.pid), { mode: 0o600 });
  } catch (failure) {
    const { code = 'unknown reason' } = failure as NodeJS.ErrnoException;
    throw usageError(`--state: nothing can be written to ${folder} (${code}). Name a file elsewhere.`);
  }
  for (const pid of await pidsAt(file)) {
    if (pid === process.pid) continue;
    const lock = `${file}.${pid}.lock`;
    if (await isHeld(lock, pid)) {
      await rm(ownLock, { force: true });
      throw usageError(
        `--state: ${file} is in use by process ${pid}. Stop that one, or name another file. If it is not a partner command, remove ${lock}.`,
      );
    }
    await rm(lock, { force: true });
  }
  return () => rm(ownLock, { force: true });
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

/** Whether the process that wrote the lock is running; true if that cannot be determined. */
async function isHeld(lock: string, pid: number): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch (failure) {
    // EPERM: the process is alive and belongs to another user.
    if ((failure as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  // A dead process keeps its pid until its parent reaps it, which in a container may be never.
  if (/^[ZX]/.test((await procFieldsOf(pid))[0] ?? '')) return false;
  const [lockStart, pidStart] = [await readFile(lock, 'utf8').catch(() => ''), await startOf(pid)];
  return lockStart === '' || pidStart === '' || lockStart === pidStart;
}

/** The start time of a process as text, to detect a reused pid. Empty if it cannot be determined. */
async function startOf(pid: number): Promise<string> {
  const ticks = (await procFieldsOf(pid))[19];
  if (ticks !== undefined) {
    const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => '');
    return `${boot.trim()} ${ticks}`;
  }
  if (process.platform === 'win32') return '';
  const env = { TZ: 'UTC', LC_ALL: 'C' };
  const args = ['-o', 'lstart=', '-p', String(pid)];
  try {
    const { stdout } = await promisify(execFile)('/bin/ps', args, { env });
    return stdout.trim();
  } catch {
    return '';
  }
}

/** The fields of proc(5) after the name, which may have any character. Empty without /proc. */
async function procFieldsOf(pid: number): Promise<string[]> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return text === '' ? [] : text.slice(text.lastIndexOf(')') + 2).split(' ');
}
