import { batched } from './batched.ts';
import type { ReadOptions } from './mongo.ts';

/**
 * For what a decision rests on: the newest state of the primary, committed or about to be. A new primary has every write that was
 * acknowledged from its first moment on; that a majority has them it learns up to a second later (ADR 0005).
 */
export const NEWEST = {
  readConcern: { level: 'local' },
  readPreference: 'primary',
} as const satisfies ReadOptions;

/**
 * For what must not be said wrongly: the server makes sure, by a write of its own, that it was the primary. It takes as long as a
 * write, so it is for the way of failure alone. Where that cannot be had within 4 s, the read fails, and the call with 503.
 */
export const CONFIRMED = {
  readConcern: { level: 'linearizable' },
  readPreference: 'primary',
  maxTimeMS: 4000,
} as const satisfies ReadOptions;

/**
 * Runs `read` with the options of `first`; where it finds nothing (null or false), once more with CONFIRMED. What it then
 * returns is no older than the call: nothing that was acknowledged before is missing.
 */
export async function confirmAbsence<T>(
  read: (options: ReadOptions) => Promise<T>,
  first: ReadOptions = {},
): Promise<T> {
  const found = await read(first);
  return found === null || found === false ? read(CONFIRMED) : found;
}

/** What one read asks for at most. */
const MAX_KEYS = 500;

/**
 * Makes a read of many, NEWEST unless `first` says otherwise, a read of one that callers share (`batched`): each is served by a
 * read that began after its call. What is missing is asked for once more with CONFIRMED, and null only then; nobody else waits for
 * that, or fails with it.
 */
export function newestOf<Key, Found extends object>(
  read: (keys: readonly Key[], options: ReadOptions) => Promise<(key: Key) => Found | undefined>,
  first: ReadOptions = NEWEST,
): (key: Key) => Promise<Found | null> {
  const gatheredWith = (options: ReadOptions) =>
    batched<Key, Found | undefined>(async (keys) => {
      const find = await read(keys, options);
      return keys.map((key) => find(key));
    }, MAX_KEYS);
  const [newest, confirmed] = [gatheredWith(first), gatheredWith(CONFIRMED)];
  return async (key) => (await newest(key)) ?? (await confirmed(key)) ?? null;
}
