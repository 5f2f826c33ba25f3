import { constants } from 'node:fs';
import { access, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';

const MEMORY_FOLDER = '/dev/shm';
const ROOMY_BYTES = 4 * 1024 ** 3;

/**
 * Where data that nobody keeps is written: in memory where the system has a folder for that with 4 GiB free, because every
 * acknowledged write is a journalled one and a slow disk would be waited for thousands of times; else the system's own folder
 * for temporary files.
 */
export async function temporaryParent(): Promise<string> {
  try {
    await access(MEMORY_FOLDER, constants.W_OK | constants.X_OK);
    const { bavail, bsize } = await statfs(MEMORY_FOLDER);
    return bavail * bsize >= ROOMY_BYTES ? MEMORY_FOLDER : tmpdir();
  } catch {
    return tmpdir();
  }
}
