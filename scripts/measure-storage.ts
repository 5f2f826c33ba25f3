// What a reservation takes in MongoDB, with its events, their deliveries and all indexes: `npm run measure-storage -- [count]`. Starts
// servers of its own, has a service sell so many slots (2,000 unless given) with one subscription that takes each event at the first
// attempt, and compares what the collections are before and after. Prints the table of docs/retention.md.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { eventually } from '../test/support/eventually.ts';
import type { Partner } from '../test/support/factories.ts';
import {
  anyPartner,
  anyVenue,
  confirmBody,
  dateIn,
  freeSlotIds,
  placeHold,
  subscribe,
} from '../test/support/factories.ts';
import { startTestServers } from '../test/support/servers.ts';
import type { Service } from '../test/support/service.ts';
import { startService } from '../test/support/service.ts';
import { startWorkers } from '../test/support/workers.ts';

const COLLECTIONS = ['reservations', 'events', 'deliveries'] as const;
const SLOT_MINUTES = 5;
const SLOTS_A_DAY = (17 * 60) / SLOT_MINUTES;
const AT_A_TIME = 20;

type Size = { documents: number; data: number; stored: number; indexes: number };
type Sizes = Record<(typeof COLLECTIONS)[number], Size>;

const count = Number(process.argv[2] ?? 2000);
/** Far more than the deliveries take. */
const DELIVERED_WITHIN_MS = 60_000 + 50 * count;
const servers = await startTestServers();
process.env['TEST_MONGODB_URI'] = servers.mongodbUri;
process.env['TEST_REDIS_URL'] = servers.redisUrl;
const service = await startService({ LOG_LEVEL: 'error', MAX_ACTIVE_HOLDS: '100000' });
const workers = await startWorkers(service.environment);
const receiver = createServer((request, response) => {
  request.resume().on('end', () => response.end('{"ok":true}'));
}).listen(0, '127.0.0.1');
try {
  const resources = Array.from({ length: Math.ceil((2 * count) / SLOTS_A_DAY) }, () => ({
    duration_minutes: SLOT_MINUTES,
  }));
  const { id: venueId } = await anyVenue(service, resources);
  const partner = await anyPartner(service, [venueId]);
  await subscribe(partner, `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`);
  const slots = await freeSlotIds(partner, venueId, dateIn(3));
  const before = await sizesOf(service);
  await forEach(slots.splice(0, count), (slotId, n) => book(partner, slotId, n));
  const booked = await sizesOf(service, before, 2 * count);
  await forEach(slots.splice(0, count), (slotId, n) => release(partner, slotId, n));
  const released = await sizesOf(service, booked, 2 * count);
  process.stdout.write(
    `| | documents | bytes of data | on disk | of indexes | with indexes |\n|---|---|---|---|---|---|\n`,
  );
  print('booking', before, booked);
  print('released hold', booked, released);
} finally {
  await workers.stop();
  receiver.close();
  await service.stop();
  await servers.stop();
}

async function book(partner: Partner, slotId: string, n: number): Promise<void> {
  const hold = await placeHold(partner, slotId, { idempotency_key: `hold-${n}` });
  const phone = `+9198${String(10_000_000 + n)}`;
  const body = confirmBody(hold['hold_id'], { customer_phone: phone, idempotency_key: `confirm-${n}` });
  const { status } = await partner.api.post('/api/v1/bookings/confirm', body);
  if (status !== 201) throw new Error(`A confirm is ${status}`);
}

async function release(partner: Partner, slotId: string, n: number): Promise<void> {
  const hold = await placeHold(partner, slotId, { idempotency_key: `released-${n}` });
  const { status } = await partner.api.post(`/api/v1/partner/holds/${String(hold['hold_id'])}/cancel`, {});
  if (status !== 200) throw new Error(`A cancel is ${status}`);
}

async function forEach(
  slots: readonly string[],
  work: (slotId: string, n: number) => Promise<void>,
): Promise<void> {
  if (slots.length < count) throw new Error(`There are ${slots.length} slots of ${count}`);
  let next = 0;
  const lane = async (): Promise<void> => {
    for (let n = next++; n < slots.length; n = next++) await work(slots[n] ?? '', n);
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, lane));
}

/** The sizes of the collections, once that many deliveries more have succeeded than there were, and the disk has everything. */
async function sizesOf({ context: { db } }: Service, since?: Sizes, deliveries = 0): Promise<Sizes> {
  const wanted = (since?.deliveries.documents ?? 0) + deliveries;
  const succeeded = () => db.collection('deliveries').countDocuments({ state: 'succeeded' });
  const undispatched = () => db.collection('reservations').countDocuments({ outboxSince: { $exists: true } });
  await eventually(
    `${wanted} deliveries have succeeded, each at its first attempt`,
    async () => (await succeeded()) >= wanted,
    DELIVERED_WITHIN_MS,
  );
  await eventually('no event waits', async () => (await undispatched()) === 0, DELIVERED_WITHIN_MS);
  await db.getClient().db('admin').command({ fsync: 1 });
  const sizes = COLLECTIONS.map(async (name): Promise<[string, Size]> => {
    const stats = { $collStats: { storageStats: {} } };
    const [found] = await db
      .collection(name)
      .aggregate<{ storageStats: Record<string, number> }>([stats], { readConcern: { level: 'local' } })
      .toArray();
    const {
      count: documents = 0,
      size: data = 0,
      storageSize = 0,
      freeStorageSize = 0,
      totalIndexSize = 0,
    } = found?.storageStats ?? {};
    return [name, { documents, data, stored: storageSize - freeStorageSize, indexes: totalIndexSize }];
  });
  return Object.fromEntries(await Promise.all(sizes)) as Sizes;
}

function print(what: string, before: Sizes, after: Sizes): void {
  const rows = COLLECTIONS.map((name) => {
    const [a, b] = [before[name], after[name]];
    return { name, each: (b.documents - a.documents) / count, ...differences(a, b) };
  });
  const sum = (field: 'data' | 'stored' | 'indexes') => rows.reduce((total, row) => total + row[field], 0);
  const total = {
    name: 'together',
    each: rows.reduce((n, { each }) => n + each, 0),
    data: sum('data'),
    stored: sum('stored'),
    indexes: sum('indexes'),
  };
  const lines = [...rows, total].map(
    ({ name, each, data, stored, indexes }) =>
      `| ${what}: ${name} | ${each} | ${data} | ${stored} | ${indexes} | ${stored + indexes} |`,
  );
  process.stdout.write(`${lines.join('\n')}\n`);
}

/** A reservation's part of what has come, in bytes. */
function differences(a: Size, b: Size): Pick<Size, 'data' | 'stored' | 'indexes'> {
  const each = (field: 'data' | 'stored' | 'indexes') => Math.round((b[field] - a[field]) / count);
  return { data: each('data'), stored: each('stored'), indexes: each('indexes') };
}
