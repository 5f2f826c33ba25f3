import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Redis } from 'ioredis';
import mongoose from 'mongoose';
import { nodeArguments } from '../../src/embedded/node-arguments.ts';
import { isAlive } from '../../src/embedded/process-table.ts';
import { temporaryParent } from '../../src/embedded/temporary-folder.ts';
import { eventually } from '../support/eventually.ts';
import { temporaryFolder } from './temporary-folder.ts';

type Answer = {
  mongodbUri: string;
  redisUrl: string;
  pids: { mongodb: number; redis: number };
  error?: string;
};

const program = fileURLToPath(new URL('./serve.ts', import.meta.url));
const started: ChildProcess[] = [];
let folder: string;

beforeAll(async () => {
  folder = await temporaryFolder();
});
afterAll(() => {
  for (const child of started) child.kill('SIGKILL');
});

async function serve(dataDir = folder): Promise<{ child: ChildProcess; answer: Answer }> {
  const stdio = ['ignore' as const, 'inherit' as const, 'inherit' as const, 'ipc' as const];
  const child = spawn(process.execPath, [...nodeArguments(program), dataDir], { stdio, detached: true });
  started.push(child);
  const [answer] = (await once(child, 'message')) as [Answer];
  return { child, answer };
}

async function stop(child: ChildProcess): Promise<void> {
  child.send('stop');
  await ended(child);
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}

async function withClients<T>(
  answer: Answer,
  work: (mongo: mongoose.Connection, redis: Redis) => Promise<T>,
): Promise<T> {
  const mongo = await mongoose.createConnection(answer.mongodbUri).asPromise();
  const redis = new Redis(answer.redisUrl);
  try {
    return await work(mongo, redis);
  } finally {
    await mongo.close();
    await redis.quit();
  }
}

describe('a run', () => {
  let first: Awaited<ReturnType<typeof serve>>;
  beforeAll(async () => {
    first = await serve();
  });
  afterAll(() => stop(first.child));

  test('keeps what Redis has, never evicts, listens on loopback only, and has no fail points', async () => {
    const seen = await withClients(first.answer, async (mongo, redis) => {
      const options = await mongo.db?.admin().command({ getCmdLineOpts: 1 });
      const names = ['appendonly', 'appendfsync', 'maxmemory-policy', 'bind'];
      return {
        redis: await Promise.all(names.map(async (name) => (await redis.config('GET', name)).at(1))),
        mongodb: [options?.['parsed'].net.bindIp, options?.['parsed'].storage.engine],
        failPoints: await tryFailPoint(mongo),
      };
    });
    expect(seen.redis).toEqual(['yes', 'everysec', 'noeviction', '127.0.0.1']);
    expect(seen.mongodb).toEqual(['127.0.0.1', 'wiredTiger']);
    expect(seen.failPoints).toMatch(/no such command/i);
  });

  test('goes on when a second one wants its folder, which is refused in a sentence', async () => {
    const second = await serve();
    expect(second.answer.error).toContain(`${folder} is in use by process ${first.child.pid}`);
    expect(second.answer.error).toContain('DATA_DIR=');
    expect(await withClients(first.answer, (_mongo, redis) => redis.ping())).toBe('PONG');
  });
});

test('the servers of a test run allow fail points', async () => {
  const mongo = await mongoose.createConnection(process.env['TEST_MONGODB_URI'] ?? '').asPromise();
  expect(await tryFailPoint(mongo)).toBe('allowed');
  await mongo.close();
});

function tryFailPoint(mongo: mongoose.Connection): Promise<string> | undefined {
  const command = { configureFailPoint: 'failCommand', mode: 'off' };
  return mongo.db
    ?.admin()
    .command(command)
    .then(() => 'allowed', String);
}

test('what was written is there after a restart, at the same addresses', async () => {
  const first = await serve();
  await withClients(first.answer, async (mongo, redis) => {
    await mongo
      .collection('notes')
      .insertOne({ text: 'kept' }, { writeConcern: { w: 'majority', journal: true } });
    await redis.set('note', 'kept');
  });
  await stop(first.child);
  const second = await serve();
  const found = await withClients(second.answer, async (mongo, redis) => [
    (await mongo.collection('notes').findOne({}))?.['text'],
    await redis.get('note'),
  ]);
  expect(found).toEqual(['kept', 'kept']);
  expect(second.answer.mongodbUri).toBe(first.answer.mongodbUri);
  expect(second.answer.redisUrl).toBe(first.answer.redisUrl);
  await stop(second.child);
});

test('when its process is killed, even during a Ctrl-C, both servers end, and the next run waits for that and starts', async () => {
  const first = await serve();
  const { mongodb, redis } = first.answer.pids;
  expect([isAlive(mongodb), isAlive(redis)]).toEqual([true, true]);
  // To the process group, as a terminal does; a watcher that takes it would leave its server behind.
  process.kill(-(first.child.pid ?? 0), 'SIGINT');
  first.child.kill('SIGKILL');
  await ended(first.child);
  const second = await serve();
  expect(second.answer.error).toBeUndefined();
  await eventually(
    'the servers of the killed run to be gone',
    () => !isAlive(mongodb) && !isAlive(redis),
    20_000,
  );
  await stop(second.child);
  expect(isAlive(second.answer.pids.mongodb) || isAlive(second.answer.pids.redis)).toBe(false);
});

test('when another program has a kept port, the message says which and what to do, and nothing runs', async () => {
  const own = await temporaryFolder();
  const squatter = createServer().listen(0, '127.0.0.1');
  await once(squatter, 'listening');
  const { port } = squatter.address() as AddressInfo;
  await writeFile(path.join(own, 'ports.json'), JSON.stringify({ redis: port }));
  const { child, answer } = await serve(own);
  await ended(child);
  squatter.close();
  expect(answer.error).toContain(
    `Port ${port} on 127.0.0.1, which this data folder keeps for redis, is taken`,
  );
  expect(answer.error).toContain('Stop that program');
  expect(await readdir(own)).toContain('mongo');
  expect(await readdir(own)).not.toContain('lock');
});

test('without a folder of its own a run leaves no files', async () => {
  const { startTestServers } = await import('../support/servers.ts');
  const before = await temporaryNames();
  const servers = await startTestServers();
  expect(await temporaryNames()).toHaveLength(before.length + 1);
  await servers.stop();
  expect(await temporaryNames()).toEqual(before);
});

async function temporaryNames(): Promise<string[]> {
  const names = await readdir(await temporaryParent());
  return names.filter((name) => name.startsWith(`partner-booking-servers-${process.pid}-`));
}
