import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import type { EntryKind } from '../../src/platform/cache-entries.store.ts';
import type { Entry, Lease, LeasedCache } from '../../src/platform/leased-cache.ts';
import { leasedCacheOf, setLeaseMs } from '../../src/platform/leased-cache.ts';
import { createLogger } from '../../src/platform/logger.ts';
import type { Db } from '../../src/platform/mongo.ts';
import { createDb, openDb } from '../../src/platform/mongo-connection.ts';
import { eventually } from '../support/eventually.ts';
import { latch } from '../support/latch.ts';
import { databaseUri, freshName } from '../support/service-environment.ts';
import { type CacheCalls, watchCacheCalls } from './cache-calls.ts';

/** Longer than any test, so that no lease ends during one unless it advances the clock. */
const LONG_MS = 10_000;
/** For tests that wait until a lease ends. */
const SHORT_MS = 800;

type Thing = { n: number; text?: string };
type Call = () => Promise<unknown>;

const THINGS: EntryKind = { collection: 'things', stages: [] };

/** A process with its own connection and cache. */
type Peer = {
  db: Db;
  cache: LeasedCache;
  entry(name: string, from?: 'database'): Promise<Entry<Thing> | null>;
  /** The value of the entry. */
  read(name: string, from?: 'database'): Promise<Thing | null>;
  write(name: string, thing: Thing): Promise<void>;
  readings: number;
  confirmations: number;
} & CacheCalls;

let database = freshName();
let peers: Peer[] = [];
let shiftedMs = 0;
const realNow = performance.now.bind(performance);

afterEach(async () => {
  jest.restoreAllMocks();
  shiftedMs = 0;
  await Promise.all(peers.map(({ db }) => db.close()));
  // Drop with a fresh connection: a peer's commands in progress would create the database again.
  const last = await connected(createDb());
  await last.dropDatabase();
  await last.close();
  [database, peers] = [freshName(), []];
});

/** Advances `performance.now()`, by which leases are measured. */
function passTime(ms: number): void {
  shiftedMs += ms;
  jest.spyOn(performance, 'now').mockImplementation(() => realNow() + shiftedMs);
}

async function connected(db: Db): Promise<Db> {
  const log = createLogger('peer', 'silent');
  await openDb(db, databaseUri(database), log, new AbortController().signal);
  return db;
}

async function openPeer(leaseMs = LONG_MS): Promise<Peer> {
  const db = createDb();
  setLeaseMs(db, leaseMs);
  await connected(db);
  const cache = leasedCacheOf(db);
  const peer: Peer = {
    db,
    cache,
    readings: 0,
    confirmations: 0,
    onReading: unhindered,
    onConfirmation: unhindered,
    entry: (name, from) => cache.read<Thing>(THINGS, name, from),
    read: async (name, from) => (await cache.read<Thing>(THINGS, name, from))?.value ?? null,
    write: async (name, thing) => {
      const things = db.collection<Thing & { _id: string }>('things');
      await things.replaceOne({ _id: name }, thing, { upsert: true });
    },
  };
  watchCacheCalls(db, {
    onReading: (read) => {
      peer.readings += 1;
      return peer.onReading(read);
    },
    onConfirmation: (confirm) => {
      peer.confirmations += 1;
      return peer.onConfirmation(confirm);
    },
  });
  peers.push(peer);
  return peer;
}

/** Reads the thing; resolves when it is cached. */
async function cached(peer: Peer, name: string): Promise<Thing> {
  return eventually(`${name} is cached`, async () => {
    const thing = await peer.read(name);
    const { readings } = peer;
    return thing !== null && (await peer.read(name)) === thing && peer.readings === readings && thing;
  });
}

const leaseOf = ({ cache }: Peer, ...entries: (Entry | null)[]): Promise<Lease | undefined> =>
  cache.lease(
    entries.filter((entry) => entry !== null),
    1000,
  );

/** `hold` delays the result of a call until `open` is called; `reached` resolves when the call has a result. */
function gate() {
  const [reached, opened] = [latch(), latch()];
  const hold = async (call: Call) => {
    const result = await call();
    reached.open();
    await opened.opened;
    return result;
  };
  return { hold, reached: reached.opened, open: opened.open };
}

const unhindered = (call: Call) => call();
const failing = () => Promise.reject(new Error('no primary'));

/** Tells the peer's driver of another primary. */
function elect(peer: Peer): void {
  const elected = { type: 'RSPrimary', address: 'other:27017', electionId: undefined };
  const newDescription = { type: 'ReplicaSetWithPrimary', servers: new Map([[elected.address, elected]]) };
  peer.db.getClient().emit('topologyDescriptionChanged', { newDescription } as never);
}

describe('an entry', () => {
  test('is read once, and stays the same object until it changes', async () => {
    const peer = await openPeer();
    await peer.write('a', { n: 1 });
    const first = await cached(peer, 'a');
    await peer.cache.invalidate('here');
    expect(await cached(peer, 'a')).toBe(first);
    await peer.write('a', { n: 2 });
    // Control: the cache has not been invalidated.
    expect(await peer.read('a')).toBe(first);
    expect(await peer.read('a', 'database')).toMatchObject({ n: 2 });
    expect(await cached(peer, 'a')).toMatchObject({ n: 2 });
  });

  test('is never made for a missing document', async () => {
    const [peer, other] = [await openPeer(), await openPeer()];
    expect(await peer.read('a')).toBeNull();
    await other.write('a', { n: 1 });
    expect(await peer.read('a')).toMatchObject({ n: 1 });
    await cached(peer, 'a');
    await other.db.collection('things').deleteOne({ _id: 'a' as never });
    expect(await peer.read('a', 'database')).toBeNull();
    await eventually('it is gone', async () => (await peer.read('a')) === null);
  });

  test('that is used is read again within half a lease, so that no call waits and changes of other processes are seen', async () => {
    const [leaseMs, readingMs] = [2000, 150];
    const [peer, other] = [await openPeer(leaseMs), await openPeer()];
    await peer.write('a', { n: 1 });
    await cached(peer, 'a');
    peer.onReading = async (read) => {
      await delay(readingMs);
      return read();
    };
    const [beganAt, { readings }] = [realNow(), peer];
    let slowestMs = 0;
    while (realNow() - beganAt < 2 * leaseMs) {
      const calledAt = realNow();
      await peer.read('a');
      slowestMs = Math.max(slowestMs, realNow() - calledAt);
      await delay(5);
    }
    expect(slowestMs).toBeLessThan(readingMs);
    expect(peer.readings).toBeGreaterThan(readings + 2);
    await other.write('a', { n: 2 });
    const changedAt = realNow();
    await eventually('the change is known', async () => (await peer.read('a'))?.n === 2);
    expect(realNow() - changedAt).toBeLessThan(leaseMs / 2 + 2 * readingMs);
  });

  test('older than half a lease is not returned', async () => {
    const peer = await openPeer();
    await peer.write('a', { n: 1 });
    await cached(peer, 'a');
    await peer.write('a', { n: 2 });
    passTime(LONG_MS / 2);
    expect(await peer.read('a')).toMatchObject({ n: 2 });
  });

  test('that is unused is not read again, and is dropped after a minute', async () => {
    const sweeps: (() => void)[] = [];
    const original = globalThis.setTimeout;
    const catchSweeps = (run: () => void, ms?: number, ...rest: unknown[]) => {
      if (ms === 60_000) sweeps.push(run);
      return original(run, ms, ...(rest as []));
    };
    jest.spyOn(globalThis, 'setTimeout').mockImplementation(catchSweeps);
    const peer = await openPeer(100);
    await Promise.all([peer.write('a', { n: 1 }), peer.write('b', { n: 1 })]);
    await Promise.all([peer.read('a'), peer.read('b')]);
    await eventually('both are cached', () => peer.cache.size().entries === 2);
    const { readings, confirmations } = peer;
    await delay(500);
    expect([peer.readings, peer.confirmations]).toEqual([readings, confirmations]);
    passTime(59_000);
    await peer.read('b');
    passTime(2000);
    sweeps.shift()?.();
    expect(peer.cache.size().entries).toBe(1);
  });

  test('is read again together with all other used entries, at most eight times in a lease', async () => {
    const peer = await openPeer();
    const names = Array.from({ length: 30 }, (_, index) => `thing-${index}`);
    await Promise.all(names.map((name) => peer.write(name, { n: 1 })));
    // Read them one after the other, so that their entries differ in age.
    for (const name of names) await peer.read(name);
    await eventually('all are cached', () => peer.cache.size().entries === names.length);
    peer.onConfirmation = async (confirm) => {
      await delay(100);
      return confirm();
    };
    const [beganAt, before] = [performance.now(), peer.readings];
    while (performance.now() - beganAt < 2 * LONG_MS) {
      passTime(100);
      await Promise.all(names.map((name) => peer.read(name)));
      await delay(10);
    }
    const leases = (performance.now() - beganAt) / LONG_MS;
    expect(peer.readings - before).toBeLessThanOrEqual(8 * leases + 1);
    expect(peer.readings - before).toBeGreaterThan(leases);
  });

  test('is dropped if all entries together take more than 32 MB', async () => {
    const peer = await openPeer();
    const text = 'x'.repeat(7 * 1024 * 1024);
    for (const name of ['a', 'b', 'c', 'd', 'e']) {
      await peer.write(name, { n: 1, text });
      await leaseOf(peer, await peer.entry(name));
    }
    const { entries, bytes } = peer.cache.size();
    expect(entries).toBe(4);
    expect(bytes).toBeLessThan(32 * 1024 * 1024);
  });
});

describe('a read', () => {
  /** Starts a read that has found 1 and is delayed, and then changes the value to 2. */
  async function overtakenReading() {
    const peer = await openPeer();
    await peer.write('a', { n: 1 });
    const held = gate();
    peer.onReading = held.hold;
    const first = peer.read('a');
    await held.reached;
    peer.onReading = unhindered;
    await peer.write('a', { n: 2 });
    return { peer, held, first };
  }

  test('that began before a change by this process is not cached after it', async () => {
    const { peer, held, first } = await overtakenReading();
    await peer.cache.invalidate('here');
    held.open();
    expect(await first).toMatchObject({ n: 1 });
    expect(await peer.read('a')).toMatchObject({ n: 2 });
  });

  test('that a later read has overtaken does not replace the later result', async () => {
    const { peer, held, first } = await overtakenReading();
    // The second read does not wait for the first, which hangs.
    expect(await peer.read('a')).toMatchObject({ n: 2 });
    const second = await cached(peer, 'a');
    held.open();
    await leaseOf(peer, await peer.entry('a'));
    expect(await first).toMatchObject({ n: 1 });
    expect(await peer.read('a')).toBe(second);
  });

  test('is not cached until the primary is confirmed: until then, calls read the database and get no lease', async () => {
    const peer = await openPeer(SHORT_MS);
    peer.onConfirmation = failing;
    for (const n of [1, 2]) {
      await peer.write('a', { n });
      expect(await peer.read('a')).toMatchObject({ n });
      expect(await leaseOf(peer, await peer.entry('a'))).toBeUndefined();
    }
    expect(await peer.cache.isConfirmable()).toBe(false);
    peer.onConfirmation = unhindered;
    await cached(peer, 'a');
    expect(await leaseOf(peer, await peer.entry('a'))).toBeDefined();
    expect(await peer.cache.isConfirmable()).toBe(true);
  });

  test('whose confirmation hangs gets no lease, and does not prevent leases of other reads', async () => {
    const peer = await openPeer();
    await peer.write('a', { n: 1 });
    const held = gate();
    peer.onConfirmation = held.hold;
    const first = await peer.entry('a');
    await held.reached;
    peer.onConfirmation = unhindered;
    const beganAt = realNow();
    expect(await peer.cache.lease(first === null ? [] : [first], 300)).toBeUndefined();
    expect(realNow() - beganAt).toBeLessThan(1000);
    expect(await leaseOf(peer, await peer.entry('a'))).toBeDefined();
    held.open();
  });

  test.each(['reading', 'confirmation'])(
    'is discarded if the driver learns of another primary during its %s',
    async (part) => {
      const peer = await openPeer();
      await peer.write('a', { n: 1 });
      const held = gate();
      if (part === 'reading') peer.onReading = held.hold;
      else peer.onConfirmation = held.hold;
      const reading = peer.entry('a');
      await held.reached;
      elect(peer);
      await peer.write('a', { n: 2 });
      peer.onReading = unhindered;
      peer.onConfirmation = unhindered;
      held.open();
      expect(await leaseOf(peer, await reading)).toBeUndefined();
      expect(await peer.read('a')).toMatchObject({ n: 2 });
    },
  );
});

describe('a lease', () => {
  const databaseTimeMs = async ({ db }: Peer): Promise<number> => {
    const { localTime } = await db.getClient().db('admin').command({ hello: 1 });
    return (localTime as Date).getTime();
  };
  const endsAt = (lease: Lease | undefined): number => lease?.beginBy.getTime() ?? Number.NaN;

  test('allows a write to begin within the first 0.6 of its length, by the database’s clock, and to take the other 0.4', async () => {
    const peer = await openPeer();
    await Promise.all([peer.write('a', { n: 1 }), peer.write('b', { n: 1 })]);
    const before = await databaseTimeMs(peer);
    const a = await peer.entry('a');
    const after = await databaseTimeMs(peer);
    await delay(20);
    const lease = await leaseOf(peer, await peer.entry('b'), a);
    expect(lease?.maxTimeMS).toBe(0.4 * LONG_MS);
    expect(endsAt(lease)).toBeGreaterThanOrEqual(before + 0.6 * LONG_MS);
    expect(endsAt(lease)).toBeLessThanOrEqual(after + 0.6 * LONG_MS);
  });

  test('is extended by a read of the same value, not by a read of a changed one', async () => {
    const peer = await openPeer();
    await peer.write('a', { n: 1 });
    await cached(peer, 'a');
    const lease = await leaseOf(peer, await peer.entry('a'));
    const first = endsAt(lease);
    await delay(10);
    await peer.read('a', 'database');
    await eventually('it is extended', () => endsAt(lease) > first);
    const second = endsAt(lease);
    await peer.write('a', { n: 2 });
    await peer.read('a', 'database');
    expect(await cached(peer, 'a')).toMatchObject({ n: 2 });
    expect(endsAt(lease)).toBe(second);
  });

  test('ends when the driver learns of another primary, which also empties the cache', async () => {
    const peer = await openPeer();
    await peer.write('a', { n: 1 });
    await cached(peer, 'a');
    const lease = await leaseOf(peer, await peer.entry('a'));
    elect(peer);
    expect(endsAt(lease)).toBe(0.6 * LONG_MS);
    await peer.write('a', { n: 2 });
    expect(await peer.read('a')).toMatchObject({ n: 2 });
  });

  test('delays the changes of other processes until it ends, even if their leases are shorter', async () => {
    const [long, short] = [await openPeer(1000), await openPeer(50)];
    await long.write('a', { n: 1 });
    await long.read('a');
    await short.read('a');
    const beganAt = realNow();
    await short.cache.invalidate('everywhere');
    expect(realNow() - beganAt).toBeGreaterThanOrEqual(1199);
  });
});
