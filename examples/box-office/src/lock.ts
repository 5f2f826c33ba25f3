import { readFile, rm, writeFile } from 'node:fs/promises';

/** Locks `file` for writing, also if a dead process has the lock. @throws Error if its owner is alive */
export async function takeLock(file: string): Promise<{ release: () => Promise<void> }> {
  const lock = `${file}.lock`;
  try {
    await writeFile(lock, String(process.pid), { flag: 'wx' });
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'EEXIST') throw cause;
    const owner = Number(await readFile(lock, 'utf8'));
    // A lock with this process id is left from an earlier container.
    if (owner !== process.pid && isAlive(owner))
      throw new Error(`Process ${owner} writes ${file}: end it first, or give DATA_DIR another folder`, {
        cause,
      });
    await rm(lock, { force: true });
    await writeFile(lock, String(process.pid), { flag: 'wx' });
  }
  return { release: () => rm(lock, { force: true }) };
}

function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
