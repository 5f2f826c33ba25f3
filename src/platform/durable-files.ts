import { mkdir, open, rename } from 'node:fs/promises';
import path from 'node:path';

/** What a file is called until it is whole. */
export const PART = '.part';

/** Writes a file that is there whole or not at all, also after a power cut, and that no other user of the machine can read. */
export async function writeWhole(file: string, content: Buffer | string): Promise<void> {
  const handle = await open(`${file}${PART}`, 'w', 0o600);
  try {
    await handle.writeFile(content);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(`${file}${PART}`, file);
  await syncFolder(path.dirname(file));
}

/** Makes a folder for this user alone, and those above it, where they are missing; a new one is there for good once the one in which it lies has been synced. */
export async function makeFolderDurably(name: string): Promise<void> {
  const folder = path.resolve(name);
  const first = await mkdir(folder, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  for (let made = folder; made.length >= first.length; made = path.dirname(made))
    await syncFolder(path.dirname(made));
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
