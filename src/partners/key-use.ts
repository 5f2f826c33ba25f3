import { LRUCache } from 'lru-cache';
import type { Logger } from '../platform/logger.ts';
import type { Db } from '../platform/mongo.ts';
import type { ApiKeyRow } from './partners.model.ts';
import { touchApiKeyRow } from './partners.store.ts';

type UsedKey = Pick<ApiKeyRow, '_id' | 'hash'>;

/** What one process knows of the keys that open the interface. */
export type KeyUse = {
  /** Notes that a key was right. Returns at once and never throws: the write is made beside the call. */
  note(key: UsedKey): void;
  /** The id of the key with this hash, if it was right here in the last ten minutes. */
  knownId(hash: string): string | undefined;
  forget(hash: string): void;
};

const WRITE_EVERY_MS = 60_000;
const KNOWN_FOR_MS = 600_000;

/** Of more keys than this, those used longest ago are looked up again. The cache takes its memory at once: 0.4 MB. */
const MAX_KNOWN = 10_000;

/**
 * Keeps `lastUsedAt` of partners' keys right to a minute: this process writes it at most once a minute for each key. A write that
 * fails is not repeated before the next use.
 */
export function createKeyUse({ db, log }: { db: Db; log: Logger }): KeyUse {
  /** By hash, which key was noted, and when. */
  const noted = new LRUCache<string, { keyId: string; at: number }>({ max: MAX_KNOWN, ttl: KNOWN_FOR_MS });
  return {
    knownId: (hash) => noted.get(hash)?.keyId,
    forget: (hash) => void noted.delete(hash),
    note: ({ _id, hash }) => {
      const now = performance.now();
      if (now - (noted.get(hash)?.at ?? Number.NEGATIVE_INFINITY) < WRITE_EVERY_MS) return;
      noted.set(hash, { keyId: _id, at: now });
      touchApiKeyRow(db, _id).catch((err: Error) =>
        log.debug({ key_id: _id, error: err.message }, 'the use of a key could not be noted'),
      );
    },
  };
}
