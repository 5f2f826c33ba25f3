import { LRUCache } from 'lru-cache';

/** A value and the tags of what it was read from: a change of one of them drops it. */
export type Tagged<T> = { value: T; tags: readonly string[] };

export type Entry = Tagged<object> & { readAtMs: number };

/** A change of a process that died before it noted it is obeyed after this time. */
const MAX_AGE_MS = 10_000;
const MAX_BYTES = 32 * 1024 * 1024;
/** About what an entry takes beside its key and value, with its tags. */
const ENTRY_BYTES = 800;

/** What is in memory: by key, the least recently used dropped first; by tag, which keys have it. */
export function createTaggedEntries() {
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
