import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { loadConfig } from '../../src/config/config.ts';
import { createLogger } from '../../src/platform/logger.ts';
import { createDb, openDb } from '../../src/platform/mongo.ts';
import { UnsupportedServerError } from '../../src/platform/server-requirements.rules.ts';
import { requireSupportedRedis } from '../../src/process/server-requirements.ts';
import { eventually } from '../support/eventually.ts';
import type { OwnRedis, OwnServer } from '../support/own-servers.ts';
import { bareMongod, ownRedis } from '../support/own-servers.ts';
import { databaseUri, freshName, SHARED_NAME, serviceEnvironment } from '../support/service-environment.ts';
import type { SpawnedProcess } from '../support/worker-process.ts';
import { endProcesses, startProcess } from '../support/worker-process.ts';

const PRODUCTION = { SERVICE_MODE: 'production' };
const environment = (overrides: Record<string, string>) => serviceEnvironment(freshName(), overrides);

let standalone: OwnServer;
let uninitiated: OwnServer;
let evicting: OwnRedis;
let forgetting: OwnRedis;
beforeAll(async () => {
  [standalone, uninitiated, evicting, forgetting] = await Promise.all([
    bareMongod(),
    bareMongod(['--replSet', 'rs0']),
    ownRedis(['--maxmemory-policy', 'allkeys-lru']),
    ownRedis(),
  ]);
  await Promise.all([standalone, uninitiated, forgetting].map((each) => each.start()));
});
afterAll(async () => {
  await endProcesses();
  await Promise.all([standalone, uninitiated, evicting, forgetting].map((each) => each.discard()));
});

/** How a process ended that must not run, and the one fatal line in which it says why. */
async function refusalOf(process: SpawnedProcess): Promise<{ code: number | null; fatal: unknown[] }> {
  const { code } = await process.exited;
  return { code, fatal: process.log().flatMap((line) => (line['level'] === 'fatal' ? [line['msg']] : [])) };
}

/** A log that can be read, and a signal that ends what waits. */
function listening() {
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
    fatal: [
      expect.stringMatching(/^This MongoDB is not a replica set\. .*--replSet rs0, run rs\.initiate\(\)/),
    ],
  };

  test('ends the API, a worker and the migration, which say what to do', async () => {
    // The driver connects without the name of a set, and passes the server over with one.
    const named = environment({ MONGODB_URI: `${standalone.uri}?replicaSet=rs0` });
    const unnamed = environment({ MONGODB_URI: standalone.uri });
    const processes = [
      startProcess('src/api.ts', named),
      startProcess('workers/hold-expiry.ts', unnamed),
      startProcess('src/migrate.ts', named),
    ];
    expect(await Promise.all(processes.map(refusalOf))).toEqual([refused, refused, refused]);
  });

  test('is waited for while its set is only yet to be made, which is said once', async () => {
    const { log, logged, stopping } = listening();
    const db = createDb();
    const opened = openDb(db, `${uninitiated.uri}?replicaSet=rs0`, log, stopping.signal);
    try {
      await eventually('it is said', () => logged().includes('run rs.initiate() once'));
      const maker = createDb();
      await maker.openUri(`${uninitiated.uri}?directConnection=true`);
      const host = new URL(uninitiated.uri).host;
      await maker
        .getClient()
        .db('admin')
        .command({ replSetInitiate: { _id: 'rs0', members: [{ _id: 0, host }] } });
      await maker.close();
      await opened;
      expect(logged().split('run rs.initiate() once')).toHaveLength(2);
      expect(logged()).toContain('MongoDB is reachable');
      // A name that is not this set's would be waited for in vain.
      await expect(
        openDb(createDb(), `${uninitiated.uri}?replicaSet=rs1`, log, stopping.signal),
      ).rejects.toThrow('names the replica set rs1, and this MongoDB belongs to rs0');
    } finally {
      stopping.abort();
      await db.close();
    }
  });
});

/** What a process makes of a Redis when it meets it. */
async function verdictOn(
  redisUrl: string,
  overrides: Record<string, string>,
): Promise<{ failed: Error[]; warned: string }> {
  const { log, logged, stopping } = listening();
  const failed: Error[] = [];
  const looked = requireSupportedRedis({
    config: loadConfig(environment({ REDIS_URL: redisUrl, ...overrides })),
    ...{ log, stopping: stopping.signal, fail: (reason) => void failed.push(reason) },
  });
  await looked;
  return { failed, warned: logged() };
}

describe('a Redis that forgets at a restart', () => {
  test('is refused in production with the remedy, and is one warning in the sandbox', async () => {
    const { failed } = await verdictOn(forgetting.uri, PRODUCTION);
    expect(failed).toEqual([expect.any(UnsupportedServerError)]);
    expect(failed[0]?.message).toMatch(/set appendonly yes/);
    const { failed: none, warned } = await verdictOn(forgetting.uri, {});
    expect([none, warned.match(/set appendonly yes/g)]).toEqual([[], ['set appendonly yes']]);
  });

  test('control: that of npm start and of the tests is nothing to speak of, in production neither', async () => {
    const url = environment({})['REDIS_URL'] ?? '';
    expect(await verdictOn(url, PRODUCTION)).toEqual({ failed: [], warned: '' });
  });
});

test('a Redis that evicts ends a process in production that was started before it, when it comes', async () => {
  const api = startProcess(
    'src/api.ts',
    environment({ ...PRODUCTION, REDIS_URL: evicting.uri, MONGODB_URI: databaseUri(SHARED_NAME) }),
  );
  await api.ready;
  await evicting.start();
  expect(await refusalOf(api)).toEqual({
    code: 1,
    fatal: [expect.stringMatching(/It evicts keys \(allkeys-lru\).*set maxmemory-policy noeviction/)],
  });
});
