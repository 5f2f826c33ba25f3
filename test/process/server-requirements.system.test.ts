import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Redis } from 'ioredis';
import { createLogger } from '../../src/platform/logger.ts';
import { createDb, openDb } from '../../src/platform/mongo-connection.ts';
import { Refusal, UnsupportedServerError } from '../../src/platform/server-requirements.rules.ts';
import { loadConfig } from '../../src/process/config/config.ts';
import { requireSupportedRedis } from '../../src/process/server-requirements.ts';
import { eventually } from '../support/eventually.ts';
import { bareMongod, ownRedis } from '../support/own-servers.ts';
import { databaseUri, freshName, SHARED_NAME, serviceEnvironment } from '../support/service-environment.ts';
import type { SpawnedProcess } from '../support/worker-process.ts';
import { endProcesses, startProcess } from '../support/worker-process.ts';

const PRODUCTION = { SERVICE_MODE: 'production' };
const environment = (overrides: Record<string, string>) => serviceEnvironment(freshName(), overrides);

const [standalone, uninitiated, evictingRedis, volatileRedis] = await Promise.all([
  bareMongod(),
  bareMongod(['--replSet', 'rs0']),
  ownRedis(['--maxmemory-policy', 'allkeys-lru']),
  ownRedis(),
]);
beforeAll(() => Promise.all([standalone, uninitiated, volatileRedis].map((each) => each.start())));
afterAll(async () => {
  await endProcesses();
  await Promise.all([standalone, uninitiated, evictingRedis, volatileRedis].map((each) => each.discard()));
});

/** The exit code and fatal log lines of a process that must refuse to run. */
async function refusalOf(process: SpawnedProcess): Promise<{ code: number | null; fatal: unknown[] }> {
  const { code } = await process.exited;
  return { code, fatal: process.log().flatMap((line) => (line['level'] === 'fatal' ? [line['msg']] : [])) };
}

/** A readable log, and a signal that ends waiting. */
function captureLog() {
  const lines: string[] = [];
  const stopping = new AbortController();
  return {
    log: createLogger('test', 'info', { write: (line) => void lines.push(line) }),
    logged: () => lines.join(''),
    stopping,
  };
}

describe('a MongoDB that is no replica set', () => {
  const refused = {
    code: 1,
    fatal: [expect.stringMatching(/^This MongoDB is not a replica set\. .*--replSet rs0, run rs\.initiate\(\)/)],
  };

  test('ends the API, a worker and the migration with a message that says how to initiate one', async () => {
    // Without a set name in the URI, the driver connects. With one, the driver ignores this server.
    const withSetName = environment({ MONGODB_URI: `${standalone.uri}?replicaSet=rs0` });
    const withoutSetName = environment({ MONGODB_URI: standalone.uri });
    const processes = [
      startProcess('src/main/api.ts', withSetName),
      startProcess('workers/hold-expiry.ts', withoutSetName),
      startProcess('src/main/migrate.ts', withSetName),
    ];
    expect(await Promise.all(processes.map(refusalOf))).toEqual([refused, refused, refused]);
  });

  test('is awaited until its set is initiated, with one log line', async () => {
    const { log, logged, stopping } = captureLog();
    const db = createDb();
    const opened = openDb(db, `${uninitiated.uri}?replicaSet=rs0`, log, stopping.signal);
    try {
      await eventually('the remedy is logged', () => logged().includes('run rs.initiate() once'));
      const initiator = createDb();
      await initiator.openUri(`${uninitiated.uri}?directConnection=true`);
      const host = new URL(uninitiated.uri).host;
      await initiator
        .getClient()
        .db('admin')
        .command({ replSetInitiate: { _id: 'rs0', members: [{ _id: 0, host }] } });
      await initiator.close();
      await opened;
      expect(logged().split('run rs.initiate() once')).toHaveLength(2);
      expect(logged()).toContain('MongoDB is reachable');
      // Waiting for a set of another name would never end.
      await expect(openDb(createDb(), `${uninitiated.uri}?replicaSet=rs1`, log, stopping.signal)).rejects.toThrow(
        'names the replica set rs1, and this MongoDB belongs to rs0',
      );
    } finally {
      stopping.abort();
      await db.close();
    }
  });
});

test.each([
  ['mongodb+srv://host:27017/db', 'mongodb+srv URI cannot have port number'],
  ['mongodb://user:pa@ss@host/db', 'Invalid connection string'],
  ['mongodb://host/db?nope=1', 'option nope is not supported'],
])('an address that the driver cannot use is rejected immediately: %s', async (uri, expected) => {
  const { log, stopping } = captureLog();
  const opened = openDb(createDb(), uri, log, stopping.signal);
  await expect(opened).rejects.toBeInstanceOf(Refusal);
  await expect(opened).rejects.toThrow(`MONGODB_URI cannot be used: ${expected}`);
});

/** The outcome of a process's check of this Redis. */
async function checkRedis(redisUrl: string, overrides: Record<string, string>) {
  const { log, logged, stopping } = captureLog();
  const failed: Error[] = [];
  await requireSupportedRedis({
    config: loadConfig(environment({ REDIS_URL: redisUrl, QUEUE_PREFIX: '{pbs}', ...overrides })),
    log,
    stopping: stopping.signal,
    fail: (reason) => void failed.push(reason),
  });
  return { failed, warnings: logged() };
}

const asUser = (user: string) => volatileRedis.uri.replace('//', `//${user}:pass@`);

/** Sets the rules of a Redis user, as words of `ACL SETUSER`. */
async function setUser(name: string, rules: string): Promise<void> {
  const redis = new Redis(volatileRedis.uri);
  await redis.call('ACL', 'SETUSER', name, ...rules.split(' '));
  redis.disconnect();
}

describe('a Redis without an append-only file', () => {
  test.each(['production', 'sandbox'])('causes one warning in %s, and none with REDIS_ALLOW_VOLATILE', async (mode) => {
    const { failed, warnings } = await checkRedis(volatileRedis.uri, { SERVICE_MODE: mode });
    expect([failed, warnings.match(/Set appendonly yes/g)]).toEqual([[], ['Set appendonly yes']]);
    const accepted = await checkRedis(volatileRedis.uri, { SERVICE_MODE: mode, REDIS_ALLOW_VOLATILE: 'true' });
    expect(accepted).toEqual({ failed: [], warnings: '' });
  });

  test('whose user may not run CONFIG is checked by INFO', async () => {
    await setUser('managed', 'reset on >pass ~* +@all -config');
    const { failed, warnings } = await checkRedis(asUser('managed'), PRODUCTION);
    expect([failed, warnings.match(/Set appendonly yes/g)]).toEqual([[], ['Set appendonly yes']]);
  });

  test('control: the Redis of npm start and of the tests is accepted, also in production', async () => {
    const url = environment({})['REDIS_URL'] ?? '';
    expect(await checkRedis(url, PRODUCTION)).toEqual({ failed: [], warnings: '' });
  });
});

describe('a Redis that a process cannot use with its REDIS_URL', () => {
  test.each([
    ['-@dangerous', '+info'],
    ['-@blocking', '+bzpopmin +xread'],
    ['-@scripting', '+eval +evalsha'],
    ['-xadd -hset', '+hset +xadd'],
    ['resetkeys ~other:*', '~{pbs}:*'],
  ])('a user with %s is rejected, with the missing permission: %s', async (rules, allow) => {
    await setUser('limited', `reset on >pass ~* +@all ${rules}`);
    const { failed } = await checkRedis(asUser('limited'), {});
    expect(failed).toEqual([expect.any(UnsupportedServerError)]);
    expect(failed[0]?.message.split('ACL SETUSER limited ')[1]).toBe(allow);
  });

  test('control: the permissions in docs/production.md are sufficient', async () => {
    const [, rules = ''] = /ACL SETUSER \w+ on >\S+ ([^`]+)`/.exec(await readFile('docs/production.md', 'utf8')) ?? [];
    expect(rules).not.toBe('');
    await setUser('booking', `reset on >pass ${rules}`);
    const { failed } = await checkRedis(asUser('booking'), {});
    expect(failed).toEqual([]);
  });

  test('a missing database is rejected', async () => {
    const { failed } = await checkRedis(`${volatileRedis.uri}/99`, {});
    expect(failed[0]?.message).toMatch(/^REDIS_URL names database 99, which cannot be selected: /);
  });

  test('a worker that loses a permission fails once a second, and SIGTERM still ends it', async () => {
    await setUser('losing', 'reset on >pass ~* +@all');
    const worker = startProcess(
      'workers/hold-expiry.ts',
      environment({ REDIS_URL: asUser('losing'), MONGODB_URI: databaseUri(SHARED_NAME), LOG_LEVEL: 'debug' }),
    );
    await worker.ready;
    await setUser('losing', '-evalsha -eval');
    const refusals = () => worker.log().filter(({ error }) => String(error).startsWith('NOPERM'));
    await eventually('the worker is refused twice', () => refusals().length > 1);
    const before = refusals().length;
    await delay(3000);
    expect(refusals().length - before).toBeLessThan(10);
    const warnings = worker.log().filter(({ msg }) => msg === 'Redis refuses writes: NOPERM; jobs of this queue wait');
    expect(warnings).toHaveLength(1);
    worker.signal('SIGTERM');
    expect(await worker.exited).toEqual({ code: 0, signal: null });
  });
});

test('in production, a process ends if its Redis evicts keys, also if Redis starts later', async () => {
  const api = startProcess(
    'src/main/api.ts',
    environment({ ...PRODUCTION, REDIS_URL: evictingRedis.uri, MONGODB_URI: databaseUri(SHARED_NAME) }),
  );
  await api.ready;
  await evictingRedis.start();
  expect(await refusalOf(api)).toEqual({
    code: 1,
    fatal: [expect.stringMatching(/It evicts keys \(allkeys-lru\).*set maxmemory-policy noeviction/)],
  });
});
