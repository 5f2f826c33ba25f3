/** The folder where downloaded server binaries are kept: one executable file per server. */

import { rmSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import type { Environment, ServerKind } from './server-kinds.ts';

const scratchPrefix = 'unfinished-';
const staleScratchMs = 60 * 60 * 1000;

/** `$PBS_CACHE_DIR`, else `$XDG_CACHE_HOME/partner-booking-service`, else the same under `~/.cache`. Absolute. */
export function cacheFolder(env: Environment): string {
  const own = env['PBS_CACHE_DIR'];
  if (own) return path.resolve(own);
  const base = env['XDG_CACHE_HOME'] || path.join(env['HOME'] || homedir(), '.cache');
  return path.join(path.resolve(base), 'partner-booking-service');
}

/** Where the cache holds this server's binary, whether or not it is there. */
export function cachedBinaryPath(kind: ServerKind, env: Environment): string {
  return path.join(cacheFolder(env), kind.cachedAs);
}

/**
 * Makes a proven binary the cached one. Atomic: `file` must lie in a scratch folder of the same cache, so that the
 * rename never leaves half a file, and of two processes that race the later one replaces the earlier. Returns the cached path.
 */
export async function moveIntoCache(file: string, kind: ServerKind, env: Environment): Promise<string> {
  const target = cachedBinaryPath(kind, env);
  await rename(file, target);
  return target;
}

/**
 * Runs `work` with a new scratch folder inside the cache and removes the folder afterwards, also when the process
 * exits in the middle. What a killed process left there more than an hour ago is removed first.
 */
export async function withScratchFolder<T>(
  env: Environment,
  work: (folder: string) => Promise<T>,
): Promise<T> {
  const cache = cacheFolder(env);
  await mkdir(cache, { recursive: true });
  await removeStaleScratch(cache);
  const folder = await mkdtemp(path.join(cache, scratchPrefix));
  const removeNow = (): void => rmSync(folder, { recursive: true, force: true });
  process.once('exit', removeNow);
  try {
    return await work(folder);
  } finally {
    process.removeListener('exit', removeNow);
    await rm(folder, { recursive: true, force: true });
  }
}

async function removeStaleScratch(cache: string): Promise<void> {
  const names = (await readdir(cache)).filter((name) => name.startsWith(scratchPrefix));
  for (const name of names) {
    const folder = path.join(cache, name);
    const { mtimeMs } = await stat(folder).catch(() => ({ mtimeMs: Date.now() }));
    if (Date.now() - mtimeMs > staleScratchMs) await rm(folder, { recursive: true, force: true });
  }
}
