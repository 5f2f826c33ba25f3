import { mkdir, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';

export type Journal<Entry> = {
  /** Resolves once the entry is on the disk. After a failed write it rejects until the journal is opened again. */
  append(entry: Entry): Promise<void>;
  /** Resolves when all that was appended is on the disk and the file is free for the next writer. */
  close(): Promise<void>;
};

type Waiting = { line: string; resolve: () => void; reject: (error: unknown) => void };

/**
 * Opens a file of JSON lines for this process alone and returns what is in it, as far as `keep` wants it. A last line without an end was
 * being written when a process died; nobody was told that it was there, so it is left out.
 *
 * @throws Error where another process has the file open, or a line is not JSON
 */
export async function openJournal<Entry>(
  file: string,
  keep: (entries: Entry[]) => Entry[] = (entries) => entries,
): Promise<{ entries: Entry[]; journal: Journal<Entry> }> {
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  const lock = `${file}.lock`;
  await takeLock(lock);
  const text = await readFile(file, 'utf8').catch(emptyIfMissing);
  const lines = text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .slice(0, -1);
  const read = lines.map((line, index) => parseLine(line, `${file}:${index + 1}`) as Entry);
  const entries = keep(read);
  const isTorn = text !== '' && !text.endsWith('\n');
  if (isTorn || entries.length < read.length / 2) await replace(file, entries.map(toLine).join(''));
  const handle = await open(file, 'a', 0o600);
  await syncFolder(path.dirname(file));

  let waiting: Waiting[] = [];
  let writing: Promise<void> | undefined;
  let failure: Error | undefined;

  const writeAll = async (): Promise<void> => {
    while (waiting.length > 0) {
      // Those that came while the one before was written share one sync.
      const batch = waiting;
      waiting = [];
      try {
        // Behind a line that was half written the next one could not be read.
        if (failure !== undefined) throw failure;
        await handle.appendFile(batch.map(({ line }) => line).join(''));
        await handle.datasync();
        for (const { resolve } of batch) resolve();
      } catch (error) {
        failure ??= error instanceof Error ? error : new Error(String(error));
        for (const { reject } of batch) reject(error);
      }
    }
    writing = undefined;
  };
  return {
    entries,
    journal: {
      append: (entry) =>
        new Promise((resolve, reject) => {
          waiting.push({ line: toLine(entry), resolve, reject });
          writing ??= Promise.resolve().then(writeAll);
        }),
      close: async () => {
        await writing;
        await handle.close();
        await rm(lock, { force: true });
      },
    },
  };
}

const toLine = (entry: unknown): string => `${JSON.stringify(entry)}\n`;

function emptyIfMissing(error: NodeJS.ErrnoException): string {
  if (error.code === 'ENOENT') return '';
  throw error;
}

/** The file has either its old or its new content, whenever the machine stops. */
async function replace(file: string, content: string): Promise<void> {
  const next = `${file}.next`;
  await writeFile(next, content, { mode: 0o600, flush: true });
  await rename(next, file);
}

function parseLine(line: string, place: string): unknown {
  try {
    return JSON.parse(line);
  } catch (cause) {
    throw new Error(`${place} is not JSON: restore the file, or take the line out by hand`, { cause });
  }
}

/** A file that was just made is found after a loss of power only if its folder was synced too. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** A lock whose owner has died is taken over. */
async function takeLock(lock: string): Promise<void> {
  try {
    await writeFile(lock, String(process.pid), { flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    const owner = Number(await readFile(lock, 'utf8'));
    // The number of this very process was that of the owner in the container before.
    if (owner !== process.pid && isAlive(owner))
      throw new Error(
        `Process ${owner} writes ${lock.slice(0, -5)}: end it first, or give DATA_DIR another folder`,
        {
          cause: error,
        },
      );
    await rm(lock, { force: true });
    await writeFile(lock, String(process.pid), { flag: 'wx' });
  }
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
