import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { projectFolder } from '../architecture/planted-tree.ts';
import { eventually } from '../support/eventually.ts';
import { isLongTier } from '../support/scale.ts';
import type { Service } from '../support/service.ts';
import { startService } from '../support/service.ts';

/** Root may write to what is read-only, so where this runs as root the service runs as nobody. */
const NOBODY = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
const PROGRAMS = ['dist/src/api.js', 'dist/workers/webhook-delivery.js', 'dist/src/rewrap-secrets.js'];

/** Every file of a folder with its time of change; what is linked to is not looked into. */
const filesOf = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => `${name} ${lstatSync(path.join(folder, name)).mtimeMs}`)
    .toSorted();

let folder = '';
let service: Service;

/** Starts a program; returns what it says and how it ends. */
function start(
  program: string,
  args: readonly string[],
  options: { uid?: number; gid?: number; env?: NodeJS.ProcessEnv; cwd: string },
) {
  const child = spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => void (said += chunk.toString()));
  const ended = once(child, 'close').then(([code]) => code as number | null);
  return { said: () => said, ended, stop: () => void child.kill('SIGTERM') };
}

// Compiling and three starts: not in `npm test`, which has to end within minutes.
(isLongTier ? describe : describe.skip)(
  `the built service${isLongTier ? '' : ' (in the long tiers only)'}`,
  () => {
    beforeAll(async () => {
      service = await startService();
      folder = mkdtempSync(path.join(tmpdir(), 'built-service-'));
      const tsc = path.join(projectFolder, 'node_modules/.bin/tsc');
      const built = start(tsc, ['-p', 'tsconfig.build.json', '--outDir', path.join(folder, 'dist')], {
        cwd: projectFolder,
      });
      if ((await built.ended) !== 0) throw new Error(built.said());
      for (const [from, to] of [
        ['src/console/assets', 'dist/src/console/assets'],
        ['package.json'],
        ['docs'],
      ]) {
        cpSync(path.join(projectFolder, from ?? ''), path.join(folder, to ?? from ?? ''), {
          recursive: true,
        });
      }
      symlinkSync(path.join(projectFolder, 'node_modules'), path.join(folder, 'node_modules'));
      await start('chmod', ['-R', 'a-w,a+rX', folder], { cwd: folder }).ended;
    }, 600_000);
    afterAll(async () => {
      rmSync(folder, { recursive: true, force: true });
      await service.stop();
    });

    test('runs as nobody in a folder that it cannot write to, and writes nothing', async () => {
      const before = filesOf(folder);
      const env = { ...service.environment, HOME: '/nonexistent', TMPDIR: '/nonexistent' };
      for (const program of PROGRAMS) {
        const { said, ended, stop } = start(process.execPath, [program], { ...NOBODY, cwd: folder, env });
        await eventually(`${program} is ready`, () => said().includes('"msg":"ready"'), 90_000);
        stop();
        expect([program, await ended]).toEqual([program, 0]);
        expect(said()).not.toMatch(/EACCES|EROFS|EPERM/);
      }
      expect(filesOf(folder)).toEqual(before);
    }, 300_000);

    test('control: nobody can write there, and what were written would be seen', async () => {
      const before = filesOf(folder);
      const write = ['-e', 'require("node:fs").writeFileSync("written", "")'];
      const writing = start(process.execPath, write, { ...NOBODY, cwd: folder });
      expect(await writing.ended).toBe(1);
      expect(writing.said()).toMatch(/EACCES|EROFS|EPERM/);
      chmodSync(folder, 0o755);
      writeFileSync(path.join(folder, 'planted'), '');
      expect(filesOf(folder)).not.toEqual(before);
    });
  },
);
