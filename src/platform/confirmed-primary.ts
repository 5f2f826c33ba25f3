import { batched } from './batched.ts';
import { confirmPrimary, raiseLease } from './cache-entries.store.ts';
import type { Db } from './mongo.ts';
import { onNewPrimary } from './mongo-connection.ts';

/** The term of one primary, until the driver sees another. */
export type Term = { isOver: boolean };

const MAX_SHARING = 1000;

/** Tells whether a reading came from the primary, by a linearizable read made after it. */
export function createConfirmedPrimary(db: Db, leaseMs: number) {
  let current: Term = { isOver: false };
  let isWatching = false;
  let leaseStored: Promise<void> | undefined;
  const storeLease = async (): Promise<void> => {
    if (!isWatching) {
      onNewPrimary(db, () => {
        current.isOver = true;
        current = { isOver: false };
      });
    }
    isWatching = true;
    await raiseLease(db, leaseMs);
  };
  const confirm = batched<true, true>(async (calls) => {
    // Wait at most `leaseMs`: after that, the readings to confirm have expired.
    await confirmPrimary(db, leaseMs);
    return calls;
  }, MAX_SHARING);
  return {
    /**
     * Await it before each reading. Resolves once the database has stored `leaseMs`, how long cached rules are valid.
     */
    ready: (): Promise<void> => {
      leaseStored ??= storeLease().catch((err: unknown) => {
        leaseStored = undefined;
        throw err;
      });
      return leaseStored;
    },
    /** The current term: commands sent now run in it. */
    term: () => current,
    /** Whether the term still runs; if so, data read in it before the call cannot be rolled back. */
    isConfirmed: async (term: Term): Promise<boolean> => {
      const isConfirmed = await confirm(true).catch(() => false);
      return isConfirmed && !term.isOver;
    },
  };
}
