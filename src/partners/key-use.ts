import type { Logger } from '../platform/logger.ts';
import type { Db } from '../platform/mongo.ts';
import type { ApiKeyRow } from './partners.model.ts';
import { touchApiKeyRow } from './partners.store.ts';

type UsedKey = Pick<ApiKeyRow, '_id' | 'hash'>;

/** What one process knows of the keys that open the interface. */
export type KeyUse = {
  /** Notes that a key was right. Returns at once and never throws: the write is made beside the call. */
  note(key: UsedKey): void;
  /** Whether the key with this hash was right here in the last ten minutes. */
  isKnown(hash: string): boolean;
  forget(hash: string): void;
};

const WRITE_EVERY_MS = 60_000;
const KNOWN_FOR_MS = 600_000;

/**
 * Keeps `lastUsedAt` of partners' keys right to a minute: this process writes it at most once a minute for each key. What it
 * remembers is bounded by the keys that were right in ten minutes. A write that fails is not repeated before the next use.
 */
export function createKeyUse({ db, log }: { db: Db; log: Logger }): KeyUse {
  /** By hash, when each key was noted, the earliest first. */
  const notedAt = new Map<string, number>();
  const forgetOld = (now: number) => {
    for (const [hash, at] of notedAt) {
      if (now - at < KNOWN_FOR_MS) return;
      notedAt.delete(hash);
    }
  };
  return {
    isKnown: (hash) => {
      forgetOld(performance.now());
      return notedAt.has(hash);
    },
    forget: (hash) => void notedAt.delete(hash),
    note: ({ _id, hash }) => {
      const now = performance.now();
      forgetOld(now);
      if (now - (notedAt.get(hash) ?? Number.NEGATIVE_INFINITY) < WRITE_EVERY_MS) return;
      notedAt.delete(hash);
      notedAt.set(hash, now);
      touchApiKeyRow(db, _id).catch((err: Error) =>
        log.debug({ key_id: _id, error: err.message }, 'the use of a key could not be noted'),
      );
    },
  };
}
