import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, lstatSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { ReplayedImage } from '../../scripts/replay-image.ts';
import { bytesIn, replayImage } from '../../scripts/replay-image.ts';
import { projectFolder } from '../architecture/planted-tree.ts';
import { eventually } from '../support/eventually.ts';
import { isLongTier } from '../support/scale.ts';
import { dropDatabase } from '../support/service.ts';
import { freshName, serviceEnvironment } from '../support/service-environment.ts';

/** Root may write to what is read-only, so where this runs as root the service runs as nobody. */
const NOBODY = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
/** Starting each takes seconds: in `npm run test:system` one worker stands for the other. */
const OTHERS = ['dist/workers/hold-expiry.js', 'dist/src/rewrap-secrets.js'];
/** In this order: the first makes the database that the others need. */
const PROGRAMS = [
  ...['dist/src/migrate.js', 'dist/src/api.js', 'dist/workers/webhook-delivery.js'],
  ...(isLongTier ? OTHERS : []),
];
const staysUp = (program: string): boolean =>
  program === 'dist/src/api.js' || program.startsWith('dist/workers/');

/** Every file of a folder with its time of change; what is linked to is not looked into. */
const filesOf = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => `${name} ${lstatSync(path.join(folder, name)).mtimeMs}`)
    .toSorted();

let scratch = '';
let folder = '';
let image: ReplayedImage;
const environment = serviceEnvironment(freshName());

/** The exit code of the image's health check in a container with these settings. */
async function healthOf(env: Record<string, string>): Promise<number | null> {
  const [command = '', ...args] = image.healthCheck;
  return start(command, args, { ...NOBODY, cwd: folder, env: { PATH: process.env['PATH'], ...env } }).ended;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

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

describe('the image, replayed', () => {
  beforeAll(async () => {
    scratch = mkdtempSync(path.join(tmpdir(), 'built-service-'));
    image = await replayImage(projectFolder, scratch);
    folder = image.folder;
    await start('chmod', ['-R', 'a-w,a+rX', folder], { cwd: scratch }).ended;
    await start('chmod', ['a+rX', scratch], { cwd: scratch }).ended;
  }, 600_000);
  afterAll(async () => {
    await dropDatabase(environment['MONGODB_URI'] ?? '');
    // 70,000 files: on a busy disk Node takes minutes to remove them one after the other.
    await start('rm', ['-rf', scratch], { cwd: tmpdir() }).ended;
  }, 600_000);

  test.each(PROGRAMS)(
    '%s runs as nobody in a folder that it cannot write to, writes nothing, and is healthy',
    async (program) => {
      const before = filesOf(folder);
      // One file of settings for all processes has both, of which each listens on one.
      const asked = { PORT: String(await freePort()), HEALTH_PORT: String(await freePort()) };
      const env = {
        ...environment,
        ...image.env,
        ...asked,
        ADMIN_HOST: '127.0.0.1',
        HOME: '/nonexistent',
        TMPDIR: '/nonexistent',
      };
      const { said, ended, stop } = start(process.execPath, [program], { ...NOBODY, cwd: folder, env });
      if (staysUp(program)) {
        await eventually(`${program} is ready`, () => said().includes('"msg":"ready"'), 90_000);
        expect([program, await healthOf(asked)]).toEqual([program, 0]);
        stop();
      }
      expect([program, await ended]).toEqual([program, 0]);
      expect(said()).not.toMatch(/EACCES|EROFS|EPERM/);
      expect(await healthOf(asked)).not.toBe(0);
      expect(filesOf(folder)).toEqual(before);
    },
    120_000,
  );

  test('has no development dependency, and a list of exactly what is installed', () => {
    const { packages } = JSON.parse(
      readFileSync(path.join(folder, 'node_modules/.package-lock.json'), 'utf8'),
    ) as { packages: Record<string, { version: string; dev?: boolean }> };
    expect(Object.values(packages).filter(({ dev }) => dev === true)).toEqual([]);
    const { components } = JSON.parse(readFileSync(path.join(folder, 'sbom.cdx.json'), 'utf8')) as {
      components: { purl: string; hashes?: unknown[]; licenses?: unknown[] }[];
    };
    const installed = Object.keys(packages).map((place) => {
      const { name, version } = JSON.parse(
        readFileSync(path.join(folder, place, 'package.json'), 'utf8'),
      ) as { name: string; version: string };
      return `pkg:npm/${name.replace('@', '%40')}@${version}`;
    });
    expect(components.map(({ purl }) => purl).toSorted()).toEqual(installed.toSorted());
    expect(installed).toContain(`pkg:npm/express@${packages['node_modules/express']?.version}`);
    expect(components.filter(({ hashes, licenses }) => !hashes || !licenses)).toEqual([]);
  });

  test('is as small as the page on security says', () => {
    const [, told] =
      /(\d+) MB of files/.exec(readFileSync(path.join(projectFolder, 'docs/security.md'), 'utf8')) ?? [];
    expect(Math.abs(bytesIn(folder) / 1e6 - Number(told))).toBeLessThan(8);
  });

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
});
