import { mkdir, open, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { takeLock } from './lock.ts';

export type Journal<Entry> = {
  /**
   * Resolves once the entry is on disk. Rejects if the write fails: the journal then lacks this entry, but still writes
   * later ones. Also rejects entries that fail `isEntry`.
   */
  append(entry: Entry): Promise<void>;
  /** The error of the last write; undefined if it succeeded. */
  failure(): Error | undefined;
  /** Resolves when pending writes have ended and the lock is released. */
  close(): Promise<void>;
};

type PendingEntry = { line: string; resolve: () => void; reject: (error: Error) => void };

/**
 * Opens a file of JSON lines for this process alone, and returns the entries that `keep` selects. Drops a last line
 * without a line break: its writer died before it acknowledged the entry.
 *
 * @throws Error if another process has the file open, or any other line fails `isEntry`
 */
export async function openJournal<Entry>(
  file: string,
  isEntry: (value: unknown) => value is Entry,
  keep: (entries: Entry[]) => Entry[] = (entries) => entries,
): Promise<{ entries: Entry[]; journal: Journal<Entry> }> {
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  const lock = await takeLock(file);
  try {
    const entries = await readEntries(file, isEntry, keep);
    return { entries, journal: await openToAppend(file, isEntry, lock.release) };
  } catch (error) {
    await lock.release();
    throw error;
  }
}

/** The entries that `keep` selects. Rewrites the file if its last line is torn or `keep` drops over half of it. */
async function readEntries<Entry>(
  file: string,
  isEntry: (value: unknown) => value is Entry,
  keep: (entries: Entry[]) => Entry[],
): Promise<Entry[]> {
  const text = await readFile(file, 'utf8').catch(emptyIfMissing);
  const lines = text.split('\n');
  const isLastLineTorn = lines.pop() !== '';
  if (isLastLineTorn) console.warn(`${file}: the last line was half written when a process died, and is dropped`);
  const all = lines.map((line, index) => {
    const value = parseLine(line);
    if (isEntry(value)) return value;
    throw new Error(`${file}:${index + 1} is no entry of this journal: restore the file, or remove the line`);
  });
  const entries = keep(all);
  if (isLastLineTorn || entries.length < all.length / 2) await replace(file, entries.map(toLine).join(''));
  return entries;
}

async function openToAppend<Entry>(
  file: string,
  isEntry: (value: unknown) => value is Entry,
  release: () => Promise<void>,
): Promise<Journal<Entry>> {
  const handle = await open(file, 'a', 0o600);
  await syncFolder(path.dirname(file));
  let { size: writtenBytes } = await handle.stat();
  let pending: PendingEntry[] = [];
  let writing: Promise<void> | undefined;
  let failure: Error | undefined;

  const write = async (text: string): Promise<void> => {
    // Cut off a half-written line, which would make the next line unreadable.
    if (failure !== undefined) await handle.truncate(writtenBytes);
    await handle.appendFile(text);
    await handle.datasync();
    writtenBytes += Buffer.byteLength(text);
    if (failure !== undefined) console.warn(`${file} is written again`);
    failure = undefined;
  };
  const writeAll = async (): Promise<void> => {
    while (pending.length > 0) {
      // The entries that came during the previous write share one sync.
      const batch = pending;
      pending = [];
      try {
        await write(batch.map(({ line }) => line).join(''));
        for (const { resolve } of batch) resolve();
      } catch (cause) {
        const error = cause instanceof Error ? cause : new Error(String(cause));
        if (failure === undefined)
          console.error(`${file} cannot be written: ${error.message}. Nothing is sold until it can`);
        failure = error;
        // Cut off the entries that are rejected below: a restart must not read them.
        await handle.truncate(writtenBytes).catch(() => undefined);
        for (const { reject } of batch) reject(error);
      }
    }
    writing = undefined;
  };
  return {
    append: (entry) =>
      new Promise((resolve, reject) => {
        const line = toLine(entry);
        if (!isEntry(parseLine(line))) throw new TypeError(`${file} takes no such entry: ${line}`);
        pending.push({ line, resolve, reject });
        writing ??= Promise.resolve().then(writeAll);
      }),
    failure: () => failure,
    close: async () => {
      await writing;
      await handle.close();
      await release();
    },
  };
}

const toLine = (entry: unknown): string => `${JSON.stringify(entry)}\n`;

/** The value, or undefined if the line is not JSON. */
function parseLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function emptyIfMissing(error: NodeJS.ErrnoException): string {
  if (error.code === 'ENOENT') return '';
  throw error;
}

/** Replaces the file atomically: after a crash it has its old or its new content. */
async function replace(file: string, content: string): Promise<void> {
  const next = `${file}.next`;
  await writeFile(next, content, { mode: 0o600, flush: true });
  await rename(next, file);
}

/** A new file survives a power loss only if its folder is synced too. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
