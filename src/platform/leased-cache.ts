import { setTimeout as delay } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import {
  changeNoted,
  findNewestVersion,
  noteChange,
  raiseLease,
  readVersion,
} from './cache-versions.store.ts';
import { onePer } from './coalesced.ts';
import { gathered } from './gathered.ts';
import type { Db, Tx } from './mongo.ts';
import { isConnected } from './mongo.ts';

/**
 * What is read after a lease was taken is in force while the lease lasts: a command that begins before `beginBy`, by the database's
 * clock, and is broken off after `maxTimeMS`, has ended by then. (`$$NOW` is when a command began, however long it then waits.)
 * Each reading that finds nothing changed prolongs it, so that both are to be looked at when the command is sent.
 */
export type Lease = { readonly beginBy: Date; readonly maxTimeMS: number };

/** A value and the tags of what it was read from: a change of one of them drops it. */
export type Tagged<T> = { value: T; tags: readonly string[] };

export type LeasedCache = {
  /**
   * A lease for what reads return that begin after this. Undefined where none can be had in half the time that one lasts: then
   * nothing may rest on how long it stays true what reads return.
   */
  lease(): Promise<Lease | undefined>;
  /** Whether a lease lasts: what was read from the primary was the newest state, less than a lease ago. */
  isLeased(): boolean;
  /**
   * The value from memory, else by `load`, which has to read the newest state. Null is never kept: what was missing is asked for
   * again. Values are shared, so nobody may change them; the same object is returned until something of it was changed.
   */
  read<T extends object>(key: string, load: () => Promise<Tagged<T> | null>): Promise<T | null>;
  /** The same by `load` in any case: for a caller who is about to be rejected by what is in memory. */
  reread<T extends object>(key: string, load: () => Promise<Tagged<T> | null>): Promise<T | null>;
  /**
   * Makes sure that what was changed and answered before this call is known: what `read` returns from then on is as new as that. One
   * small read, however much is in memory; callers share it.
   */
  freshen(): Promise<void>;
  /**
   * To be called when a change was acknowledged, and before it is answered: makes all processes drop what has one of the tags, this
   * one at once, the others before their leases end.
   */
  changed(tags: readonly string[]): Promise<void>;
  /** Makes a change within a transaction that notes it too, so that nobody can see it who does not know that it was made. */
  changing<T>(tags: readonly string[], work: (tx: Tx) => Promise<T>): Promise<T>;
  /** As `changed`, and resolves when no process relies on the state before any more: every lease that was given by then is over. */
  changedForAll(tags: readonly string[]): Promise<void>;
  /** What is in memory now; `bytes` as keys and values are in JSON, and what an entry takes beside them. */
  size(): { entries: number; bytes: number };
};

/** How long leases are where no setting says otherwise. */
export const LEASE_MS = 1000;
/** How often the version is read while the cache is in use; leases outlast some readings that fail. */
const READ_EVERY_MS = 250;
/** What has not been used for so many leases reads the version no more. */
const IDLE_LEASES = 600;
/** The part of a lease in which a write must begin; the rest is for its execution. */
const BEGIN_PART = 0.6;
/** Whoever has less than this part left to begin takes another lease: a write needs some time to get to the database. */
const SHORT_PART = 0.2;
/** A writer waits longer than a lease lasts, for the clocks of hosts do not run alike. */
const WAIT_FACTOR = 1.2;
/** A change of a process that died before it noted it is obeyed after this time. */
const MAX_AGE_MS = 10_000;
/** A load that takes longer is shared by nobody who comes later: it may be stuck on its connection. */
const PATIENCE_MS = 100;
const MAX_BYTES = 32 * 1024 * 1024;
/** About what an entry takes beside its key and value, with its tags. */
const ENTRY_BYTES = 800;
/** How many callers share a look at the version at most. */
const MAX_FRESHENED = 1000;
/** How many changes are noted together at most. */
const MAX_CALLS = 50;

type Entry = Tagged<object> & { readAtMs: number };
/** A load under way, and what was changed since it began. */
type Load = {
  readAtMs: number;
  result: Promise<object | null>;
  changed: Set<string>;
  isStale: boolean;
};

const settings = new WeakMap<Db, number>();

/** Makes the leases of this database at least so long; to be called before the first use. */
export function setLeaseMs(db: Db, leaseMs: number): void {
  settings.set(db, leaseMs);
}

/**
 * What this process keeps in memory of data that is read always and changed rarely. A process that was cut off or frozen cannot
 * act on old data: a write that rests on what it read carries the end of its lease, and the database rejects it after that; who
 * changes the data waits until the leases before it are over (ADR 0037).
 */
export const leasedCacheOf = onePer((db: Db) => createLeasedCache(db, settings.get(db) ?? LEASE_MS));

function createLeasedCache(db: Db, wantedLeaseMs: number): LeasedCache {
  const kept = createKept();
  const loads = new Set<Load>();
  /** By key, the load that others who miss it may share. */
  const shared = new Map<string, Load>();
  const versions = createVersionReader(db, wantedLeaseMs, (tags) => {
    kept.drop(tags);
    for (const load of loads) {
      if (tags === undefined) load.isStale = true;
      else for (const tag of tags) load.changed.add(tag);
    }
  });

  const begin = (key: string, load: () => Promise<Tagged<object> | null>): Load => {
    const begun: Load = {
      ...{ readAtMs: performance.now(), changed: new Set(), isStale: false },
      result: load()
        .then((found) => {
          if (found === null) return null;
          begun.isStale ||= found.tags.some((tag) => begun.changed.has(tag));
          if (!begun.isStale) kept.set(key, { ...found, readAtMs: begun.readAtMs });
          return found.value;
        })
        .finally(() => {
          loads.delete(begun);
          if (shared.get(key) === begun) shared.delete(key);
        }),
    };
    loads.add(begun);
    shared.set(key, begun);
    return begun;
  };
  const underWay = (key: string): Load | undefined => {
    const load = shared.get(key);
    return load !== undefined && performance.now() - load.readAtMs < PATIENCE_MS ? load : undefined;
  };
  const reread: LeasedCache['reread'] = async (key, load) => (await begin(key, load).result) as never;

  const freshen = gathered<true, true>(async (calls) => {
    await versions.freshen();
    return calls;
  }, MAX_FRESHENED);
  const note = gathered<readonly string[], number>(async (calls) => {
    const leaseMs = await noteChange(db, [...new Set(calls.flat())], wantedLeaseMs);
    return calls.map(() => leaseMs);
  }, MAX_CALLS);
  const noteChanged = (tags: readonly string[]): Promise<number> => {
    versions.onChange(tags);
    return note(tags);
  };

  return {
    lease: () => versions.lease(),
    isLeased: () => versions.isLeased(),
    read: async (key, load) => {
      if (!versions.isLeased()) return reread(key, load);
      const found = kept.get(key);
      if (found !== undefined) return found as never;
      const other = underWay(key);
      if (other === undefined) return reread(key, load);
      // What it has read may have been changed, or made, before this call; what one reads that began since may not.
      const value = await other.result;
      if (value !== null && !other.isStale) return value as never;
      return (await (underWay(key) ?? begin(key, load)).result) as never;
    },
    freshen: async () => {
      await freshen(true);
    },
    reread,
    changed: async (tags) => {
      await noteChanged(tags);
    },
    changing: async (tags, work) => {
      try {
        return await changeNoted(db, tags, wantedLeaseMs, work);
      } finally {
        versions.onChange(tags);
      }
    },
    changedForAll: async (tags) => {
      await delay((await noteChanged(tags)) * WAIT_FACTOR);
    },
    size: kept.size,
  };
}

/** What is in memory: by key, the least recently used dropped first; by tag, which keys have it. */
function createKept() {
  const keysOf = new Map<string, Set<string>>();
  const entries = new LRUCache<string, Entry>({
    maxSize: MAX_BYTES,
    sizeCalculation: ({ value }, key) => JSON.stringify(value).length + key.length + ENTRY_BYTES,
    dispose: ({ tags }, key) => {
      for (const tag of tags) {
        const keys = keysOf.get(tag);
        keys?.delete(key);
        if (keys?.size === 0) keysOf.delete(tag);
      }
    },
  });
  return {
    get: (key: string): object | undefined => {
      const entry = entries.get(key);
      if (entry === undefined) return undefined;
      if (performance.now() - entry.readAtMs < MAX_AGE_MS) return entry.value;
      entries.delete(key);
      return undefined;
    },
    set: (key: string, entry: Entry): void => {
      entries.delete(key);
      entries.set(key, entry);
      if (!entries.has(key)) return;
      for (const tag of entry.tags) keysOf.set(tag, (keysOf.get(tag) ?? new Set()).add(key));
    },
    /** Undefined: all. */
    drop: (tags: readonly string[] | undefined): void => {
      if (tags === undefined) entries.clear();
      else for (const tag of tags) for (const key of [...(keysOf.get(tag) ?? [])]) entries.delete(key);
    },
    size: () => ({ entries: entries.size, bytes: entries.calculatedSize }),
  };
}

/** Keeps a lease while it is asked for one; `onChange` is told what has changed before the lease is given that knows of it. */
function createVersionReader(
  db: Db,
  wantedLeaseMs: number,
  onChange: (tags: readonly string[] | undefined) => void,
) {
  let known = -1;
  let leaseMs = wantedLeaseMs;
  let lease: (Lease & { sentAtMs: number; endsAtMs: number }) | undefined;
  let usedAtMs = Number.NEGATIVE_INFINITY;
  let reading: { sentAtMs: number; done: Promise<void> } | undefined;
  let timer: NodeJS.Timeout | undefined;

  const apply = (sentAtMs: number, found: NonNullable<Awaited<ReturnType<typeof readVersion>>>) => {
    // A reading that was overtaken by a later one says nothing new.
    if (lease !== undefined && sentAtMs < lease.sentAtMs) return;
    const hasChanged = found.version !== known;
    if (hasChanged) onChange(found.changedTags);
    known = found.version;
    leaseMs = found.leaseMs;
    const prolonged = {
      beginBy: new Date(found.at.getTime() + leaseMs * BEGIN_PART),
      maxTimeMS: Math.floor(leaseMs * (1 - BEGIN_PART)),
      ...{ sentAtMs, endsAtMs: sentAtMs + leaseMs },
    };
    lease = hasChanged || lease === undefined ? prolonged : Object.assign(lease, prolonged);
  };
  const readOnce = async (sentAtMs: number): Promise<void> => {
    const found = await readVersion(db, known, leaseMs);
    if (found === null || found.leaseMs < wantedLeaseMs) await raiseLease(db, wantedLeaseMs);
    if (found !== null) apply(sentAtMs, found);
  };
  const readNow = (): Promise<void> => {
    if (!isConnected(db)) return Promise.resolve();
    const sentAtMs = performance.now();
    // One that is stuck on its connection must not keep the next from being sent.
    if (reading !== undefined && sentAtMs - reading.sentAtMs < leaseMs) return reading.done;
    const done = readOnce(sentAtMs)
      // Without a lease the database is asked for everything, and says itself what is the matter.
      .catch(() => undefined)
      .finally(() => {
        if (reading?.done === done) reading = undefined;
      });
    reading = { sentAtMs, done };
    return done;
  };
  const keepReading = () => {
    usedAtMs = performance.now();
    if (timer !== undefined) return;
    timer = setInterval(() => {
      if (performance.now() - usedAtMs < IDLE_LEASES * leaseMs) return void readNow();
      clearInterval(timer);
      timer = undefined;
    }, READ_EVERY_MS).unref();
    void readNow();
  };
  /** Whether more than this part of a lease is left. */
  const isLeased = (part = 0) => {
    keepReading();
    return lease !== undefined && performance.now() + leaseMs * part < lease.endsAtMs;
  };
  const freshen = async (): Promise<void> => {
    // Without a lease reads ask the database, but one that is on its way may come before they do.
    if (!isLeased()) return onChange(undefined);
    if ((await findNewestVersion(db).catch(() => undefined)) === known) return;
    // What was found may still be rolled back, and its version be given to another change: only a confirmed one is kept.
    await readOnce(performance.now()).catch(() => onChange(undefined));
  };
  const canBegin = () => isLeased(1 - BEGIN_PART + SHORT_PART);
  return {
    onChange,
    isLeased,
    freshen,
    lease: async (): Promise<Lease | undefined> => {
      if (canBegin()) return lease;
      const done = readNow();
      // A lease of which so little is left is of no use: whoever waits for a reading that is stuck waits no longer.
      const sentAtMs = reading?.sentAtMs ?? Number.NEGATIVE_INFINITY;
      const patienceMs = sentAtMs + leaseMs * (BEGIN_PART - SHORT_PART) - performance.now();
      if (patienceMs > 0) await settledWithin(patienceMs, done);
      return canBegin() ? lease : undefined;
    },
  };
}

async function settledWithin(ms: number, work: Promise<void>): Promise<void> {
  const patience = new AbortController();
  const { signal } = patience;
  await Promise.race([work, delay(ms, undefined, { signal }).catch(() => undefined)]);
  patience.abort();
}
