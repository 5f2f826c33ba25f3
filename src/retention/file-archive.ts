import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeFolderDurably, PART, writeWhole } from '../platform/durable-files.ts';
import type { Archive } from './archive.ts';

/** An archive in a folder, which no other user of the machine can read. An object is a file, and its folders those of its name. */
export function createFileArchive(url: string): Archive {
  const root = fileURLToPath(url);
  return {
    put: async (name, content) => {
      const file = path.join(root, name);
      await makeFolderDurably(path.dirname(file));
      await writeWhole(file, content);
    },
    list: async (prefix) => {
      const found = await readdir(path.join(root, prefix), { recursive: true }).catch(noneWhereAbsent);
      return found.filter((name) => !name.endsWith(PART)).map((name) => path.posix.join(prefix, name));
    },
    get: (name, signal) => readFile(path.join(root, name), { signal }),
  };
}

function noneWhereAbsent(err: NodeJS.ErrnoException): string[] {
  if (err.code === 'ENOENT') return [];
  throw err;
}
