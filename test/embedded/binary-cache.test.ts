import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { cacheFolder, withScratchFolder } from '../../src/development/embedded/binary-cache.ts';
import { temporaryFolder } from './temporary-folder.ts';

describe('a scratch folder', () => {
  test('is removed when the work fails', async () => {
    const env = { PBS_CACHE_DIR: await temporaryFolder() };
    const fetching = withScratchFolder(env, async (folder) => {
      await writeFile(path.join(folder, 'mongod'), 'half');
      throw new Error('connection lost');
    });
    await expect(fetching).rejects.toThrow('connection lost');
    expect(await readdir(cacheFolder(env))).toEqual([]);
  });

  test('what a killed process left is removed later, and what a living one works on is not', async () => {
    const env = { PBS_CACHE_DIR: await temporaryFolder() };
    const old = path.join(cacheFolder(env), 'unfinished-old');
    for (const folder of [old, path.join(cacheFolder(env), 'unfinished-young')]) await mkdir(folder);
    const twoHoursAgo = new Date(Date.now() - 2 * 60 * 60 * 1000);
    await utimes(old, twoHoursAgo, twoHoursAgo);
    await withScratchFolder(env, async () => undefined);
    expect(await readdir(cacheFolder(env))).toEqual(['unfinished-young']);
  });
});
