import { chmod, readdir, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { lockDataFolder } from '../../src/development/embedded/data-folder.ts';
import { ensureFreePort } from '../../src/development/embedded/ports.ts';
import { temporaryFolder } from './temporary-folder.ts';

let folder: string;
beforeEach(async () => {
  folder = await temporaryFolder();
});

describe('the lock of a data folder', () => {
  test('rejects a second user while the first lives, and admits one after its release', async () => {
    const release = await lockDataFolder(folder);
    await expect(lockDataFolder(folder)).rejects.toThrow(`${folder} is in use by process ${process.pid}`);
    await release();
    await lockDataFolder(folder);
  });

  test.each([
    ['of a process that is gone', '999999999 1'],
    ['of an earlier process whose id belongs to a live process now', `${process.pid} 1`],
    ['that is damaged', 'nonsense'],
  ])('%s is stale and taken over', async (_what, content) => {
    await writeFile(path.join(folder, 'lock'), content);
    await lockDataFolder(folder);
    expect(await readdir(folder)).toEqual(['lock']);
  });

  test('of many concurrent users, one gets it', async () => {
    const wants = Array.from({ length: 8 }, () =>
      lockDataFolder(folder).then(
        () => 'got',
        () => 'refused',
      ),
    );
    expect((await Promise.all(wants)).filter((outcome) => outcome === 'got')).toHaveLength(1);
  });
});

describe('other users of the machine', () => {
  const modeOf = async (file: string) => (await stat(file)).mode & 0o777;

  test('cannot read a new folder, nor one that an earlier version left readable', async () => {
    const newFolder = path.join(folder, 'new');
    await lockDataFolder(newFolder);
    expect(await modeOf(newFolder)).toBe(0o700);
    await writeFile(path.join(folder, 'secrets.json'), '{}');
    await chmod(folder, 0o755);
    await lockDataFolder(folder);
    expect(await modeOf(folder)).toBe(0o700);
  });

  test('keep their files: a folder that is open to them and has other files is rejected and unchanged', async () => {
    await writeFile(path.join(folder, 'holiday.jpg'), '');
    await chmod(folder, 0o777);
    await expect(lockDataFolder(folder)).rejects.toThrow(`chmod 700 ${folder}`);
    expect([await modeOf(folder), await readdir(folder)]).toEqual([0o777, ['holiday.jpg']]);
  });
});

test('ports are chosen once per name, distinct, and below the ports of outgoing connections', async () => {
  const ports = async () => [await port('mongo'), await port('redis')];
  const port = (name: 'mongo' | 'redis') => ensureFreePort(folder, name, () => undefined);
  const first = await ports();
  expect(await ports()).toEqual(first);
  expect(new Set(first).size).toBe(2);
  for (const each of first) expect(each).toBeLessThan(32_768);
});
