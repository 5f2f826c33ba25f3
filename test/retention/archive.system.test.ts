import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { openArchive } from '../../src/operations/retention/archive.ts';
import { restoreArchive } from '../../src/operations/retention/restore.service.ts';
import { newId } from '../../src/platform/ids.ts';
import type { Reservation } from '../../src/reservations/reservations.model.ts';
import { eventually } from '../support/eventually.ts';
import { bookSlot, operatorOf, type Partner, placeHold, subscribe } from '../support/factories.ts';
import { blockCommands, endCommandsOf, environmentNamed, startServiceOnOwnMongod } from '../support/fail-points.ts';
import { changeRow, rowOf, rowsOf } from '../support/rows.ts';
import { startScene } from '../support/scene.ts';
import type { Service } from '../support/service.ts';
import { endProcesses, killProcess, type SpawnedProcess, startProcess } from '../support/worker-process.ts';
import {
  ancientId,
  anyFolder,
  bytesOf,
  COLLECTIONS,
  DAY_MS,
  EVERY_KIND,
  type Folder,
  keeping,
  letPass,
  NEVER_STOPPED,
  purge,
} from './purging.ts';

let service: Service;
let folder: Folder;
let partner: Partner;
let hold: Reservation;

beforeAll(async () => {
  service = await startServiceOnOwnMongod({}, 'monitorCommands=true');
  const scene = await startScene(service);
  ({ partner } = scene);
  await operatorOf(service).post('/api/v1/operator/venues', {});
  const subscription = await subscribe(partner, 'http://127.0.0.1:9/');
  const metadata = { z: 'say "ünïcode" \\ 🎾', 10: 'ten', 2: 'two' };
  const { hold_id } = await placeHold(partner, scene.slot(), { metadata, idempotency_key: 'first' });
  await partner.api.post(`/api/v1/partner/holds/${String(hold_id)}/cancel`, { reason: 'Rain' });
  const booked = await bookSlot(partner, scene.slot(), { metadata });
  for (const id of [hold_id, booked['hold_id']]) await service.dispatch(String(id));
  for (const { _id } of await rowsOf(service, 'deliveries')) await service.attempt(_id, 5);
  await changeRow(service, 'webhook_subscriptions', subscription.id, { $set: { status: 'inactive' } });
  await service.context.db.collection('deliveries').updateMany({}, { $unset: { alertPending: '', isUncounted: '' } });
  hold = await rowOf(service, 'reservations', { _id: hold_id });
});
afterAll(async () => {
  await endProcesses();
  await service.stop();
});
beforeEach(async () => {
  folder = await anyFolder();
});
afterEach(async () => {
  await folder.remove();
  await reservations().deleteMany({ slotId: 'planted' });
});

const reservations = () => service.context.db.collection<Reservation>('reservations');
const bytesOfAllRows = async () =>
  Object.fromEntries(await Promise.all(COLLECTIONS.map(async (name) => [name, await bytesOf(service, name)] as const)));
const restore = (filter = {}) => restoreArchive({ ...service.context, archive: folder.archive }, filter, NEVER_STOPPED);
/** Does `work` while all rows are ten years older, so that every kind is purged. */
async function inTenYears(work: () => Promise<void>): Promise<void> {
  await letPass(service, 3650);
  try {
    await work();
  } finally {
    await letPass(service, -3650);
  }
}
const countPlanted = () => reservations().countDocuments({ slotId: 'planted' });

/** Inserts holds that ended 40 days ago, 300 in each millisecond; returns their ids. */
async function plantHolds(count: number): Promise<string[]> {
  const { holdKey: _unique, ...row } = hold;
  const at = (n: number) => new Date(Date.now() - 40 * DAY_MS + Math.floor(n / 300));
  const rows = Array.from({ length: count }, (_, n) => ({
    ...row,
    _id: newId(),
    slotId: 'planted',
    slotEnd: at(0),
    holdExpiresAt: at(n),
  }));
  await reservations().insertMany(rows);
  return rows.map(({ _id }) => _id);
}

/** The archive; each `put` ends with `afterwards`. */
const archiveWith = (afterwards: () => Promise<void>): typeof folder.archive => ({
  ...folder.archive,
  put: async (...args) => {
    await folder.archive.put(...args);
    await afterwards();
  },
});

const idOfLine = (line: string) => (JSON.parse(line) as { _id: string })._id;
const HOLDS = keeping({ holds: 30, events: 30 });

describe('an archived row', () => {
  test('is restored byte for byte, in every collection; a second restore changes nothing', () =>
    inTenYears(async () => {
      const before = await bytesOfAllRows();
      await purge(service, { config: EVERY_KIND, archive: folder.archive });
      expect(Object.values(await bytesOfAllRows()).flat()).toEqual([]);
      expect(await restore()).toMatchObject({ present: 0, conflicting: 0, failed: 0, isDone: true });
      expect(await bytesOfAllRows()).toEqual(before);
      expect(Object.values(before).map((rows) => rows.length > 0)).toEqual(COLLECTIONS.map(() => true));
      // A second restore changes nothing, even if a row differs.
      await reservations().updateOne({ _id: hold._id }, { $set: { releaseReason: '[erased]' } });
      expect(await restore()).toMatchObject({ restored: 0, conflicting: 0, failed: 0, isDone: true });
      expect((await rowOf(service, 'reservations', { _id: hold._id })).releaseReason).toBe('[erased]');
      await reservations().updateOne({ _id: hold._id }, { $set: { releaseReason: 'Rain' } });
      expect(await bytesOfAllRows()).toEqual(before);
    }));

  test('is skipped and reported if another row has its key or slot by now', () =>
    inTenYears(async () => {
      const before = await bytesOfAllRows();
      await purge(service, { config: EVERY_KIND, archive: folder.archive });
      const [claim] = (await folder.lines())
        .map((line) => JSON.parse(line) as { status?: string; cells: string[]; _id: string })
        .filter(({ status }) => status === 'BOOKED');
      const { holdKey: _unique, ...row } = hold;
      const rival = { ...row, _id: newId(), status: 'BOOKED' as const, claimed: true, cells: claim?.cells ?? [] };
      await reservations().insertOne(rival);
      expect(await restore()).toMatchObject({ conflicting: 1, isDone: false });
      expect(service.logs()).toContain(`"id":"${claim?._id}"`);
      expect(await reservations().countDocuments({ cells: claim?.cells[0] ?? '', claimed: true })).toBe(1);
      await reservations().deleteOne({ _id: rival._id });
      expect(await restore()).toMatchObject({ restored: 1, isDone: true });
      expect(await bytesOfAllRows()).toEqual(before);
    }));

  test('is restored only if it matches the given collection and times', async () => {
    const ids = await plantHolds(2);
    await changeRow(service, 'reservations', ids[0], { $set: { holdExpiresAt: new Date('2020-03-01T23:59:59Z') } });
    await purge(service, { config: HOLDS, archive: folder.archive });
    const until = new Date('2020-03-01T23:59:58Z');
    expect(await restore({ collection: 'events' })).toMatchObject({ restored: 0 });
    expect(await restore({ until })).toMatchObject({ restored: 0 });
    expect(await restore({ since: until, until: new Date('2020-03-02') })).toMatchObject({ restored: 1 });
    const since = new Date('2020-03-02');
    expect(await restore({ collection: 'holds', since })).toMatchObject({ restored: 1, present: 0 });
  });

  test('that was archived twice, because a purge was interrupted, is restored as it was when it was deleted', async () => {
    const [id = ''] = await plantHolds(1);
    const interrupting = archiveWith(() => Promise.reject(new Error('interrupted')));
    await purge(service, { config: HOLDS, archive: interrupting });
    await reservations().updateOne({ _id: id }, { $set: { releaseReason: 'later' } });
    await purge(service, { config: HOLDS, archive: folder.archive });
    expect(await folder.lines()).toHaveLength(2);
    expect(await restore()).toMatchObject({ restored: 1, present: 1, isDone: true });
    expect((await rowOf(service, 'reservations', { _id: id })).releaseReason).toBe('later');
  });

  test('is restored although another object of the archive is damaged, which is reported', async () => {
    await plantHolds(3);
    await purge(service, { config: HOLDS, archive: folder.archive });
    const name = 'holds/2020-01-01/damaged.20200101T000000000Z-0.jsonl.gz';
    await folder.archive.put(name, Buffer.from('no gzip'), NEVER_STOPPED);
    const cutOff = 'holds/2020-01-01/cut-off.20200101T000000000Z-0.jsonl.gz.part';
    await writeFile(path.join(fileURLToPath(folder.url), cutOff), '');
    expect(await restore()).toMatchObject({ restored: 3, failed: 1, isDone: false });
    expect(service.logs()).toContain(name);
  });
});

test('if the archive’s folder is missing or is a file, nothing is written, listed or deleted', async () => {
  await plantHolds(1);
  const mount = path.join(fileURLToPath(folder.url), 'mount');
  const archive = openArchive(pathToFileURL(mount).toString(), { archiveRegion: 'us-east-1' });
  const message = `The folder ${mount} is missing: mount or create it`;
  await purge(service, { config: HOLDS, archive });
  expect(service.logs()).toContain(message);
  expect(service.logs()).toContain('rows could not be purged');
  expect([await countPlanted(), existsSync(mount)]).toEqual([1, false]);
  await expect(archive.list('holds/', NEVER_STOPPED)).rejects.toThrow(message);
  await writeFile(mount, 'no folder');
  await expect(archive.list('holds/', NEVER_STOPPED)).rejects.toThrow(`${mount} is no folder`);
  // Control: the purge works when the folder exists.
  await rm(mount);
  await mkdir(mount);
  await purge(service, { config: HOLDS, archive });
  expect([await countPlanted(), (await archive.list('holds/', NEVER_STOPPED)).length > 0]).toEqual([0, true]);
  expect(await archive.list('audit/', NEVER_STOPPED)).toEqual([]);
});

test('a row changed since it was archived is not deleted', async () => {
  const [changed = '', other = ''] = await plantHolds(2);
  const archive = archiveWith(() =>
    changeRow(service, 'reservations', changed, { $set: { holdExpiresAt: new Date() } }),
  );
  await purge(service, { config: HOLDS, archive });
  expect(await reservations().distinct('_id', { _id: { $in: [changed, other] } })).toEqual([changed]);
});

describe('a purge', () => {
  test('deletes 200 rows at a time, along an index, and rests four times as long as each step took', async () => {
    const ids = await plantHolds(1000);
    const steps: { beganAt: number; deleted: number; endedAt: number }[] = [];
    const began = ({ command }: { command: Record<string, unknown> }) => {
      if (command['find'] === 'reservations' && command['limit'] === 200)
        steps.push({ beganAt: performance.now(), deleted: 0, endedAt: 0 });
      const last = steps.at(-1);
      if (command['delete'] !== 'reservations' || last === undefined) return;
      const [{ q }] = command['deletes'] as [{ q: { $and: [{ _id: { $in: unknown[] } }] } }];
      last.deleted += q.$and[0]._id.$in.length;
    };
    const ended = ({ commandName }: { commandName: string }) => {
      const last = steps.at(-1);
      if (commandName === 'delete' && last !== undefined) last.endedAt = performance.now();
    };
    const client = service.context.db.getClient().on('commandStarted', began).on('commandSucceeded', ended);
    await purge(service, { config: HOLDS });
    client.off('commandStarted', began).off('commandSucceeded', ended);
    expect(await reservations().countDocuments({ _id: { $in: ids } })).toBe(0);
    expect(steps.map(({ deleted }) => deleted)).toEqual([200, 200, 200, 200, 200, 0]);
    for (const [index, { beganAt, endedAt }] of steps.slice(0, 5).entries()) {
      const restedMs = (steps[index + 1]?.beganAt ?? 0) - endedAt;
      expect(restedMs).toBeGreaterThanOrEqual(Math.min(5000, 4 * (endedAt - beganAt)) - 5);
    }
  });

  test('skips rows that must stay, also many with the same time', async () => {
    await plantHolds(700);
    // No events wait in the outboxes of these holds, so they can be purged.
    await reservations().updateMany({ slotId: 'planted' }, { $set: { outbox: [] } });
    const eventIds = Array.from({ length: 700 }, () => ancientId());
    const { sequence: _unique, ...event } = await rowOf(service, 'events', { holdId: hold._id, type: 'hold_created' });
    const at = new Date(Date.now() - 50 * DAY_MS);
    const events = eventIds.map((_id, n) => ({
      ...event,
      _id,
      at,
      slotEnd: at,
      holdId: n % 2 === 0 ? hold._id : newId(),
    }));
    await service.context.db.collection('events').insertMany(events as never[]);
    const waiting = { eventId: eventIds[0], type: 'hold_created', at, originatorId: partner.id, bookingId: null };
    await changeRow(service, 'reservations', hold._id, { $set: { outbox: [waiting], outboxSince: at } });
    await purge(service, { config: keeping({ events: 30, holds: 30 }) });
    await changeRow(service, 'reservations', hold._id, { $set: { outbox: [] }, $unset: { outboxSince: '' } });
    const remaining = await service.context.db.collection('events').deleteMany({ _id: { $in: eventIds } } as never);
    expect([remaining.deletedCount, await countPlanted()]).toEqual([350, 0]);
  });
});

describe('processes that purge:', () => {
  const start = (): SpawnedProcess =>
    startProcess('workers/hold-expiry.ts', { ...environmentNamed(service, 'purge'), ARCHIVE_URL: folder.url });
  const archivedIds = async () => (await folder.lines()).map(idOfLine);

  test('one killed between archiving and deleting loses nothing; the next archives again, and each row is restored once', async () => {
    const ids = await plantHolds(150);
    const before = await bytesOfAllRows();
    const purging = { appName: 'purge', command: 'delete', collection: 'reservations', forMs: 60_000 };
    const block = await blockCommands(service, purging);
    const killed = start();
    await block.met();
    expect(new Set(await archivedIds())).toEqual(new Set(ids));
    await killProcess(killed);
    await endCommandsOf(service, 'purge');
    await block.lift();
    expect(await bytesOfAllRows()).toEqual(before);

    // The lock of a killed process lasts two minutes.
    await service.context.db.collection('leases').deleteMany({});
    const next = start();
    await eventually('they are gone', async () => (await countPlanted()) === 0);
    next.signal('SIGTERM');
    await next.exited;
    expect((await archivedIds()).toSorted()).toEqual([...ids, ...ids].toSorted());
    expect(await restore()).toMatchObject({ restored: 150, present: 150, failed: 0 });
    expect(await bytesOfAllRows()).toEqual(before);
  });

  test('one that stops leaves the purge to the next immediately', async () => {
    for (const count of [3, 2]) {
      await plantHolds(count);
      const purging = start();
      await eventually('they are gone', async () => (await countPlanted()) === 0);
      purging.signal('SIGTERM');
      expect(await purging.exited).toMatchObject({ code: 0 });
    }
  });

  test('two without the lock archive rows twice, and do no other harm', async () => {
    const ids = await plantHolds(1000);
    const archive = folder.archive;
    await Promise.all([purge(service, { config: HOLDS, archive }), purge(service, { config: HOLDS, archive })]);
    const archived = await archivedIds();
    expect(new Set(archived)).toEqual(new Set(ids));
    expect(archived.length).toBeGreaterThan(1000);
    expect(await countPlanted()).toBe(0);
  });

  test('node dist/src/main/restore-archive.js reports its result, and ends with 0 if nothing was skipped', async () => {
    await plantHolds(5);
    const expired = { $set: { holdExpiresAt: new Date('2020-03-01T23:59:59.999Z') } };
    await reservations().updateMany({ slotId: 'planted' }, expired);
    await purge(service, { config: HOLDS, archive: folder.archive });
    const environment = { MONGODB_URI: service.environment['MONGODB_URI'] ?? '', MONGODB_ALLOW_INSECURE: 'true' };
    const run = async (...args: string[]) => {
      const command = startProcess('src/main/restore-archive.ts', environment, args);
      return { ...(await command.exited), log: command.log() };
    };
    const day = ['--since', '2020-03-01', '--until', '2020-03-01'];
    const restored = await run('--from', folder.url, '--collection', 'holds', ...day);
    expect(restored).toMatchObject({ code: 0 });
    expect(restored.log.find(({ msg }) => msg === 'ready')).toMatchObject({ restored: 5, present: 0, conflicting: 0 });
    expect(await countPlanted()).toBe(5);
    expect(await run('--from', folder.url)).toMatchObject({ code: 0 });
  });
});
