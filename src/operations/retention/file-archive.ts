import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeFolderDurably, PART, writeWhole } from '../../platform/durable-files.ts';
import type { Archive } from './archive.ts';

/**
 * An archive in a folder, of which no other user of the machine can read anything. An object is a file, and its folders those of its name.
 * The folder itself is never made: where a disk is not mounted, nothing is written to the one below.
 */
export function createFileArchive(url: string): Archive {
  const root = fileURLToPath(url);
  return {
    put: async (name, content) => {
      await requireFolder(root);
      const file = path.join(root, name);
      await makeFolderDurably(path.dirname(file));
      await writeWhole(file, content);
    },
    list: async (prefix) => {
      await requireFolder(root);
      const found = (await unlessAbsent(readdir(path.join(root, prefix), { recursive: true }))) ?? [];
      return found.filter((name) => !name.endsWith(PART)).map((name) => path.posix.join(prefix, name));
    },
    get: (name, signal) => unlessAbsent(readFile(path.join(root, name), { signal })),
  };
}

async function requireFolder(root: string): Promise<void> {
  const found = await unlessAbsent(stat(root));
  if (found === undefined)
    throw new Error(`The folder ${root} is not there: mount or make it, for the archive never does`);
  if (!found.isDirectory()) throw new Error(`${root} is no folder: the archive must be one`);
}

async function unlessAbsent<T>(found: Promise<T>): Promise<T | undefined> {
  try {
    return await found;
  } catch (err) {
    if ((err as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw err;
  }
}
