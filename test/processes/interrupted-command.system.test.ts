import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createLogger } from '../../src/platform/logger.ts';
import { createDb, openDb } from '../../src/platform/mongo-connection.ts';
import { blockCommands } from '../support/fail-points.ts';
import { freePort, ownMongod, temporaryFolder } from '../support/own-servers.ts';
import { freshName, serviceEnvironment } from '../support/service-environment.ts';
import { endProcesses, finished, logged, type SpawnedProcess, startProcess } from '../support/worker-process.ts';

const APP = 'interrupted';
const UNFINISHED = 'stopped before it was finished: run it again';

// Its own server, because a fail point affects the whole server.
const mongod = await ownMongod();
await mongod.start();
const uri = new URL(mongod.uri);
uri.pathname = `/${freshName()}`;
const db = createDb();
await openDb(db, uri.href, createLogger('test', 'silent'), new AbortController().signal);
uri.searchParams.set('appName', APP);
const env = serviceEnvironment(freshName(), { MONGODB_URI: uri.href });
const folder = await temporaryFolder();
const at = (name: string) => path.join(folder, name);
beforeAll(async () => {
  await startProcess('src/main/migrate.ts', env).ready;
  await db.collection('oddities').insertOne({ any: 'document' });
  await startProcess('src/main/backup.ts', env, ['--to', at('whole')]).ready;
});
afterAll(async () => {
  await endProcesses();
  await db.close();
  await mongod.discard();
});

/** Starts a program, and stops it while one of its commands on `collection` is blocked. */
async function interrupted(command: string, collection: string, start: () => SpawnedProcess): Promise<SpawnedProcess> {
  const block = await blockCommands({ context: { db } }, { appName: APP, command, collection });
  const child = start();
  await block.met();
  child.signal('SIGTERM');
  await logged(child, 'stopping');
  await block.lift();
  return child;
}

const levels = (child: SpawnedProcess, message: string) =>
  child.log().flatMap(({ level, msg }) => (msg === message ? [level] : []));

describe('a command stopped before its end says so and ends with 1', () => {
  test('a migration while it waits for MongoDB', async () => {
    const unreachable = `mongodb://127.0.0.1:${await freePort()}/partner_booking?replicaSet=embedded`;
    const child = startProcess('src/main/migrate.ts', { ...env, MONGODB_URI: unreachable });
    await logged(child, 'waiting for MongoDB: it cannot be reached yet');

    child.signal('SIGTERM');

    expect((await child.exited).code).toBe(1);
    expect(levels(child, UNFINISHED)).toEqual(['error']);
  });

  test('a backup while it writes, which leaves no manifest', async () => {
    const start = () => startProcess('src/main/backup.ts', env, ['--to', at('cut-off')]);
    const child = await interrupted('find', 'oddities', start);

    expect((await child.exited).code).toBe(1);
    expect(levels(child, UNFINISHED)).toEqual(['error']);
    expect(await readdir(at('cut-off'))).not.toContain('manifest.json');
  });

  test('a restore while it writes', async () => {
    const args = ['--from', at('whole'), '--replace', db.name];
    const child = await interrupted('insert', 'leases', () => startProcess('src/main/restore.ts', env, args));

    expect((await child.exited).code).toBe(1);
    expect(levels(child, UNFINISHED)).toEqual(['error']);
    await finished(startProcess('src/main/restore.ts', env, args));
  });
});

test('control: a command with nothing left to do ends with 0', async () => {
  const start = () => startProcess('src/main/rewrap-secrets.ts', env);
  const child = await interrupted('update', 'webhook_subscriptions', start);

  await finished(child);
  expect(child.output()).not.toContain(UNFINISHED);
});

test('a command that fails reports the failure, not that it could not start', async () => {
  const data = { appName: APP, failCommands: ['find'], namespace: `${db.name}.oddities`, errorCode: 13 };
  await db.getClient().db('admin').command({ configureFailPoint: 'failCommand', mode: 'alwaysOn', data });
  const child = startProcess('src/main/backup.ts', env, ['--to', at('failed')]);

  expect((await child.exited).code).toBe(1);
  expect(levels(child, 'failed')).toEqual(['fatal']);
  expect(child.output()).not.toContain('could not start');
  expect(child.output()).not.toContain(UNFINISHED);
});
