import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type MigrationRun, migrate } from '../../src/operations/database/migrate.service.ts';
import type { Target } from '../../src/operations/database/migration-plan.service.ts';
import { isPending, planMigration, requireUsable } from '../../src/operations/database/migration-plan.service.ts';
import { STEPS, type Step } from '../../src/operations/database/migration-steps.ts';
import { dryRunText, statusText } from '../../src/operations/database/migration-text.ts';
import { createLogger } from '../../src/platform/logger.ts';
import type { Db } from '../../src/platform/mongo.ts';
import { createDb, openDb } from '../../src/platform/mongo-connection.ts';
import { eventually } from '../support/eventually.ts';
import { commandsOf, endCommandsOf, whileMajorityStays } from '../support/fail-points.ts';
import { type OwnServer, ownMongod } from '../support/own-servers.ts';
import { freshName, serviceEnvironment } from '../support/service-environment.ts';
import { endProcesses, finished, logged, type SpawnedProcess, startProcess } from '../support/worker-process.ts';

let mongod: OwnServer;
const opened: Db[] = [];
// Its own server, because a fail point affects the whole server.
beforeAll(async () => {
  mongod = await ownMongod();
  await mongod.start();
});
afterAll(async () => {
  await endProcesses();
  await Promise.all(opened.map((db) => db.close()));
  await mongod.discard();
});

const APP = 'migrator';

/** A new database, and the environment of a process that uses it. */
async function anyDatabase(): Promise<{ db: Db; env: Record<string, string> }> {
  const uri = new URL(mongod.uri);
  uri.pathname = `/${freshName()}`;
  const db = createDb();
  await openDb(db, uri.href, createLogger('test', 'silent'), new AbortController().signal);
  opened.push(db);
  uri.searchParams.set('appName', APP);
  return { db, env: serviceEnvironment(freshName(), { MONGODB_URI: uri.href }) };
}

/** Bookings as release 1.0.0 stored them, with fewer letters folded. */
async function insertOldBookings(db: Db, count: number): Promise<void> {
  const at = new Date('2026-01-05T10:00:00Z');
  const row = (index: number) => ({
    _id: `old-${index}` as never,
    partnerId: 'p',
    venueId: 'v',
    resourceId: 'r',
    slotId: 's',
    slotStart: at,
    slotEnd: at,
    cells: [`c${index}`],
    claimed: true,
    status: 'BOOKED',
    pricePaise: 100,
    placedAt: at,
    holdExpiresAt: at,
    outbox: [],
    bookedAt: at,
    bookingId: `b${index}`,
    customer: {
      name: `Łucja ${index}`,
      nameFolded: `łucja ${index}`,
      nameWords: ['łucja', String(index)],
      phone: null,
      phoneE164: null,
      email: null,
    },
  });
  await db.collection('reservations').insertMany(Array.from({ length: count }, (_, index) => row(index)));
}

const adminCommand = (db: Db, command: Record<string, unknown>) => db.getClient().db('admin').command(command);
const countRefolded = (db: Db) => db.collection('reservations').countDocuments({ 'customer.nameWords': 'lucja' });
const runMigrate = (env: Record<string, string>, ...args: string[]) => startProcess('src/main/migrate.ts', env, args);
const recordOf = (db: Db, version: number) => db.collection<{ _id: number }>('migrations').findOne({ _id: version });

const isWrite = ({ op }: { op: string }) => op === 'update' || op === 'insert';

async function outcomeOf(child: SpawnedProcess): Promise<{ code: number | null; text: string }> {
  return { code: (await child.exited).code, text: child.output() };
}

describe('npm run migrate', () => {
  test('waits for another run, and continues its step if the other run is killed', async () => {
    const { db, env } = await anyDatabase();
    await migrate(db);
    await db.collection('migrations').deleteMany({});
    await insertOldBookings(db, 3);
    await adminCommand(db, {
      configureFailPoint: 'failCommand',
      // The first row is written; the second write blocks.
      mode: { skip: 1 },
      data: {
        appName: APP,
        failCommands: ['update'],
        namespace: `${db.name}.reservations`,
        blockConnection: true,
        blockTimeMS: 60_000,
      },
    });
    const first = runMigrate(env);
    await eventually('the first row', async () => (await countRefolded(db)) === 1);
    const second = runMigrate({ ...env, MONGODB_URI: String(env['MONGODB_URI']).replace(APP, 'second') });
    const waitLine = await logged(second, 'another migration is running: waiting for it');
    expect(waitLine['holder']).toMatch(new RegExp(`process ${first.pid}$`));

    first.signal('SIGKILL');
    await endCommandsOf({ context: { db } }, APP);
    await adminCommand(db, { configureFailPoint: 'failCommand', mode: 'off' });
    const status = await outcomeOf(runMigrate(env, '--status'));
    expect(status).toMatchObject({ code: 1, text: expect.stringMatching(/fold-names-again +unfinished/) });
    expect(await outcomeOf(second)).toMatchObject({ code: 0 });

    expect(await countRefolded(db)).toBe(3);
    // The killed process recorded nothing, and its rows were not written again.
    expect(await recordOf(db, 2)).toMatchObject({ name: 'fold-names-again', changed: 2 });
    expect((await outcomeOf(runMigrate(env, '--status'))).code).toBe(0);
  });

  test('waits longer than an API call for a majority to acknowledge its writes', async () => {
    const { db, env } = await anyDatabase();
    const server = { context: { db } };
    const running = await whileMajorityStays(server, async () => {
      const started = runMigrate(env);
      await eventually('a write that waits', async () => (await commandsOf(server, APP)).some(isWrite));
      // A call gives up after 5 s.
      await delay(6000);
      return started;
    });

    const text: unknown = expect.stringContaining('"migrated":true');
    expect(await outcomeOf(running)).toMatchObject({ code: 0, text });
  });

  test('with --status ends with 1 if a step is pending; with --dry-run prints what a run then does', async () => {
    const { db, env } = await anyDatabase();
    await migrate(db);
    await insertOldBookings(db, 3);
    await db.collection('reservations').dropIndex('one_claim_per_cell');
    await db.collection('deliveries').drop();
    const before = await writesTo(db);

    const pending = await outcomeOf(runMigrate(env, '--status'));
    const dryRun = await outcomeOf(runMigrate(env, '--dry-run'));

    expect(pending.code).toBe(1);
    expect(pending.text.split('\n').filter((line) => line.length > 80)).toEqual([]);
    expect(pending.text).toMatch(/^version +name +state +when\n1 .*\n2 +fold-names-again +pending \(3\) +20\d\d-/);
    expect(dryRun.code).toBe(0);
    expect(dryRun.text).toContain('reservations: create index one_claim_per_cell\n');
    expect(dryRun.text).toContain('deliveries: create collection\n');
    expect(dryRun.text).toContain('step 2, fold-names-again: 3 rows or indexes\n');
    expect(await writesTo(db)).toBe(before);
    const run = runMigrate(env);
    await finished(run);
    expect(await logged(run, 'step applied')).toMatchObject({ step: 'fold-names-again', changed: 3 });
    const updated = run.log().filter(({ msg }) => msg === 'collection brought up to date');
    expect(new Set(updated.map(({ collection }) => collection))).toEqual(new Set(['deliveries', 'reservations']));
    // Control: writes are counted.
    expect(await writesTo(db)).toBeGreaterThan(before);
    expect(await outcomeOf(runMigrate(env, '--status'))).toMatchObject({ code: 0 });
    expect((await outcomeOf(runMigrate(env, '--dry-run'))).text).toBe('Nothing would be changed.\n');
  });
});

/** How many writes to a database MongoDB has logged. */
async function writesTo(db: Db): Promise<number> {
  const oplog = db.getClient().db('local').collection('oplog.rs');
  return oplog.countDocuments({ ns: { $regex: `^${db.name}\\.` }, op: { $ne: 'n' } });
}

const ITEMS = { name: 'items', indexes: [] };
const dropOld: Step = {
  version: 1,
  name: 'drop-old',
  kind: 'contract',
  unusedSince: '1.1.0',
  count: async () => 1,
  run: async (db) => (await db.collection('items').updateMany({}, { $unset: { old: '' } })).modifiedCount,
};
const target = (release: string, steps: readonly Step[] = []): Target => ({ release, collections: [ITEMS], steps });

describe('a contract step', () => {
  const stateIn = async (db: Db, to: Target) => (await planMigration(db, to)).steps[0]?.state.name;

  test('waits if an upgrade skipped the release that stopped using the data, until the next upgrade', async () => {
    const { db } = await anyDatabase();
    await migrate(db, {}, target('1.0.0'));
    await db.collection('items').insertOne({ old: 1 });

    // Twice, as a Job may run it. Processes of 1.0.0 may still be running.
    for (const _ of [1, 2]) await migrate(db, {}, target('1.2.0', [dropOld]));
    expect(await db.collection('items').countDocuments({ old: 1 })).toBe(1);
    expect(await stateIn(db, target('1.2.0', [dropOld]))).toBe('waits');
    expect(isPending(await planMigration(db, target('1.2.0', [dropOld])))).toBe(false);

    await migrate(db, {}, target('1.3.0', [dropOld]));
    expect(await db.collection('items').countDocuments({ old: 1 })).toBe(0);
    expect(await stateIn(db, target('1.3.0', [dropOld]))).toBe('applied');
  });

  test('runs after that release, which can still use the database; older releases reject it', async () => {
    const { db } = await anyDatabase();
    await migrate(db, {}, target('1.1.0'));
    await migrate(db, {}, target('1.2.0', [dropOld]));

    await expect(requireUsable(db, '1.1.0')).resolves.toBeDefined();
    const message = 'migration 1 (drop-old) removed data that releases before 1.1.0 need. Run release 1.1.0 or newer';
    await expect(requireUsable(db, '1.0.9')).rejects.toThrow(message);
    await expect(migrate(db, {}, target('1.0.9'))).rejects.toThrow(message);
  });

  test('runs immediately in a new database', async () => {
    const { db } = await anyDatabase();
    await migrate(db, {}, target('1.2.0', [dropOld]));
    expect(await stateIn(db, target('1.2.0', [dropOld]))).toBe('applied');
  });
});

test('time zones get the spelling of the IANA database; aliases stay, and removed names are replaced', async () => {
  const { db } = await anyDatabase();
  await migrate(db, {}, target('1.0.0'));
  const stored = ['asia/kolkata', 'Us/Pacific', 'SystemV/PST8', 'US/Pacific', 'Asia/Kolkata'];
  await db.collection('venues').insertMany(stored.map((timeZone) => ({ timeZone })));

  const to = target(
    '1.1.0',
    STEPS.filter(({ name }) => name === 'spell-time-zones'),
  );
  expect(dryRunText(await planMigration(db, to))).toContain('spell-time-zones: 3 rows or indexes');
  await migrate(db, {}, to);

  const venues = await db.collection('venues').find().sort({ _id: 1 }).toArray();
  const expected = ['Asia/Kolkata', 'US/Pacific', 'Etc/GMT+8', 'US/Pacific', 'Asia/Kolkata'];
  expect(venues.map(({ timeZone }) => timeZone as unknown)).toEqual(expected);
  expect(isPending(await planMigration(db, to))).toBe(false);
});

test('an index with another expiry is reported, and changed', async () => {
  const { db } = await anyDatabase();
  const expiringAfter = (expireAfterSeconds: number) => ({
    ...target('1.0.0'),
    collections: [{ name: 'items', indexes: [{ name: 'over', key: { at: 1 as const }, expireAfterSeconds }] }],
  });
  await migrate(db, {}, expiringAfter(60));
  expect(isPending(await planMigration(db, expiringAfter(60)))).toBe(false);

  const plan = await planMigration(db, expiringAfter(90));
  expect(isPending(plan)).toBe(true);
  expect(dryRunText(plan)).toContain('items: set expiry of index over');
  await migrate(db, {}, expiringAfter(90));

  expect(await db.collection('items').indexes()).toMatchObject([{}, { name: 'over', expireAfterSeconds: 90 }]);
  expect(isPending(await planMigration(db, expiringAfter(90)))).toBe(false);
});

describe('on a database that a newer release has migrated', () => {
  test('the migration changes nothing, logs a warning and lists unknown steps as newer', async () => {
    const { db } = await anyDatabase();
    const newerCollection = { ...ITEMS, jsonSchema: { properties: { kind: { enum: ['a', 'b'] } } } };
    await migrate(db, {}, { ...target('1.1.0', STEPS.slice(0, 1)), collections: [newerCollection] });
    const warnings: unknown[] = [];
    const log = {
      info: () => undefined,
      warn: (...line: unknown[]) => void warnings.push(line),
    } as MigrationRun['log'];

    await migrate(db, { log }, target('1.0.0'));

    await db.collection('items').insertOne({ kind: 'b' });
    await expect(db.collection('items').insertOne({ kind: 'c' })).rejects.toThrow('failed validation');
    expect(warnings).toEqual([
      [{ release: '1.0.0', migrated_by: '1.1.0' }, expect.stringContaining('nothing was changed')],
    ]);
    const plan = await planMigration(db, target('1.0.0'));
    expect(statusText(plan)).toMatch(/1 +spell-time-zones +newer/);
    expect(isPending(plan)).toBe(false);
    expect(dryRunText(plan)).toContain('newer release');
  });

  test('a process of a release that cannot use it ends, and names the first release that can', async () => {
    const { db, env } = await anyDatabase();
    await migrate(db);
    const unusableStep = { _id: 99, name: 'drop-it', unusedSince: '99.0.0', release: '99.1.0', changed: 0 };
    await db.collection<{ _id: number }>('migrations').insertOne(unusableStep);
    const children = ['src/main/api.ts', 'workers/hold-expiry.ts', 'src/main/migrate.ts'].map((file) =>
      startProcess(file, env),
    );
    for (const child of children) {
      expect((await child.exited).code).toBe(1);
      const fatal = child.log().flatMap(({ level, msg }) => (level === 'fatal' ? [msg] : []));
      expect(fatal).toEqual([expect.stringContaining('Run release 99.0.0 or newer')]);
    }
  });
});
