import { isDeepStrictEqual } from 'node:util';
import { LRUCache } from 'lru-cache';
import type { EntryName } from './cache-entries.store.ts';
import type { Term } from './confirmed-primary.ts';

/** An entry as it was read. */
export type Reading = {
  name: EntryName;
  value: object;
  /** When the read began, by the database's clock. */
  at: Date;
  /** An instant shortly before the read began, by `performance.now()`. */
  readAtMs: number;
  term: Term;
  isConfirmed: Promise<boolean>;
  usedAtMs: number;
};

const MAX_BYTES = 32 * 1024 * 1024;
const MAX_ENTRIES = 5000;
const ENTRY_BYTES = 800;
const UNUSED_MS = 60_000;

export const keyOf = ({ kind, id }: EntryName): string => `${kind.collection}:${id}`;

/** The newest confirmed reading of each entry. Drops the least recently used first, and entries unused for a minute. */
export function createKeptReadings() {
  const readings = new LRUCache<string, Reading>({
    max: MAX_ENTRIES,
    maxSize: MAX_BYTES,
    sizeCalculation: ({ value }, key) => JSON.stringify(value).length + key.length + ENTRY_BYTES,
  });
  let sweep: NodeJS.Timeout | undefined;
  const dropUnused = (): void => {
    const sinceMs = performance.now() - UNUSED_MS;
    for (const [key, { usedAtMs }] of readings) if (usedAtMs <= sinceMs) readings.delete(key);
    sweep = readings.size === 0 ? undefined : setTimeout(dropUnused, UNUSED_MS).unref();
  };
  return {
    use: (name: EntryName, nowMs: number): Reading | undefined => {
      const entry = readings.get(keyOf(name));
      if (entry !== undefined) entry.usedAtMs = nowMs;
      return entry;
    },
    find: (name: EntryName): Reading | undefined => readings.peek(keyOf(name)),
    /** Entries older than `ageMs` that were used since they were read. */
    usedSinceRead: (nowMs: number, ageMs: number): Reading[] =>
      [...readings.values()].filter(({ usedAtMs, readAtMs }) => usedAtMs > readAtMs && nowMs - readAtMs > ageMs),
    /** Drops the entry if a later reading found another value or none. */
    dropIfChanged: (name: EntryName, readAtMs: number, found: object | undefined): void => {
      const entry = readings.peek(keyOf(name));
      if (entry !== undefined && entry.readAtMs < readAtMs && entry.value !== found) readings.delete(keyOf(name));
    },
    /** Stores a reading. If its value is unchanged, only the entry's times move, and leases that use it end later. */
    keep: (reading: Reading): void => {
      const { name, at, readAtMs, term } = reading;
      const entry = readings.peek(keyOf(name));
      if (entry !== undefined && entry.readAtMs >= readAtMs) return;
      if (entry !== undefined && isDeepStrictEqual(entry.value, reading.value)) {
        Object.assign(entry, { at, readAtMs, term });
      } else {
        readings.set(keyOf(name), reading);
        sweep ??= setTimeout(dropUnused, UNUSED_MS).unref();
      }
    },
    size: () => ({ entries: readings.size, bytes: readings.calculatedSize }),
  };
}
