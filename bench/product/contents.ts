import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import mongoose from 'mongoose';
import { apiCaller, textField } from '../../src/development/embedded/api-caller.ts';
import { ensureCollection } from '../../src/platform/ensure-collection.ts';
import { newId } from '../../src/platform/ids.ts';
import { RESERVATIONS } from '../../src/reservations/reservations.indexes.ts';
import type { Reservation } from '../../src/reservations/reservations.model.ts';
import type { Originals } from './copies.ts';
import { copyOf } from './copies.ts';
import type { Product } from './product.ts';
import type { Provisioned } from './provision.ts';
import { slotAt } from './slots.ts';

/** The collection that the limits write to. Has the indexes and validator of the product's reservations. */
export const RAW_COLLECTION = 'bench_reservations';

/** Direct access to the product's MongoDB and Redis. */
export type Contents = {
  originals: Originals;
  /** Deletes all reservations, events, deliveries and jobs. */
  clear: () => Promise<void>;
  /** Deletes all ACTIVE holds and nothing else. */
  clearHolds: () => Promise<void>;
  /** Inserts copies of `original` on `count` slots from number `firstSlot` on. Returns them in this order. */
  add: (
    collection: 'reservations' | typeof RAW_COLLECTION,
    original: Reservation,
    firstSlot: number,
    count: number,
  ) => Promise<Reservation[]>;
  insert: (collection: 'reservations' | typeof RAW_COLLECTION, documents: readonly Reservation[]) => Promise<void>;
  /** Counts reservations with undispatched events, and unfinished deliveries. */
  countWaiting: () => Promise<number>;
  /** Waits until `countWaiting` is 0. False after `timeoutMs`. */
  untilSettled: (timeoutMs: number) => Promise<boolean>;
  /** Waits until no hold is ACTIVE. False after `timeoutMs`. */
  untilNoneActive: (timeoutMs: number) => Promise<boolean>;
  /** Counts `hold_expired` events, dispatched or not. */
  countExpiredEvents: () => Promise<number>;
  close: () => Promise<void>;
};

const AT_A_TIME = 1000;
const POLL_MS = 40;

export async function openContents(product: Product, provisioned: Provisioned): Promise<Contents> {
  const db = mongoose.createConnection(product.mongodbUri, { autoIndex: false, autoCreate: false });
  await db.asPromise();
  const redis = new Redis(product.redisUrl);
  const collectionOf = (name: string) => db.collection<Reservation>(name);
  await ensureCollection(db, { ...RESERVATIONS, name: RAW_COLLECTION });

  const insert: Contents['insert'] = async (name, documents) => {
    for (let from = 0; from < documents.length; from += AT_A_TIME)
      await collectionOf(name).insertMany(documents.slice(from, from + AT_A_TIME), { ordered: false });
  };
  const countWaiting = async () => {
    const [events, deliveries] = await Promise.all([
      collectionOf('reservations').countDocuments({ outboxSince: { $exists: true } }),
      db.collection('deliveries').countDocuments({ state: { $in: ['pending', 'retrying'] } }),
    ]);
    return events + deliveries;
  };
  const clear = async () => {
    await Promise.all(
      ['reservations', RAW_COLLECTION, 'events', 'deliveries'].map((name) => db.collection(name).deleteMany({})),
    );
    await deleteJobs(redis);
  };
  const contents = {
    insert,
    countWaiting,
    clear,
    clearHolds: async () => {
      await collectionOf('reservations').deleteMany(ACTIVE);
    },
    add: async (name, original, firstSlot, count) => {
      const target = { venue: provisioned.venue, partnerIds: provisioned.partnerIds };
      const copies = Array.from({ length: count }, (_, n) => copyOf(original, target, firstSlot + n));
      await insert(name, copies);
      return copies;
    },
    untilSettled: (timeoutMs) => eventually(timeoutMs, async () => (await countWaiting()) === 0),
    untilNoneActive: (timeoutMs) =>
      eventually(timeoutMs, async () => (await collectionOf('reservations').countDocuments(ACTIVE)) === 0),
    countExpiredEvents: async () => {
      const rows = await collectionOf('reservations').find({}).project<Reservation>({ outbox: 1 }).toArray();
      const undispatched = rows.flatMap(({ outbox }) => outbox.filter(({ type }) => type === 'hold_expired'));
      const dispatched = await db.collection<{ _id: string }>('events').find({ type: 'hold_expired' }).toArray();
      return new Set([...undispatched.map(({ eventId }) => eventId), ...dispatched.map(({ _id }) => _id)]).size;
    },
    close: async () => {
      redis.disconnect();
      await db.close();
    },
  } satisfies Omit<Contents, 'originals'>;
  const originals = await makeOriginals(product, provisioned, (id) =>
    collectionOf('reservations').findOne({ _id: id }),
  );
  await clear();
  return { ...contents, originals };
}

const ACTIVE = { status: 'ACTIVE' } as const;

/** Waits until the condition holds. False after `timeoutMs`. */
export async function eventually(
  timeoutMs: number,
  condition: () => Promise<boolean>,
  pollMs = POLL_MS,
): Promise<boolean> {
  const endsAt = performance.now() + timeoutMs;
  while (!(await condition())) {
    if (performance.now() > endsAt) return false;
    await delay(pollMs);
  }
  return true;
}

/** Deletes all jobs: jobs of deleted reservations would slow down the next run. */
async function deleteJobs(redis: Redis): Promise<void> {
  for await (const keys of redis.scanStream({ match: '{pbs}:*', count: 1000 })) {
    const queueKeys = (keys as string[]).filter((key) => /:(hold-expiry|webhook-delivery|dead-letter):/.test(key));
    const jobKeys = queueKeys.filter((key) => !key.endsWith(':meta'));
    if (jobKeys.length > 0) await redis.unlink(jobKeys);
  }
}

/** Places, confirms, cancels and releases holds over HTTP. Reads the document after each change. No worker may run. */
async function makeOriginals(
  { url }: Product,
  { partners, venue }: Provisioned,
  find: (id: string) => Promise<Reservation | null>,
): Promise<Originals> {
  const call = apiCaller(url, partners[0]?.apiKey ?? '');
  const post = (path: string, body: object) => call('POST', `/api/v1/${path}`, body);
  const place = async (slot: number) =>
    textField(await post('partner/holds', { slot_id: slotAt(venue, slot).slotId }), 'hold_id');
  const [holdId, otherId] = [await place(0), await place(1)];
  const read = async (id = holdId): Promise<Reservation> => {
    const found = await find(id);
    if (found === null) throw new Error('The product did not store an acknowledged reservation');
    return found;
  };
  const hold = await read();
  const customer = { customer_name: 'Asha Rao', customer_phone: '+919876543210', payment_reference: 'pay_1' };
  const confirmed = await post('bookings/confirm', {
    hold_id: holdId,
    ...customer,
    idempotency_key: newId(),
  });
  const booking = await read();
  const cancel = { reason: 'rain', idempotency_key: newId() };
  await post(`bookings/${textField(confirmed, 'booking_id')}/cancel`, cancel);
  await post(`partner/holds/${otherId}/cancel`, {});
  return { hold, booking, cancelled: await read(), released: await read(otherId) };
}
