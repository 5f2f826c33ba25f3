/** The data folder of `npm start`: its lock, which allows one run at a time, and its small JSON files. */

import { constants } from 'node:fs';
import { access, chmod, link, mkdir, readdir, readFile, rename, rm, stat, statfs, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { isAlive, isCode, startedAt } from './processes.ts';

/** A folder that contains one of these files belongs to an earlier run. */
const ownFiles = ['lock', 'ports.json', 'secrets.json'];
const otherUsersMask = 0o077;

/**
 * Locks the folder for this process, after creating it and closing it to other users if necessary. Returns the release.
 * The lock names a process and is stale once that process is gone. On Linux the lock also has the start time, because
 * another process can get the same number. If two processes replace a stale lock concurrently, mongod's lock stops one.
 * @throws Error if a running process has the lock, or if other users may use a folder of unknown files
 */
export async function lockDataFolder(folder: string): Promise<() => Promise<void>> {
  await ensurePrivate(folder);
  const file = path.join(folder, 'lock');
  const candidate = `${file}.${process.pid}`;
  await writeFile(candidate, `${process.pid} ${startedAt(process.pid)}\n`);
  try {
    await removeIfStale(file, folder);
    await link(candidate, file).catch((error: unknown) => {
      throw isCode(error, 'EEXIST') ? inUse(folder, 'another process') : error;
    });
    return () => rm(file, { force: true });
  } finally {
    await rm(candidate, { force: true });
  }
}

/** Closes a folder to other users. Throws if it has only unknown files, which may be meant for them. */
async function ensurePrivate(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const { mode } = await stat(folder);
  if ((mode & otherUsersMask) === 0) return;
  const names = await readdir(folder);
  const isOwn = names.length === 0 || ownFiles.some((name) => names.includes(name));
  if (!isOwn)
    throw new Error(
      `Other users of this machine may use ${folder}, which will hold customers' data and passwords. ` +
        `Close it to them (chmod 700 ${folder}), or set DATA_DIR to an empty folder of your own.`,
    );
  await chmod(folder, 0o700);
}

async function removeIfStale(file: string, folder: string): Promise<void> {
  const content = await readIfExists(file);
  // Remove nothing: another process may be about to create the lock.
  if (content === undefined) return;
  const [pid, started] = content.trim().split(' ');
  if (isAlive(Number(pid)) && startedAt(Number(pid)) === started) throw inUse(folder, `process ${pid}`);
  await rm(file, { force: true });
}

function inUse(folder: string, holder: string): Error {
  return new Error(
    `${folder} is in use by ${holder}: this system is running already. Stop that one first (Ctrl-C in its ` +
      'terminal), or start this one on another folder: DATA_DIR=.data2 PORT=0 ADMIN_PORT=0 npm start',
  );
}

export async function readState(folder: string, name: string): Promise<Record<string, unknown>> {
  const text = await readIfExists(path.join(folder, name));
  if (text === undefined) return {};
  const value: unknown = JSON.parse(text);
  if (typeof value === 'object' && value !== null) return { ...value };
  throw new Error(`${path.join(folder, name)} does not contain a JSON object; repair or delete it`);
}

/** Reads the named texts from a JSON file of the folder; makes and stores missing ones. */
export async function ensureTexts<Name extends string>(
  folder: string,
  file: string,
  makers: Readonly<Record<Name, () => string>>,
): Promise<Record<Name, string>> {
  const stored = await readState(folder, file);
  const missing = Object.entries<() => string>(makers).filter(([name]) => !stored[name]);
  const texts = { ...stored, ...Object.fromEntries(missing.map(([name, make]) => [name, make()])) };
  if (missing.length > 0) await writeState(folder, file, texts);
  return texts as Record<Name, string>;
}

/** Replaces a JSON file of the folder atomically, readable by its owner only. */
export async function writeState(folder: string, name: string, state: object): Promise<void> {
  const file = path.join(folder, name);
  await writeFile(`${file}.new`, `${JSON.stringify(state, null, 2)}\n`, { mode: 0o600 });
  await rename(`${file}.new`, file);
}

async function readIfExists(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (isCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

const MEMORY_FOLDER = '/dev/shm';
const MIN_FREE_BYTES = 4 * 1024 ** 3;

/**
 * The folder for temporary data: in memory if 4 GiB are free there, else the system's folder. Every acknowledged write
 * is journalled, so a slow disk would delay thousands of writes.
 */
export async function temporaryParent(): Promise<string> {
  try {
    await access(MEMORY_FOLDER, constants.W_OK | constants.X_OK);
    const { bavail, bsize } = await statfs(MEMORY_FOLDER);
    return bavail * bsize >= MIN_FREE_BYTES ? MEMORY_FOLDER : tmpdir();
  } catch {
    return tmpdir();
  }
}
