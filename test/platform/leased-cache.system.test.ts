import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { noteChange, raiseLease } from '../../src/platform/cache-versions.store.ts';
import type { LeasedCache } from '../../src/platform/leased-cache.ts';
import { leasedCacheOf, setLeaseMs } from '../../src/platform/leased-cache.ts';
import { createLogger } from '../../src/platform/logger.ts';
import type { Db } from '../../src/platform/mongo.ts';
import { createDb, openDb } from '../../src/platform/mongo.ts';
import { NEWEST } from '../../src/platform/newest-reads.ts';
import type { Lease } from '../../src/platform/version-leases.ts';
import { eventually } from '../support/eventually.ts';
import { databaseUri, freshName } from '../support/service-environment.ts';

/** Longer than any test takes: what it shows does not depend on when a lease ends. */
const LONG_MS = 10_000;
/** Short, for tests that wait for its end. */
const SHORT_MS = 800;
/** Longer than one reading, so that a stuck one is followed by another. */
const PATIENCE_MS = 1200;

type Thing = { n: number; text?: string };

/** A process: a connection of its own, and what it keeps in memory. */
type Peer = {
  db: Db;
  cache: LeasedCache;
  /** The thing of that name, from memory or by a load. */
  read(name: string): Promise<Thing | null>;
  reread(name: string): Promise<Thing | null>;
  /** Writes the thing, and nothing else. */
  write(name: string, thing: Thing): Promise<void>;
  /** How often each name was loaded. */
  loads: Map<string, number>;
  /** The next load waits at the gate once it has read. */
  holdNextLoad(): Gate;
  /** The version was asked for so many times. */
  readings: number;
  /** What becomes of each reading of the version; undefined: nothing is in its way. */
  onReading: ((read: () => Promise<unknown>) => Promise<unknown>) | undefined;
};

type Gate = { reached: Promise<void>; arrive: () => void; opened: Promise<void>; open: () => void };

function latch(): { opened: Promise<void>; open: () => void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

function gate(): Gate {
  const reached = latch();
  return { reached: reached.opened, arrive: reached.open, ...latch() };
}

let database = freshName();
let peers: Peer[] = [];
let shiftedMs = 0;
const realNow = performance.now.bind(performance);

afterEach(async () => {
  jest.restoreAllMocks();
  shiftedMs = 0;
  await Promise.all(peers.map(({ db }) => db.close()));
  // By a connection that writes nothing else: what a peer has under way would make a dropped database anew.
  const last = await connected(createDb());
  await last.dropDatabase();
  await last.close();
  [database, peers] = [freshName(), []];
});

/** What every clock of this process shows from now on, for leases and ages. */
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
  const loads = new Map<string, number>();
  let held: Gate | undefined;
  const load = (name: string) => async () => {
    loads.set(name, (loads.get(name) ?? 0) + 1);
    const found = await db.collection<Thing & { _id: string }>('things').findOne({ _id: name }, NEWEST);
    const at = held;
    held = undefined;
    at?.arrive();
    await at?.opened;
    return found === null ? null : { value: found, tags: [tagOf(name)] };
  };
  const peer: Peer = {
    ...{ db, cache, loads, readings: 0, onReading: undefined },
    read: (name) => cache.read(name, load(name)),
    reread: (name) => cache.reread(name, load(name)),
    write: async (name, thing) => {
      await db
        .collection<Thing & { _id: string }>('things')
        .replaceOne({ _id: name }, thing, { upsert: true });
    },
    holdNextLoad: () => {
      held = gate();
      return held;
    },
  };
  watchReadings(peer);
  peers.push(peer);
  return peer;
}

const tagOf = (name: string) => `thing:${name}`;
const loadsOf = (peer: Peer, name: string) => peer.loads.get(name) ?? 0;

function watchReadings(peer: Peer): void {
  const versions = peer.db.collection('cache_versions') as unknown as {
    findOne: (...given: unknown[]) => Promise<unknown>;
  };
  const original = versions.findOne.bind(versions);
  versions.findOne = (...given) => {
    peer.readings += 1;
    const read = () => original(...given);
    return peer.onReading === undefined ? read() : peer.onReading(read);
  };
}

/** A peer that has a lease. */
async function leasedPeer(leaseMs?: number): Promise<Peer> {
  const peer = await openPeer(leaseMs);
  await leaseOf(peer);
  return peer;
}

const leaseOf = ({ cache }: Peer): Promise<Lease> => eventually('there is a lease', () => cache.lease(1000));

/** Waits until a reading that began after this has been taken in. */
async function nextReading(peer: Peer): Promise<void> {
  const { onReading } = peer;
  const done = latch();
  // One that is under way may have begun before.
  let isFirst = true;
  peer.onReading = async (read) => {
    if (!isFirst) done.open();
    isFirst = false;
    return onReading === undefined ? read() : onReading(read);
  };
  await done.opened;
  peer.onReading = onReading;
}

describe('what is in memory', () => {
  test('is read once, and the same object until something of it is changed', async () => {
    const peer = await leasedPeer();
    await peer.write('a', { n: 1 });
    const first = await peer.read('a');
    expect(first).toMatchObject({ n: 1 });
    // Control: this is no change that anybody noted.
    await peer.write('a', { n: 2 });
    await nextReading(peer);
    expect(await peer.read('a')).toBe(first);
    expect([loadsOf(peer, 'a'), peer.cache.size().entries]).toEqual([1, 1]);
  });

  test('goes with a change that another process noted, once the version was read; nothing else goes', async () => {
    const [peer, other] = [await leasedPeer(), await leasedPeer()];
    await Promise.all([peer.write('a', { n: 1 }), peer.write('b', { n: 1 })]);
    // What was changed before is not dropped again.
    await other.cache.changed([tagOf('b')]);
    await nextReading(peer);
    const [, b] = [await peer.read('a'), await peer.read('b')];
    await other.write('a', { n: 2 });
    await other.cache.changed([tagOf('a')]);
    await nextReading(peer);
    expect(await peer.read('a')).toMatchObject({ n: 2 });
    expect(await peer.read('b')).toBe(b);
  });

  test('goes at once with a change of its own process', async () => {
    const peer = await leasedPeer();
    await peer.write('a', { n: 1 });
    await peer.read('a');
    await peer.write('a', { n: 2 });
    const noted = peer.cache.changed([tagOf('a')]);
    expect(await peer.read('a')).toMatchObject({ n: 2 });
    await noted;
  });

  test('is never that something is missing', async () => {
    const [peer, other] = [await leasedPeer(), await leasedPeer()];
    expect(await peer.read('a')).toBeNull();
    // Who makes something notes no change.
    await other.write('a', { n: 1 });
    expect(await peer.read('a')).toMatchObject({ n: 1 });
  });

  test('is read anew, and replaced, by who asks for that', async () => {
    const peer = await leasedPeer();
    await peer.write('a', { n: 1 });
    await peer.read('a');
    await peer.write('a', { n: 2 });
    const newer = await peer.reread('a');
    expect(newer).toMatchObject({ n: 2 });
    expect(await peer.read('a')).toBe(newer);
  });

  test('is read again when it is older than 10 s', async () => {
    const peer = await leasedPeer();
    await peer.write('a', { n: 1 });
    const first = await peer.read('a');
    // The change of a process that died before it noted it.
    await peer.write('a', { n: 2 });
    passTime(9000);
    await leaseOf(peer);
    expect(await peer.read('a')).toBe(first);
    passTime(1500);
    await leaseOf(peer);
    expect(await peer.read('a')).toMatchObject({ n: 2 });
    expect(loadsOf(peer, 'a')).toBe(2);
  });

  test('is bounded in bytes: what was not used for longest goes first', async () => {
    const peer = await leasedPeer();
    const megabytes = (n: number) => 'x'.repeat(n * 1024 * 1024);
    const names = Array.from({ length: 5 }, (_, index) => `big-${index}`);
    for (const name of names) await peer.write(name, { n: 1, text: megabytes(7) });
    for (const name of names.slice(0, 4)) await peer.read(name);
    expect(peer.cache.size()).toMatchObject({ entries: 4 });
    const used = await peer.read('big-0');
    await peer.read('big-4');
    expect(peer.cache.size().bytes).toBeLessThan(32 * 1024 * 1024);
    expect(await peer.read('big-0')).toBe(used);
    await peer.read('big-1');
    expect(names.map((name) => loadsOf(peer, name))).toEqual([1, 2, 1, 1, 1]);
  });

  test('is bounded for many small things as well', async () => {
    const peer = await leasedPeer();
    const few = 500;
    const load = async () => ({ value: {}, tags: [] });
    for (let index = 0; index < few; index += 1) await peer.cache.read(`small-${index}`, load);
    const { entries, bytes } = peer.cache.size();
    expect(entries).toBe(few);
    // What an entry takes beside its value: more than a hundred thousand of them are not kept.
    expect(bytes / few).toBeGreaterThan((32 * 1024 * 1024) / 200_000);
  });
});

describe('a load that began before a change', () => {
  test.each(['its own process', 'another'])(
    'of %s is not kept, and who shares it loads again',
    async (whose) => {
      const [peer, other] = [await leasedPeer(), await leasedPeer()];
      await peer.write('a', { n: 1 });
      const held = peer.holdNextLoad();
      const first = peer.read('a');
      await held.reached;
      const sharing = [peer.read('a'), peer.read('a')];
      await peer.write('a', { n: 2 });
      await (whose === 'another' ? other : peer).cache.changed([tagOf('a')]);
      if (whose === 'another') await nextReading(peer);
      held.open();
      expect(await first).toMatchObject({ n: 1 });
      for (const thing of await Promise.all(sharing)) expect(thing).toMatchObject({ n: 2 });
      expect(await peer.read('a')).toMatchObject({ n: 2 });
      // One for all who had shared it.
      expect(loadsOf(peer, 'a')).toBe(2);
    },
  );

  test.each(['its own process', 'another'])(
    'of %s is not kept where nobody shares it either',
    async (whose) => {
      const [peer, other] = [await leasedPeer(), await leasedPeer()];
      await peer.write('a', { n: 1 });
      const held = peer.holdNextLoad();
      const first = peer.read('a');
      await held.reached;
      await peer.write('a', { n: 2 });
      await (whose === 'another' ? other : peer).cache.changed([tagOf('a')]);
      if (whose === 'another') await nextReading(peer);
      held.open();
      expect(await first).toMatchObject({ n: 1 });
      expect(await peer.read('a')).toMatchObject({ n: 2 });
    },
  );

  test('is kept where the change was of something else', async () => {
    const peer = await leasedPeer();
    await peer.write('a', { n: 1 });
    const held = peer.holdNextLoad();
    const [first, sharing] = [peer.read('a'), peer.read('a')];
    await held.reached;
    await peer.cache.changed([tagOf('b')]);
    held.open();
    expect(await sharing).toBe(await first);
    expect(await peer.read('a')).toBe(await first);
  });

  test('that found nothing is no answer for who came meanwhile', async () => {
    const peer = await leasedPeer();
    const held = peer.holdNextLoad();
    const first = peer.read('a');
    await held.reached;
    await peer.write('a', { n: 1 });
    const sharing = [peer.read('a'), peer.read('a')];
    held.open();
    expect(await first).toBeNull();
    for (const thing of await Promise.all(sharing)) expect(thing).toMatchObject({ n: 1 });
  });

  test('and is stuck on its connection, keeps nobody else waiting', async () => {
    const peer = await leasedPeer();
    await peer.write('a', { n: 1 });
    const held = peer.holdNextLoad();
    const first = peer.read('a');
    await held.reached;
    passTime(150);
    await leaseOf(peer);
    const second = await peer.read('a');
    expect(second).toMatchObject({ n: 1 });
    held.open();
    await first;
  });
});

describe('everything in memory goes', () => {
  /** Reads `a` and `b`; returns whether they are still in memory after that. */
  async function keptAfter(peer: Peer, work: () => Promise<unknown>): Promise<boolean[]> {
    const names = ['a', 'b'];
    for (const name of names) await peer.write(name, { n: 1 });
    await Promise.all(names.map((name) => peer.read(name)));
    const block = gate();
    peer.onReading = async (read) => {
      await block.opened;
      return read();
    };
    await work();
    block.open();
    peer.onReading = undefined;
    await nextReading(peer);
    await Promise.all(names.map((name) => peer.read(name)));
    return names.map((name) => loadsOf(peer, name) === 1);
  }

  test('with more changes than are kept: of what they were is not known', async () => {
    const [peer, other] = [await leasedPeer(), await leasedPeer()];
    const note = async (count: number) => {
      await other.cache.changed([tagOf('a')]);
      await other.cache.changed(Array.from({ length: count }, (_, index) => `other:${index}`));
    };
    expect(await keptAfter(peer, () => note(200))).toEqual([false, false]);
  });

  test('control: not with fewer', async () => {
    const [peer, other] = [await leasedPeer(), await leasedPeer()];
    const note = async (count: number) => {
      await other.cache.changed([tagOf('a')]);
      await other.cache.changed(Array.from({ length: count }, (_, index) => `other:${index}`));
    };
    expect(await keptAfter(peer, () => note(150))).toEqual([false, true]);
    // Nor does it where older ones than are known have gone.
    expect(await keptAfter(await leasedPeer(), () => note(150))).toEqual([false, true]);
  });

  test('likewise what is being loaded', async () => {
    const [peer, other] = [await leasedPeer(), await leasedPeer()];
    await peer.write('a', { n: 1 });
    const held = peer.holdNextLoad();
    const first = peer.read('a');
    await held.reached;
    await other.cache.changed([tagOf('a'), ...Array.from({ length: 200 }, (_, index) => `other:${index}`)]);
    await nextReading(peer);
    await peer.write('a', { n: 2 });
    held.open();
    await first;
    expect(await peer.read('a')).toMatchObject({ n: 2 });
  });

  test('with a version that is behind: it is of another database, such as one that was restored', async () => {
    const [peer, other] = [await leasedPeer(), await leasedPeer()];
    await other.cache.changed(['any']);
    await other.cache.changed(['any']);
    await nextReading(peer);
    const restore = () =>
      peer.db.collection('cache_versions').updateOne({}, { $set: { version: 1, changes: [] } });
    expect(await keptAfter(peer, restore)).toEqual([false, false]);
  });
});

describe('the age of what is in memory', () => {
  test('is how long ago the database confirmed it last, and grows while it cannot', async () => {
    const peer = await openPeer();
    expect(peer.cache.leaseAgeMs()).toBeUndefined();
    await leaseOf(peer);
    peer.onReading = () => Promise.reject(new Error('away'));
    passTime(60_000);
    expect(peer.cache.isLeased()).toBe(false);
    expect(peer.cache.leaseAgeMs()).toBeGreaterThanOrEqual(60_000);
    peer.onReading = undefined;
    await eventually('it is confirmed', () => (peer.cache.leaseAgeMs() ?? Number.NaN) < 60_000);
  });
});

describe('a lease', () => {
  const storedLeaseMs = async ({ db }: Peer) =>
    (await db.collection('cache_versions').findOne({}))?.['leaseMs'];
  const lastsMs = ({ maxTimeMS }: Lease) => Math.round(maxTimeMS / 0.4);

  test('is as long as the process wants that wants the longest, and never becomes shorter', async () => {
    const first = await leasedPeer(SHORT_MS);
    expect(lastsMs(await leaseOf(first))).toBe(SHORT_MS);
    const second = await leasedPeer(1000);
    await eventually('both have the longer', async () => {
      const leases = await Promise.all([leaseOf(first), leaseOf(second)]);
      return leases.every((lease) => lastsMs(lease) === 1000);
    });
    const third = await leasedPeer(50);
    expect(lastsMs(await leaseOf(third))).toBe(1000);
    await raiseLease(third.db, 50);
    await noteChange(third.db, ['any'], 50);
    expect(await storedLeaseMs(third)).toBe(1000);
    // Whoever wants a short one waits for those that are long.
    const beganAt = realNow();
    await third.cache.changedForAll(['any']);
    expect(realNow() - beganAt).toBeGreaterThanOrEqual(1199);
  });

  test('begins a write within 0.6 of it, and gives it the rest', async () => {
    const peer = await leasedPeer(1000);
    const [{ now }] = (await peer.db
      .collection('cache_versions')
      .aggregate([{ $limit: 1 }, { $project: { now: '$$NOW' } }])
      .toArray()) as [{ now: Date }];
    const { beginBy, maxTimeMS } = await leaseOf(peer);
    expect(maxTimeMS).toBe(400);
    expect(Math.abs(beginBy.getTime() - now.getTime() - 600)).toBeLessThan(590);
  });

  describe('of another process', () => {
    const nowOf = async ({ db }: Peer): Promise<number> => {
      const { localTime } = await db.getClient().db('admin').command({ hello: 1 });
      return (localTime as Date).getTime();
    };

    test.each([
      ['reads the version', false],
      ['cannot read it any more', true],
    ])('that %s is over when a change for all is answered, by both clocks', async (_which, isCutOff) => {
      const [peer, other] = [await leasedPeer(SHORT_MS), await leasedPeer(SHORT_MS)];
      await peer.write('a', { n: 1 });
      const lease = await leaseOf(peer);
      await peer.read('a');
      if (isCutOff) peer.onReading = () => Promise.reject(new Error('cut off'));
      await other.write('a', { n: 2 });
      let isAnswered = false;
      const answered = other.cache.changedForAll([tagOf('a')]).then(() => {
        isAnswered = true;
      });
      // Control: until then it goes on with what it has.
      if (isCutOff) {
        expect(await peer.read('a')).toMatchObject({ n: 1 });
        expect(isAnswered).toBe(false);
      }
      await answered;
      expect(await nowOf(other)).toBeGreaterThan(lease.beginBy.getTime() + lease.maxTimeMS);
      expect(await peer.read('a')).toMatchObject({ n: 2 });
      expect((await peer.cache.lease(isCutOff ? 0 : 1000)) === undefined).toBe(isCutOff);
    });
  });

  test('is prolonged by each reading that finds nothing changed, and by none after a change', async () => {
    const [peer, other] = [await leasedPeer(), await leasedPeer()];
    const drafted = await leaseOf(peer);
    const endsOf = ({ beginBy }: Lease) => beginBy.getTime();
    const first = endsOf(drafted);
    await eventually('it was prolonged', () => endsOf(drafted) > first);

    await other.cache.changed([tagOf('a')]);
    const newer = await eventually('there is another', async () => {
      const lease = await leaseOf(peer);
      return lease !== drafted && lease;
    });
    const last = endsOf(drafted);
    await eventually('that one is prolonged', () => endsOf(newer) > last + 500);
    expect(endsOf(drafted)).toBe(last);
  });

  test('does not cover what was read before it, when there was none: that may have been rolled back', async () => {
    const peer = await openPeer(SHORT_MS);
    peer.onReading = () => Promise.reject(new Error('no primary'));
    await peer.write('a', { n: 1 });
    expect(await peer.read('a')).toMatchObject({ n: 1 });
    // As a rollback leaves it: nobody notes that.
    await peer.write('a', { n: 2 });
    peer.onReading = undefined;
    await leaseOf(peer);
    expect(await peer.read('a')).toMatchObject({ n: 2 });
  });

  test('is over when the driver finds another primary, with all that is in memory and every reading under way', async () => {
    const peer = await leasedPeer();
    await peer.write('a', { n: 1 });
    await peer.read('a');
    const drafted = await leaseOf(peer);
    const held = gate();
    peer.onReading = async (read) => {
      const found = await read();
      held.arrive();
      await held.opened;
      return found;
    };
    await held.reached;
    const elected = { type: 'RSPrimary', address: 'other:27017', electionId: undefined };
    const newDescription = { type: 'ReplicaSetWithPrimary', servers: new Map([[elected.address, elected]]) };
    peer.db.getClient().emit('topologyDescriptionChanged', { newDescription } as never);
    expect(drafted.beginBy.getTime()).toBe(0);
    await peer.write('a', { n: 2 });
    held.open();
    await delay(0);
    expect(await peer.cache.lease(0)).toBeUndefined();
    peer.onReading = undefined;
    await leaseOf(peer);
    expect(await peer.read('a')).toMatchObject({ n: 2 });
  });

  test('does not go back with a reading that a later one has overtaken', async () => {
    const [peer, other] = [await leasedPeer(SHORT_MS), await leasedPeer(SHORT_MS)];
    await peer.write('a', { n: 1 });
    const held = gate();
    peer.onReading = async (read) => {
      peer.onReading = undefined;
      const found = await read();
      held.arrive();
      await held.opened;
      return found;
    };
    await held.reached;
    await other.cache.changed([tagOf('a')]);
    const { beginBy } = await leaseOf(await afterStuckReading(peer));
    const thing = await peer.read('a');
    held.open();
    await delay(0);
    expect((await leaseOf(peer)).beginBy.getTime()).toBeGreaterThanOrEqual(beginBy.getTime());
    await nextReading(peer);
    expect(await peer.read('a')).toBe(thing);
  });

  test('is had soon again where a reading is stuck on its connection', async () => {
    const peer = await leasedPeer(SHORT_MS);
    const held = gate();
    peer.onReading = async (read) => {
      peer.onReading = undefined;
      held.arrive();
      await held.opened;
      return read();
    };
    await held.reached;
    expect(await leaseOf(await afterStuckReading(peer))).toBeDefined();
    held.open();
  });

  /** The peer once its lease is over and another reading was sent. */
  async function afterStuckReading(peer: Peer): Promise<Peer> {
    const { readings } = peer;
    await eventually('another reading is sent', async () => {
      void peer.cache.lease(0);
      return peer.readings > readings;
    });
    return peer;
  }
});

describe('where the version cannot be read', () => {
  test.each([
    ['fails', () => Promise.reject(new Error('no primary'))],
    ['gets no response', () => new Promise<never>(() => undefined)],
  ])(
    'since that %s, the database is asked each time, and a call waits for a lease as long as it wants to',
    async (_how, onReading) => {
      const peer = await openPeer(SHORT_MS);
      peer.onReading = onReading;
      await peer.write('a', { n: 1 });
      const beganAt = realNow();
      expect(await peer.cache.lease(PATIENCE_MS)).toBeUndefined();
      expect(realNow() - beganAt).toBeGreaterThanOrEqual(PATIENCE_MS);
      expect(realNow() - beganAt).toBeLessThan(PATIENCE_MS + SHORT_MS);
      for (const n of [2, 3]) {
        await peer.write('a', { n });
        expect(await peer.read('a')).toMatchObject({ n });
      }
      // It is had as soon as that ends, and with it what is in memory.
      peer.onReading = undefined;
      await leaseOf(peer);
      expect(await peer.read('a')).toBe(await peer.read('a'));
    },
  );
});

describe('the version is read', () => {
  const SOME_READINGS_MS = 800;

  test('while the cache is used, four times a second, and by no more callers than one', async () => {
    // The first process of all finds no version yet, and reads again.
    await leasedPeer();
    const peer = await openPeer();
    await Promise.all(Array.from({ length: 50 }, () => peer.cache.lease(1000)));
    expect(peer.readings).toBe(1);
    await leaseOf(peer);
    const before = peer.readings;
    const beganAt = realNow();
    await eventually('it was read some times', () => peer.readings >= before + 4);
    const tookMs = realNow() - beganAt;
    expect(tookMs).toBeGreaterThan(3 * 240);
  });

  test('no more once nobody uses it, until somebody does', async () => {
    const peer = await leasedPeer(50);
    passTime(600 * 50 + 1);
    await delay(SOME_READINGS_MS / 2);
    const { readings } = peer;
    await delay(SOME_READINGS_MS);
    expect(peer.readings).toBe(readings);
    await leaseOf(peer);
    expect(peer.readings).toBeGreaterThan(readings);
  });

  test('no more once the connection is closed', async () => {
    const peer = await leasedPeer();
    await peer.db.close();
    const { readings } = peer;
    await delay(SOME_READINGS_MS);
    expect(peer.readings).toBe(readings);
  });
});
