import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { type EntryKind, type EntryName, findLongestLeaseMs, readEntries } from './cache-entries.store.ts';
import { createConfirmedPrimary } from './confirmed-primary.ts';
import { withTimeout } from './deadline.ts';
import { createKeptReadings, keyOf, type Reading } from './kept-readings.ts';
import { memoizeByObject } from './memoize-by-object.ts';
import type { Db } from './mongo.ts';
import { newestOf } from './newest-reads.ts';

/** A value with the time of its reading by the database's clock (`at`) and by `performance.now()` (`readAtMs`). */
export type Entry<T extends object = object> = Readonly<Pick<Reading, 'at' | 'readAtMs'> & { value: T }>;

/**
 * The right to make writes that rely on cached entries. A command that begins before `beginBy` by the database's clock,
 * with `maxTimeMS`, ends within the lease. Get `beginBy` just before sending, because it changes: it moves
 * forward when the entries are read again, and into the past when the primary changes.
 */
export type Lease = { readonly beginBy: Date; readonly maxTimeMS: number };

export type LeasedCache = ReturnType<typeof leasedCacheOf>;

export const LEASE_MS = 1000;
/** A change waits longer than the longest lease, because the clocks of hosts run at different speeds. */
export const WAIT_FACTOR = 1.2;
/** The part of a lease in which a write must begin; it must end in the rest. */
const BEGIN_PART = 0.6;
/** The part of a lease for which an entry is served. It is below `BEGIN_PART`, so that a write has time to arrive. */
const USE_PART = 0.5;
/** If an entry older than this part of a lease is used, it is read again in the background. */
const READ_AHEAD_PART = 0.25;
/** Reading an entry also reads entries that are older than this part of a lease and were used since their last read. */
const JOIN_PART = 0.125;
const MAX_JOINING = 500;
/** How long a call without a lease waits before it reads again. */
const RETRY_MS = 50;

const settings = new WeakMap<Db, number>();

/** Sets the length of this database's leases; call it before the first use. */
export function setLeaseMs(db: Db, leaseMs: number): void {
  settings.set(db, leaseMs);
}

/**
 * Caches data that rarely changes. A write that relies on the cache carries the end of its lease, which the database
 * checks (ADR 0006).
 */
export const leasedCacheOf = memoizeByObject((db: Db) => {
  const leaseMs = settings.get(db) ?? LEASE_MS;
  const kept = createKeptReadings();
  const primary = createConfirmedPrimary(db, leaseMs);
  let notBeforeMs = Number.NEGATIVE_INFINITY;
  let isReadingAhead = false;

  const load = newestOf<EntryName, Reading>(async (wantedNames, options) => {
    await primary.ready();
    const [readAtMs, term] = [performance.now(), primary.term()];
    const joining = kept.usedSinceRead(readAtMs, leaseMs * JOIN_PART).slice(0, MAX_JOINING);
    const names = new Map([...wantedNames, ...joining.map(({ name }) => name)].map((name) => [keyOf(name), name]));
    const { at, rows } = await readEntries(db, [...names.values()], options);
    const isConfirmed = primary.isConfirmed(term);
    const found = new Map<string, Reading>();
    for (const { kind, id, value } of rows) {
      const name = { kind, id };
      const cachedValue = kept.find(name)?.value;
      const same = isDeepStrictEqual(cachedValue, value) ? cachedValue : undefined;
      const reading = { name, value: same ?? value, at, readAtMs, term, isConfirmed, usedAtMs: readAtMs };
      found.set(keyOf(name), reading);
    }
    for (const [key, name] of names) kept.dropIfChanged(name, readAtMs, found.get(key)?.value);
    void isConfirmed.then((isKept) => {
      if (isKept) for (const reading of found.values()) kept.keep(reading);
    });
    return (name) => found.get(keyOf(name));
  });

  const isUsable = ({ term, readAtMs }: Reading, nowMs: number): boolean =>
    !term.isOver && readAtMs > notBeforeMs && nowMs - readAtMs < leaseMs * USE_PART;
  const readAhead = (name: EntryName): void => {
    if (isReadingAhead) return;
    isReadingAhead = true;
    // Until the reading is confirmed and cached, each call finds the old one and would start another.
    void withTimeout(leaseMs, async () => (await load(name))?.isConfirmed)
      .catch(() => undefined)
      .finally(() => {
        isReadingAhead = false;
      });
  };
  const longestLeaseMs = async () => Math.max(leaseMs, await findLongestLeaseMs(db));
  return {
    /**
     * The entry, read less than half a lease ago or, with `database`, after this call. Null if the database confirms
     * that there is none, which is never cached. Do not change the value: callers share it.
     */
    read: async <T extends object>(
      kind: EntryKind,
      id: string,
      source: 'cache' | 'database' = 'cache',
    ): Promise<Entry<T> | null> => {
      const name = { kind, id };
      const nowMs = performance.now();
      const cached = kept.use(name, nowMs);
      if (source === 'database' || cached === undefined || !isUsable(cached, nowMs)) return load(name) as never;
      if (nowMs - cached.readAtMs > leaseMs * READ_AHEAD_PART) readAhead(name);
      return cached as never;
    },
    /** A lease over these entries; undefined if the primary is not confirmed within `patienceMs`. */
    lease: async (entries: readonly Entry[], patienceMs: number): Promise<Lease | undefined> => {
      const readings = entries as readonly Reading[];
      const confirmed = Promise.all(readings.map(({ isConfirmed }) => isConfirmed));
      const areConfirmed = confirmed.then((each) => each.every(Boolean));
      if (await isTrueWithin(patienceMs, areConfirmed)) return leaseOver(readings, leaseMs);
      await delay(Math.max(0, Math.min(RETRY_MS, patienceMs)));
      return undefined;
    },
    /**
     * Call it after a change is acknowledged. This process obeys the change at once, other processes within half a
     * lease. With `everywhere`, for changes that take something off sale, it resolves once all earlier leases have
     * ended.
     */
    invalidate: async (where: 'here' | 'everywhere'): Promise<void> => {
      notBeforeMs = performance.now();
      if (where === 'everywhere') await delay((await longestLeaseMs()) * WAIT_FACTOR);
    },
    /** The milliseconds until `read` in every process returns a change that is acknowledged now. */
    shownInMs: async () => (await longestLeaseMs()) * USE_PART * WAIT_FACTOR,
    /** Whether the primary can be confirmed now, within half a lease. */
    isConfirmable: () => isTrueWithin(leaseMs * USE_PART, primary.isConfirmed(primary.term())),
    /** `bytes`: keys and values as JSON, plus an overhead for each entry. */
    size: kept.size,
  };
});

const leaseOver = (readings: readonly Reading[], leaseMs: number): Lease => ({
  maxTimeMS: Math.floor(leaseMs * (1 - BEGIN_PART)),
  get beginBy() {
    const oldest = Math.min(...readings.map(({ term, at }) => (term.isOver ? 0 : at.getTime())));
    return new Date(oldest + leaseMs * BEGIN_PART);
  },
});

/** The result of the work; false if it fails or takes longer than `ms`. */
const isTrueWithin = (ms: number, work: Promise<boolean>): Promise<boolean> =>
  withTimeout(Math.max(0, ms), () => work).catch(() => false);
