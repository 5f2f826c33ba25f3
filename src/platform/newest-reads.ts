import { batched } from './batched.ts';
import { memoizeByObject } from './memoize-by-object.ts';
import type { Db, ReadOptions } from './mongo.ts';

/** Options for decisions: the newest state of the primary, which has every acknowledged write (ADR 0005). */
export const NEWEST = { readConcern: { level: 'local' }, readPreference: 'primary' } as const satisfies ReadOptions;

/**
 * Options for a "not found" that must be correct. Use them only if a first read found nothing or a write failed, or
 * to confirm the primary, because such a read makes the server write. Fails after 4 s.
 */
export const CONFIRMED = {
  readConcern: { level: 'linearizable' },
  readPreference: 'primary',
  maxTimeMS: 4000,
} as const satisfies ReadOptions;

/** Runs `read` with `firstOptions`, and with CONFIRMED if that finds nothing (null or false). */
export async function confirmAbsence<T>(
  read: (options: ReadOptions) => Promise<T>,
  firstOptions: ReadOptions = {},
): Promise<T> {
  const result = await read(firstOptions);
  return result === null || result === false ? read(CONFIRMED) : result;
}

const MAX_KEYS = 500;

/** Reads a key in a batch that begins after the call. A missing key is read again with CONFIRMED. */
export function newestOf<Key, Found extends object>(
  read: (keys: readonly Key[], options: ReadOptions) => Promise<(key: Key) => Found | undefined>,
  firstOptions: ReadOptions = NEWEST,
): (key: Key) => Promise<Found | null> {
  const batchedWith = (options: ReadOptions) =>
    batched<Key, Found | undefined>(async (keys) => {
      const find = await read(keys, options);
      return keys.map((key) => find(key));
    }, MAX_KEYS);
  const [newest, confirmed] = [batchedWith(firstOptions), batchedWith(CONFIRMED)];
  return async (key) => (await newest(key)) ?? (await confirmed(key)) ?? null;
}

/** `newestOf` for each database connection: calls on the same `db` share reads. */
export function newestByDb<Key, Found extends object>(
  read: (db: Db, keys: readonly Key[], options: ReadOptions) => Promise<(key: Key) => Found | undefined>,
  firstOptions: ReadOptions = NEWEST,
): (db: Db, key: Key) => Promise<Found | null> {
  const callsOn = memoizeByObject((db: Db) =>
    newestOf<Key, Found>((keys, options) => read(db, keys, options), firstOptions),
  );
  return (db, key) => callsOn(db)(key);
}
