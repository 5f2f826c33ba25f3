import { setTimeout as delay } from 'node:timers/promises';
import { noteChange } from './cache-versions.store.ts';
import { onePer } from './coalesced.ts';
import { gathered } from './gathered.ts';
import type { Db } from './mongo.ts';
import type { Tagged } from './tagged-entries.ts';
import { createTaggedEntries } from './tagged-entries.ts';
import type { Lease } from './version-leases.ts';
import { createVersionLeases } from './version-leases.ts';

export type LeasedCache = {
  /** A lease for what is read from then on; undefined if none is to be had within `patienceMs`. */
  lease(patienceMs: number): Promise<Lease | undefined>;
  /** Whether a lease lasts: what was read from the primary was the newest state, less than a lease ago. */
  isLeased(): boolean;
  /** How long ago the reading began that last confirmed the version of what is in memory; undefined before the first. */
  leaseAgeMs(): number | undefined;
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
  /** As `changed`, and resolves when no process relies on the state before any more: every lease that was given by then is over. */
  changedForAll(tags: readonly string[]): Promise<void>;
  /** What is in memory now; `bytes` as keys and values are in JSON, and what an entry takes beside them. */
  size(): { entries: number; bytes: number };
};

/** How long leases are where no setting says otherwise. */
export const LEASE_MS = 1000;
/** A writer waits longer than a lease lasts, for the clocks of hosts do not run alike. */
export const WAIT_FACTOR = 1.2;
/** A load that takes longer is shared by nobody who comes later: it may be stuck on its connection. */
const PATIENCE_MS = 100;
/** How many callers share a look at the version at most. */
const MAX_FRESHENED = 1000;
/** How many changes are noted together at most. */
const MAX_CALLS = 50;

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
  const kept = createTaggedEntries();
  const loads = new Set<Load>();
  /** By key, the load that others who miss it may share. */
  const shared = new Map<string, Load>();
  const versions = createVersionLeases(db, wantedLeaseMs, (tags) => {
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
    lease: versions.lease,
    isLeased: () => versions.isLeased(),
    leaseAgeMs: () => versions.ageMs(),
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
    changedForAll: async (tags) => {
      await delay((await noteChanged(tags)) * WAIT_FACTOR);
    },
    size: kept.size,
  };
}
