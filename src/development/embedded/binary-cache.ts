/** The cache of downloaded server binaries: one executable file for each server. */

import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import type { Environment } from './run-command.ts';

const scratchPrefix = 'unfinished-';
const staleScratchMs = 60 * 60 * 1000;

/** `$PBS_CACHE_DIR`, else `partner-booking-service` in `$XDG_CACHE_HOME` or `~/.cache`; absolute. */
export function cacheFolder(env: Environment): string {
  const own = env['PBS_CACHE_DIR'];
  if (own) return path.resolve(own);
  const base = env['XDG_CACHE_HOME'] || path.join(env['HOME'] || homedir(), '.cache');
  return path.join(path.resolve(base), 'partner-booking-service');
}

/** Runs `work` with a scratch folder in the cache, then removes it. Also removes the folders of killed processes. */
export async function withScratchFolder<T>(env: Environment, work: (folder: string) => Promise<T>): Promise<T> {
  const cache = cacheFolder(env);
  await mkdir(cache, { recursive: true });
  for (const name of await readdir(cache)) {
    if (!name.startsWith(scratchPrefix)) continue;
    const scratch = path.join(cache, name);
    // Another process may have removed it.
    const { mtimeMs } = await stat(scratch).catch(() => ({ mtimeMs: Date.now() }));
    if (Date.now() - mtimeMs > staleScratchMs) await rm(scratch, { recursive: true, force: true });
  }
  const folder = await mkdtemp(path.join(cache, scratchPrefix));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
