import { mkdir, open, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';

/** The suffix of a file that is not complete yet. */
export const PART = '.part';

/** Writes a file atomically and durably, readable by this user only. */
export async function writeWhole(file: string, content: Buffer | string): Promise<void> {
  await writeFile(`${file}${PART}`, content, { mode: 0o600, flush: true });
  await rename(`${file}${PART}`, file);
  await syncFolder(path.dirname(file));
}

/** Creates a folder and its missing parents for this user only, durably. */
export async function makeFolderDurably(name: string): Promise<void> {
  const folder = path.resolve(name);
  const firstCreated = await mkdir(folder, { recursive: true, mode: 0o700 });
  if (firstCreated === undefined) return;
  // A new folder is durable once its parent has been synced.
  for (let created = folder; created.length >= firstCreated.length; created = path.dirname(created)) {
    await syncFolder(path.dirname(created));
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
