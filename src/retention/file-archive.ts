import { mkdir, open, readdir, readFile, rename } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Archive } from './archive.ts';

/** What an object is called until it is whole. */
const PART = '.part';

/** An archive in a folder, which no other user of the machine can read. An object is a file, and its folders those of its name. */
export function createFileArchive(url: string): Archive {
  const root = fileURLToPath(url);
  return {
    put: async (name, content) => {
      const file = path.join(root, name);
      await makeFolder(path.dirname(file));
      await writeDurably(`${file}${PART}`, content);
      await rename(`${file}${PART}`, file);
      await syncFolder(path.dirname(file));
    },
    list: async (prefix) => {
      const found = await readdir(path.join(root, prefix), { recursive: true }).catch(noneWhereAbsent);
      return found.filter((name) => !name.endsWith(PART)).map((name) => path.posix.join(prefix, name));
    },
    get: (name, signal) => readFile(path.join(root, name), { signal }),
  };
}

async function writeDurably(file: string, content: Buffer): Promise<void> {
  const handle = await open(file, 'w', 0o600);
  try {
    await handle.writeFile(content);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** A new folder is there for good once the one in which it lies has been synced. */
async function makeFolder(folder: string): Promise<void> {
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

function noneWhereAbsent(err: NodeJS.ErrnoException): string[] {
  if (err.code === 'ENOENT') return [];
  throw err;
}
