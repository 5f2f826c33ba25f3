import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { EntryKind, EntryName } from './cache-entries.store.ts';
import { readEntries } from './cache-entries.store.ts';
import { findLongestLeaseMs } from './cache-leases.store.ts';
import { createConfirmedPrimary } from './confirmed-primary.ts';
import type { Reading } from './kept-readings.ts';
import { createKeptReadings, keyOf } from './kept-readings.ts';
import { memoizeByObject } from './memoize-by-object.ts';
import type { Db } from './mongo.ts';
import { newestOf } from './newest-reads.ts';

/** A value of the database with the date of its reading: the database's clock (`at`), and `performance.now()` (`readAtMs`). */
export type Entry<T extends object = object> = Readonly<Pick<Reading, 'at' | 'readAtMs'> & { value: T }>;

/**
 * The right to write by entries: a command that begins before `beginBy`, by the database's clock, and is broken off after `maxTimeMS`,
 * ends within the lease. (`$$NOW` is when a command began, however long it then waits.) Read `beginBy` when the command is sent: another
 * reading that finds the same prolongs it, and a new primary ends it.
 */
export type Lease = { readonly beginBy: Date; readonly maxTimeMS: number };

export type LeasedCache = {
  /**
   * The entry, less than half a lease old; with `database`, from a reading that begins after this call. Null if the database confirms that
   * it is missing; that is never cached. Do not change the value: callers share it until it has changed in the database.
   */
  read<T extends object>(kind: EntryKind, id: string, from?: 'cache' | 'database'): Promise<Entry<T> | null>;
  /** A lease over these entries; undefined if the primary is not confirmed within `patienceMs`. */
  lease(entries: readonly Entry[], patienceMs: number): Promise<Lease | undefined>;
  /**
   * Reads every entry again at its next use. Call it once a change is acknowledged: this process then obeys it at once, all others within
   * half a lease.
   */
  freshen(): void;
  /** Like `freshen`, and resolves when every process obeys the change: all leases that were given before it are over. */
  changedForAll(): Promise<void>;
  /** Whether the primary is confirmed within half a lease now. */
  isConfirmable(): Promise<boolean>;
  /** `bytes`: of keys and values as JSON, with an overhead for each entry. */
  size(): { entries: number; bytes: number };
};

/** How long leases are where no setting says otherwise. */
export const LEASE_MS = 1000;
/** A change waits longer than a lease lasts, because the clocks of hosts run differently. */
export const WAIT_FACTOR = 1.2;
/** The part of a lease in which a write must begin; the rest is for its execution. */
const BEGIN_PART = 0.6;
/** The part of a lease for which an entry is returned. The rest of `BEGIN_PART` is for the write to reach the database. */
const USE_PART = 0.5;
/** The use of an older entry starts a reading in the background. */
const READ_AHEAD_PART = 0.25;
/** An older entry that was used since its reading joins every reading, so entries in use come to share readings. */
const JOIN_PART = 0.125;
/** How many entries join a reading at most. */
const MAX_JOINING = 500;
/** The pause of a call without a lease before it reads again. */
const RETRY_MS = 50;

const settings = new WeakMap<Db, number>();

/** Sets how long the leases of this database are; to be called before the first use. */
export function setLeaseMs(db: Db, leaseMs: number): void {
  settings.set(db, leaseMs);
}

/**
 * The cache of data that every call reads and that changes rarely. A process that was cut off or frozen cannot act on old data: each entry
 * has the database's time of its reading, a write carries the end of the lease that follows from it, and the database rejects a later
 * write. A change waits until the leases before it are over (ADR 0006).
 */
export const leasedCacheOf = memoizeByObject((db: Db): LeasedCache => {
  const leaseMs = settings.get(db) ?? LEASE_MS;
  const kept = createKeptReadings();
  const primary = createConfirmedPrimary(db, leaseMs);
  let notBeforeMs = Number.NEGATIVE_INFINITY;
  let isReadingAhead = false;

  const load = newestOf<EntryName, Reading>(async (asked, options) => {
    await primary.ready();
    const [readAtMs, term] = [performance.now(), primary.term()];
    const joining = kept.used(readAtMs, leaseMs * JOIN_PART).slice(0, MAX_JOINING);
    const names = new Map([...asked, ...joining.map(({ name }) => name)].map((name) => [keyOf(name), name]));
    const { at, rows } = await readEntries(db, [...names.values()], options);
    const isConfirmed = primary.isConfirmed(term);
    const found = new Map<string, Reading>();
    for (const { kind, id, value } of rows) {
      const name = { kind, id };
      const known = kept.find(name)?.value;
      const same = isDeepStrictEqual(known, value) ? known : undefined;
      const reading = { name, value: same ?? value, at, readAtMs, term, isConfirmed, usedAtMs: readAtMs };
      found.set(keyOf(name), reading);
    }
    for (const [key, name] of names) kept.dropUnlike(name, readAtMs, found.get(key)?.value);
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
    void load(name)
      .catch(() => undefined)
      .finally(() => {
        isReadingAhead = false;
      });
  };
  const read: LeasedCache['read'] = async (kind, id, from = 'cache') => {
    const [name, nowMs] = [{ kind, id }, performance.now()];
    const known = kept.use(name, nowMs);
    if (from === 'database' || known === undefined || !isUsable(known, nowMs)) return load(name) as never;
    if (nowMs - known.readAtMs > leaseMs * READ_AHEAD_PART) readAhead(name);
    return known as never;
  };

  const freshen = (): void => {
    notBeforeMs = performance.now();
  };
  return {
    read,
    lease: async (entries, patienceMs) => {
      const readings = entries as readonly Reading[];
      const confirmed = Promise.all(readings.map(({ isConfirmed }) => isConfirmed));
      if ((await within(patienceMs, confirmed))?.every(Boolean) === true) return leaseOver(readings, leaseMs);
      await delay(Math.max(0, Math.min(RETRY_MS, patienceMs)));
      return undefined;
    },
    freshen,
    changedForAll: async () => {
      freshen();
      await delay(Math.max(leaseMs, await findLongestLeaseMs(db)) * WAIT_FACTOR);
    },
    isConfirmable: async () =>
      (await within(leaseMs * USE_PART, primary.isConfirmed(primary.term()))) === true,
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

/** Undefined where it takes longer. */
async function within<T>(ms: number, work: Promise<T>): Promise<T | undefined> {
  const patience = new AbortController();
  const { signal } = patience;
  const late = delay(Math.max(0, ms), undefined, { signal }).catch(() => undefined);
  try {
    return await Promise.race([work, late]);
  } finally {
    patience.abort();
  }
}
