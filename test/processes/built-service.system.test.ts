import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, cp, lstat, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { compileProduct } from '../support/build-product.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/own-servers.ts';
import { isLongTier } from '../support/scale.ts';
import { dropDatabase } from '../support/service.ts';
import { freshName, serviceEnvironment } from '../support/service-environment.ts';
import { projectFolder } from '../support/worker-process.ts';

/** The user of the service. Not root, because root can write to read-only files. */
const NOBODY = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
/** Programs of the long tier only. Each start takes seconds, and the short tier starts one of the two workers. */
const LONG_TIER_PROGRAMS = ['dist/workers/hold-expiry.js', 'dist/src/main/rewrap-secrets.js'];
/** Run in this order: the first creates the database for the others. */
const PROGRAMS = [
  'dist/src/main/migrate.js',
  'dist/src/main/api.js',
  'dist/workers/webhook-delivery.js',
  ...(isLongTier ? LONG_TIER_PROGRAMS : []),
];
const staysUp = (program: string): boolean => program === 'dist/src/main/api.js' || program.startsWith('dist/workers/');

const run = promisify(execFile);
const environment = serviceEnvironment(freshName());
let folder = '';

/** Every file of the installation with its modification time. */
async function filesWithTimes(): Promise<string[]> {
  const names = await readdir(folder, { recursive: true });
  const files = names.map(async (name) => `${name} ${(await lstat(path.join(folder, name))).mtimeMs}`);
  return (await Promise.all(files)).toSorted();
}

/** Starts Node in the installation; returns its output and exit code. */
function start(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const child = spawn(process.execPath, args, { ...NOBODY, cwd: folder, env });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => void (output += chunk.toString()));
  const ended = once(child, 'close').then(([code]) => code as number | null);
  return { output: () => output, ended, stop: () => void child.kill('SIGTERM') };
}

describe('the service, installed as in its image', () => {
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'built-service-'));
    for (const name of ['package.json', 'package-lock.json', '.npmrc'])
      await cp(path.join(projectFolder, name), path.join(folder, name));
    const flags = ['--ignore-scripts', '--omit=dev', '--omit=optional', '--prefer-offline'];
    await run('npm', ['ci', ...flags], { cwd: folder });
    await compileProduct(path.join(folder, 'dist'));
    const assets = 'src/console/assets';
    await cp(path.join(projectFolder, assets), path.join(folder, 'dist', assets), { recursive: true });
    await run('chmod', ['-R', 'a-w,a+rX', folder]);
  }, 600_000);
  afterAll(async () => {
    await dropDatabase(environment['MONGODB_URI'] ?? '');
    await run('chmod', ['-R', 'u+w', folder]);
    await rm(folder, { recursive: true });
  }, 600_000);

  test.each(PROGRAMS)(
    '%s runs as nobody in a read-only folder, and writes nothing',
    async (program) => {
      const before = await filesWithTimes();
      const env = {
        ...environment,
        NODE_ENV: 'production',
        PORT: String(await freePort()),
        HEALTH_PORT: String(await freePort()),
        HOME: '/nonexistent',
        TMPDIR: '/nonexistent',
      };
      const { output, ended, stop } = start([program], env);
      if (staysUp(program)) {
        await eventually(`${program} is ready`, () => output().includes('"msg":"ready"'), 90_000);
        stop();
      }
      expect([program, await ended]).toEqual([program, 0]);
      expect(output()).not.toMatch(/EACCES|EROFS|EPERM/);
      expect(await filesWithTimes()).toEqual(before);
    },
    120_000,
  );

  test('has no development dependency, and its SBOM lists exactly the installed packages', async () => {
    const readJson = async (file: string) => JSON.parse(await readFile(path.join(folder, file), 'utf8'));
    const { packages } = (await readJson('node_modules/.package-lock.json')) as {
      packages: Record<string, { dev?: boolean }>;
    };
    expect(Object.values(packages).filter(({ dev }) => dev === true)).toEqual([]);
    const script = path.join(projectFolder, 'scripts/write-sbom.mjs');
    const { stdout } = await run(process.execPath, [script], { cwd: folder, maxBuffer: 64 * 1024 * 1024 });
    const { components } = JSON.parse(stdout) as {
      components: { purl: string; hashes?: unknown[]; licenses?: unknown[] }[];
    };
    const installed = Object.keys(packages).map(async (place) => {
      const { name, version } = (await readJson(`${place}/package.json`)) as Record<string, string>;
      return `pkg:npm/${name?.replace('@', '%40')}@${version}`;
    });
    const listed = components.map(({ purl }) => purl);
    expect(listed.toSorted()).toEqual((await Promise.all(installed)).toSorted());
    expect(listed).toContainEqual(expect.stringMatching(/^pkg:npm\/express@/));
    expect(components.filter(({ hashes, licenses }) => !hashes || !licenses)).toEqual([]);
  });

  test('control: the user nobody cannot write in the folder, and a written file would be noticed', async () => {
    const before = await filesWithTimes();
    const writing = start(['-e', 'require("node:fs").writeFileSync("written", "")']);
    expect(await writing.ended).toBe(1);
    expect(writing.output()).toMatch(/EACCES|EROFS|EPERM/);
    await chmod(folder, 0o755);
    await writeFile(path.join(folder, 'planted'), '');
    expect(await filesWithTimes()).not.toEqual(before);
  });
});
