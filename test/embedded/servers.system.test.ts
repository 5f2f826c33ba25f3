import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Redis } from 'ioredis';
import mongoose from 'mongoose';
import { isAlive, nodeArguments } from '../../src/development/embedded/processes.ts';
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
  await exited(child);
}

async function exited(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}

async function withClients<T>(
  answer: Answer,
  work: (mongo: mongoose.Connection, redis: Redis) => Promise<T>,
): Promise<T> {
  const mongo = await mongoose.createConnection(answer.mongodbUri).asPromise();
  // Without a password, the client emits an error in addition to rejecting each call.
  const redis = new Redis(answer.redisUrl).on('error', () => undefined);
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

  test('persists Redis data, never evicts keys, listens on loopback only, and has no fail points', async () => {
    const { mongodb, redis } = first.answer.pids;
    const seen = await withClients(first.answer, async (mongo, client) => ({
      redis: await client.info(),
      failPoints: await mongo.db
        ?.admin()
        .command({ configureFailPoint: 'failCommand', mode: 'off' })
        .then(() => 'allowed', String),
    }));
    expect(seen.redis).toMatch(/aof_enabled:1/);
    expect(seen.redis).toMatch(/maxmemory_policy:noeviction/);
    expect(seen.failPoints).toMatch(/no such command|not authorized/i);
    // Redis overwrites its arguments with its address.
    expect(await commandLineOf(redis)).toContain(' 127.0.0.1:');
    expect(await commandLineOf(mongodb)).toContain(' --bind_ip 127.0.0.1 ');
    expect(await commandLineOf(mongodb)).not.toMatch(/enableTestCommands/);
  });

  test('cannot be used without its passwords, which no command line shows', async () => {
    const { mongodbUri, redisUrl, pids } = first.answer;
    const port = (url: string) => Number(new URL(url).port);
    const anonymous = { mongodbUri: `mongodb://127.0.0.1:${port(mongodbUri)}/partner_booking` };
    const rejections = await withClients(
      { ...first.answer, ...anonymous, redisUrl: `redis://127.0.0.1:${port(redisUrl)}` },
      (mongo, redis) =>
        Promise.all([
          mongo.collection('notes').findOne({}).catch(String),
          mongo.db?.command({ createUser: 'me', pwd: 'me', roles: ['readWrite'] }).catch(String),
          mongo.db
            ?.admin()
            .command({ createUser: 'me', pwd: 'me', roles: ['root'] })
            .catch(String),
          redis.get('note').catch(String),
          redis.config('SET', 'dir', '/tmp').catch(String),
        ]),
    );
    expect(rejections.slice(0, 3)).toEqual(Array(3).fill(expect.stringMatching(/requires authentication/)));
    expect(rejections.slice(3)).toEqual(Array(2).fill(expect.stringMatching(/NOAUTH/)));

    const passwords = [mongodbUri, redisUrl].map((url) => new URL(url).password);
    for (const pid of [pids.mongodb, pids.redis])
      for (const password of passwords) expect(await commandLineOf(pid)).not.toContain(password);
    expect(passwords.map((password) => password.length)).toEqual([43, 43]);
  });

  test('protects its folder, and each file with a secret, from other users', async () => {
    const modeOf = async (name: string) => (await stat(path.join(folder, name))).mode & 0o777;
    expect(await modeOf('.')).toBe(0o700);
    const names = ['server-credentials.json', 'mongo.key', 'redis.users', 'ports.json'];
    expect(await Promise.all(names.map(modeOf))).toEqual(names.map(() => 0o600));
  });

  test('lets no user change Redis settings, neither its own user nor the tests’ user', async () => {
    const commands = [
      ...['CONFIG SET dir /tmp', 'CONFIG GET dir', 'ACL SETUSER me on nopass +@all', 'MODULE LOAD /tmp/x.so'],
      ...['DEBUG SLEEP 0', 'REPLICAOF 127.0.0.1 1', 'SLAVEOF 127.0.0.1 1', 'MIGRATE 127.0.0.1 1 key 0 10'],
      ...['SAVE', 'BGSAVE', 'MONITOR', 'FLUSHALL', 'CLIENT KILL TYPE normal', 'SHUTDOWN NOSAVE'],
    ];
    for (const redisUrl of [first.answer.redisUrl, process.env['TEST_REDIS_URL'] ?? '']) {
      const answers = await withClients({ ...first.answer, redisUrl }, (_mongo, redis) =>
        Promise.all(
          commands.map((command) => {
            const [name = '', ...args] = command.split(' ');
            return redis.call(name, ...args).catch(String);
          }),
        ),
      );
      expect(answers).toEqual(commands.map(() => expect.stringMatching(/NOPERM|command not allowed/)));
    }
  });
});

async function commandLineOf(pid: number): Promise<string> {
  return (await readFile(`/proc/${pid}/cmdline`, 'utf8')).replaceAll('\0', ' ');
}

test('if the process of a run is killed, even during Ctrl-C, both servers end, and the next run waits and starts', async () => {
  const first = await serve();
  const { mongodb, redis } = first.answer.pids;
  expect([isAlive(mongodb), isAlive(redis)]).toEqual([true, true]);
  // Signal the process group, as a terminal does. A watcher that handled SIGINT would leave its server running.
  process.kill(-(first.child.pid ?? 0), 'SIGINT');
  first.child.kill('SIGKILL');
  await exited(first.child);
  const second = await serve();
  expect(second.answer.error).toBeUndefined();
  await eventually('the servers of the killed run to be gone', () => !isAlive(mongodb) && !isAlive(redis));
  await stop(second.child);
  expect(isAlive(second.answer.pids.mongodb) || isAlive(second.answer.pids.redis)).toBe(false);
});
