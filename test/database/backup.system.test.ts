import { cp, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import mongoose from 'mongoose';
import type { Manifest } from '../../src/operations/database/backup-files.ts';
import { missingGuards } from '../../src/operations/database/collections.ts';
import { temporaryFolder } from '../embedded/temporary-folder.ts';
import { faultsOfCredits, faultsOfHistories, lostAcknowledgements } from '../faults/audit.ts';
import { type Sales, startSales } from '../faults/sales.ts';
import { startSystem } from '../faults/system.ts';
import { TRADING_OVERRIDES } from '../faults/trading.ts';
import { eventually } from '../support/eventually.ts';
import { anyPackage, expectStatus, placeHold, subscribe } from '../support/factories.ts';
import { mulberry32, propertySeed } from '../support/random.ts';
import { startReceiver } from '../support/receiver.ts';
import { changeRow, rowsOf } from '../support/rows.ts';
import { nextDays, startScene } from '../support/scene.ts';

const folder = await temporaryFolder();
const system = await startSystem({ overrides: { ...TRADING_OVERRIDES, HOLD_TTL_SECONDS: '12' } });
const receiver = await startReceiver();
const scene = await startScene(system, { resources: [{ duration_minutes: 15 }], days: nextDays(3) });
const { partner, slots: slotIds } = scene;
await subscribe(partner, receiver.url);
const packageId = await anyPackage(system, partner, [scene.venue.id], { credits: 3 });
let sales: Sales | undefined;
afterAll(async () => {
  await sales?.stop();
  await receiver.close();
  await system.stop();
});

const at = (name: string) => path.join(folder, name);
const readFeed = async (after?: string) => {
  const query = after === undefined ? '' : `&after=${after}`;
  return expectStatus(await partner.api.get(`/api/v1/partner/events?limit=100${query}`), 200);
};
/** The cursor at the end of the feed. */
async function endOfFeed(): Promise<string> {
  for (let after: string | undefined; ; ) {
    const { data: events, next_cursor: next } = await readFeed(after);
    if ((events as unknown[]).length === 0) return String(next);
    after = String(next);
  }
}
const lastNumber = async () => (await system.context.db.collection('feed_counters').findOne({}))?.['last'] as number;
const statusOf = async (holdId: unknown) =>
  (await rowsOf(system, 'reservations', { _id: holdId })).map(({ status }) => status).join();

/** Values of several BSON types, including number types that JavaScript would not write. */
const { Int32, Double, Long, Decimal128 } = mongoose.mongo.BSON;
const MIXED = {
  _id: 'mixed',
  int: new Int32(1),
  double: new Double(1),
  long: Long.fromNumber(1),
  decimal: new Decimal128('1'),
  at: new Date(1),
  none: null,
};
const rawMixed = async () => {
  const missedEvents = await system.context.db.collection<{ _id: string }>('mixed').findOne({}, { raw: true });
  return (missedEvents as unknown as Buffer).toString('hex');
};

test('a database that is backed up under load, dropped and restored is complete, and the service continues', async () => {
  const { db } = system.context;
  await db.collection<{ _id: string }>('mixed').insertOne(MIXED);
  const mixedBefore = await rawMixed();
  const offer = { urls: system.urls, apiKey: partner.apiKey, slotIds, packageId, lanes: 3 };
  sales = startSales(offer, mulberry32(propertySeed()));
  const { acknowledged } = sales;
  for (const _ of [1, 2, 3]) await sales.goOn();
  const expiring = await placeHold(partner, slotIds.pop() ?? '', { ttl_seconds: 900 });
  const before = structuredClone(acknowledged);

  const backup = await system.command('src/main/backup.ts', ['--to', at('one')]);

  expect([backup.code, backup.output]).toEqual([0, expect.stringContaining('"backed_up":true')]);
  for (const _ of [1, 2]) await sales.goOn();
  const lost = await placeHold(partner, slotIds.pop() ?? '');
  await sales.stop();
  const cursor = await eventually('the feed has all', async () => {
    const waiting = await db.collection('reservations').countDocuments({ outboxSince: { $exists: true } });
    return waiting === 0 && endOfFeed();
  });
  const numbersBefore = await lastNumber();
  await system.halt();

  // A restore rejects an existing database, and a damaged backup.
  const notReplaced = await system.command('src/main/restore.ts', ['--from', at('one')]);
  expect([notReplaced.code, notReplaced.output]).toEqual([1, expect.stringContaining(`--replace ${db.name}`)]);
  await cp(at('one'), at('damaged'), { recursive: true });
  const damaged = path.join(at('damaged'), 'reservations.bson.gz');
  const bytes = await readFile(damaged);
  bytes[bytes.length - 20] = (bytes.at(-20) ?? 0) ^ 1;
  await writeFile(damaged, bytes);
  const rejected = await system.command('src/main/restore.ts', ['--from', at('damaged'), '--replace', db.name]);
  expect([rejected.code, rejected.output]).toEqual([1, expect.stringContaining('reservations.bson.gz')]);
  expect(await statusOf(lost['hold_id'])).not.toBe('');

  await db.dropDatabase();
  const restored = await system.command('src/main/restore.ts', ['--from', at('one')]);

  expect([restored.code, restored.output]).toEqual([0, expect.stringContaining('"restored":true')]);
  expect(await missingGuards(db)).toEqual([]);
  expect(await rawMixed()).toBe(mixedBefore);
  await db.collection('mixed').drop();
  const rows = await rowsOf(system, 'reservations');
  const isSettled = (entry: (typeof before)[number]) =>
    acknowledged.some(({ holdId, status }) => holdId === entry.holdId && status === entry.status);
  const settled = before.filter(isSettled);
  expect(settled.length).toBeGreaterThan(0);
  expect(lostAcknowledgements(rows, settled)).toEqual([]);
  // The backup is of one moment: a credit is missing if and only if its booking is there.
  expect(faultsOfCredits(await rowsOf(system, 'package_purchases'), rows)).toEqual([]);
  expect(rows.length).toBeLessThan(acknowledged.length + 2);
  expect(await statusOf(expiring['hold_id'])).toBe('ACTIVE');
  expect(await statusOf(lost['hold_id'])).toBe('');

  // The hold expired during a slow restore. If Redis has a job for it, the job is for a later time.
  const expiry = { $set: { holdExpiresAt: new Date(Date.now() - 1000) } };
  await changeRow(system, 'reservations', expiring['hold_id'], expiry);
  // Redis is as it was when the database was lost: its jobs do not match the restored rows.
  const receivedBefore = receiver.received.length;
  await system.resume();

  await eventually('the expired hold ends', async () => (await statusOf(expiring['hold_id'])) === 'EXPIRED', 60_000);
  const later = await placeHold(partner, slotIds.pop() ?? '');
  const isQuiet = async () => {
    const waiting = await db.collection('reservations').countDocuments({ outboxSince: { $exists: true } });
    const due = await db.collection('deliveries').countDocuments({ state: { $ne: 'succeeded' } });
    return waiting + due === 0;
  };
  await eventually('everything is delivered', isQuiet, 90_000);
  expect(await faultsOfHistories(system, await rowsOf(system, 'reservations'))).toEqual([]);
  const received = receiver.received
    .slice(receivedBefore)
    .map(({ body }) => [body['event_type'], body['hold_id']].join());
  expect(received).toContain(`hold_expired,${String(expiring['hold_id'])}`);
  expect(received).toContain(`hold_created,${String(later['hold_id'])}`);
  // The cursor is later than any number in the backup, but the reader misses no new event.
  expect(numbersBefore).toBeGreaterThan((await rowsOf(system, 'events', { sequence: { $lt: 1e9 } })).length);
  const missedEvents = (await readFeed(cursor))['data'] as Record<string, unknown>[];
  expect(missedEvents.map((event) => event['hold_id'])).toEqual(
    expect.arrayContaining([later['hold_id'], expiring['hold_id']]),
  );
}, 300_000);

test('a backup is readable only by its owner, names its encryption keys, and needs a new folder', async () => {
  const manifest = JSON.parse(await readFile(path.join(at('one'), 'manifest.json'), 'utf8')) as Manifest;
  expect(manifest).toMatchObject({ format: 1, encryptionKeyIds: [expect.stringMatching(/^[0-9a-f]{8}$/)] });
  const file = manifest.collections[0]?.file ?? '';
  const modes = await Promise.all(
    [at('one'), path.join(at('one'), file)].map(async (each) => (await stat(each)).mode & 0o777),
  );
  expect([file, modes]).toEqual([expect.stringMatching(/\.bson\.gz$/), [0o700, 0o600]]);
  const again = await system.command('src/main/backup.ts', ['--to', at('one')]);
  expect([again.code, again.output]).toEqual([1, expect.stringContaining('is not empty')]);
});

test('a backup that takes longer than MongoDB keeps its snapshot names the setting to change', async () => {
  const admin = system.context.db.getClient().db('admin');
  const data = { failCommands: ['find'], namespace: `${system.context.db.name}.venues`, errorCode: 239 };
  await admin.command({ configureFailPoint: 'failCommand', mode: 'alwaysOn', data });
  const broken = await system.command('src/main/backup.ts', ['--to', at('late')]);
  await admin.command({ configureFailPoint: 'failCommand', mode: 'off' });
  expect([broken.code, broken.output]).toEqual([1, expect.stringContaining('minSnapshotHistoryWindowInSeconds: 3600')]);
  expect((await system.command('src/main/restore.ts', ['--from', at('late')])).output).toContain(
    'has no manifest.json',
  );
});
