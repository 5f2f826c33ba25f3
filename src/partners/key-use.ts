import type { Logger } from '../platform/logger.ts';
import type { Db } from '../platform/mongo.ts';
import { touchApiKeyRow } from './partners.store.ts';

/** Notes which keys are in use; one a process. */
export type KeyUse = {
  /** Returns at once and never throws: the write is made beside the call. */
  note(keyId: string): void;
};

const EVERY_MS = 60_000;

/**
 * Keeps `lastUsedAt` of partners' keys right to `everyMs`: this process writes it at most once in that time for each key. What
 * it remembers is bounded by the keys that were used in that time. A write that fails is not repeated before the next use.
 */
export function createKeyUse({ db, log }: { db: Db; log: Logger }, everyMs: number = EVERY_MS): KeyUse {
  /** When each key was noted, the earliest first. */
  const notedAt = new Map<string, number>();
  return {
    note: (keyId) => {
      const now = performance.now();
      for (const [id, at] of notedAt) {
        if (now - at < everyMs) break;
        notedAt.delete(id);
      }
      if (notedAt.has(keyId)) return;
      notedAt.set(keyId, now);
      touchApiKeyRow(db, keyId).catch((err: Error) =>
        log.debug({ key_id: keyId, error: err.message }, 'the use of a key could not be noted'),
      );
    },
  };
}
