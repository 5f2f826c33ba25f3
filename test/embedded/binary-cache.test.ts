import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { cacheFolder, withScratchFolder } from '../../src/development/embedded/binary-cache.ts';
import { temporaryFolder } from './temporary-folder.ts';

describe('the cache folder', () => {
  test.each([
    [{ PBS_CACHE_DIR: '/own', XDG_CACHE_HOME: '/xdg', HOME: '/home/me' }, '/own'],
    [{ XDG_CACHE_HOME: '/xdg', HOME: '/home/me' }, '/xdg/partner-booking-service'],
    [{ HOME: '/home/me' }, '/home/me/.cache/partner-booking-service'],
  ])('of %j is %s', (env, folder) => {
    expect(cacheFolder(env)).toBe(folder);
  });
});

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
    const [old, young] = ['unfinished-old', 'unfinished-young'].map((name) =>
      path.join(cacheFolder(env), name),
    );
    for (const folder of [old ?? '', young ?? '']) await mkdir(folder);
    const twoHoursAgo = new Date(Date.now() - 2 * 60 * 60 * 1000);
    await utimes(old ?? '', twoHoursAgo, twoHoursAgo);
    await withScratchFolder(env, async () => undefined);
    expect(await readdir(cacheFolder(env))).toEqual(['unfinished-young']);
  });
});
