import { setTimeout as delay } from 'node:timers/promises';
import { findNewestVersion, raiseLease, readVersion } from './cache-versions.store.ts';
import type { Db } from './mongo.ts';
import { isConnected } from './mongo.ts';

/**
 * What is read after a lease was taken is in force while the lease lasts: a command that begins before `beginBy`, by the database's
 * clock, and is broken off after `maxTimeMS`, has ended by then. (`$$NOW` is when a command began, however long it then waits.)
 * Each reading that finds nothing changed prolongs it, so that both are to be looked at when the command is sent.
 */
export type Lease = { readonly beginBy: Date; readonly maxTimeMS: number };

/** How often the version is read while the cache is in use; leases outlast some readings that fail. */
const READ_EVERY_MS = 250;
/** What has not been used for so many leases reads the version no more. */
const IDLE_LEASES = 600;
/** The part of a lease in which a write must begin; the rest is for its execution. */
const BEGIN_PART = 0.6;
/** Whoever has less than this part left to begin takes another lease: a write needs some time to get to the database. */
const SHORT_PART = 0.2;

/** Keeps a lease while it is asked for one; `onChange` is told what has changed before the lease is given that knows of it. */
export function createVersionLeases(
  db: Db,
  wantedLeaseMs: number,
  onChange: (tags: readonly string[] | undefined) => void,
) {
  let known = -1;
  let leaseMs = wantedLeaseMs;
  let lease: (Lease & { sentAtMs: number; endsAtMs: number }) | undefined;
  let usedAtMs = Number.NEGATIVE_INFINITY;
  let reading: { sentAtMs: number; done: Promise<void> } | undefined;
  let timer: NodeJS.Timeout | undefined;

  const apply = (sentAtMs: number, found: NonNullable<Awaited<ReturnType<typeof readVersion>>>) => {
    // A reading that was overtaken by a later one says nothing new.
    if (lease !== undefined && sentAtMs < lease.sentAtMs) return;
    const hasChanged = found.version !== known;
    if (hasChanged) onChange(found.changedTags);
    known = found.version;
    leaseMs = found.leaseMs;
    const prolonged = {
      beginBy: new Date(found.at.getTime() + leaseMs * BEGIN_PART),
      maxTimeMS: Math.floor(leaseMs * (1 - BEGIN_PART)),
      ...{ sentAtMs, endsAtMs: sentAtMs + leaseMs },
    };
    lease = hasChanged || lease === undefined ? prolonged : Object.assign(lease, prolonged);
  };
  const readOnce = async (sentAtMs: number): Promise<void> => {
    const found = await readVersion(db, known, leaseMs);
    if (found === null || found.leaseMs < wantedLeaseMs) await raiseLease(db, wantedLeaseMs);
    if (found !== null) apply(sentAtMs, found);
  };
  const readNow = (): Promise<void> => {
    if (!isConnected(db)) return Promise.resolve();
    const sentAtMs = performance.now();
    // One that is stuck on its connection must not keep the next from being sent.
    if (reading !== undefined && sentAtMs - reading.sentAtMs < leaseMs) return reading.done;
    const done = readOnce(sentAtMs)
      // Without a lease the database is asked for everything, and says itself what is the matter.
      .catch(() => undefined)
      .finally(() => {
        if (reading?.done === done) reading = undefined;
      });
    reading = { sentAtMs, done };
    return done;
  };
  const keepReading = () => {
    usedAtMs = performance.now();
    if (timer !== undefined) return;
    timer = setInterval(() => {
      if (performance.now() - usedAtMs < IDLE_LEASES * leaseMs) return void readNow();
      clearInterval(timer);
      timer = undefined;
    }, READ_EVERY_MS).unref();
    void readNow();
  };
  /** Whether more than this part of a lease is left. */
  const isLeased = (part = 0) => {
    keepReading();
    return lease !== undefined && performance.now() + leaseMs * part < lease.endsAtMs;
  };
  const freshen = async (): Promise<void> => {
    // Without a lease reads ask the database, but one that is on its way may come before they do.
    if (!isLeased()) return onChange(undefined);
    if ((await findNewestVersion(db).catch(() => undefined)) === known) return;
    // What was found may still be rolled back, and its version be given to another change: only a confirmed one is kept.
    await readOnce(performance.now()).catch(() => onChange(undefined));
  };
  const ageMs = (): number | undefined => lease && performance.now() - lease.sentAtMs;
  const canBegin = () => isLeased(1 - BEGIN_PART + SHORT_PART);
  return {
    onChange,
    isLeased,
    ageMs,
    freshen,
    lease: async (): Promise<Lease | undefined> => {
      if (canBegin()) return lease;
      const done = readNow();
      // A lease of which so little is left is of no use: whoever waits for a reading that is stuck waits no longer.
      const sentAtMs = reading?.sentAtMs ?? Number.NEGATIVE_INFINITY;
      const patienceMs = sentAtMs + leaseMs * (BEGIN_PART - SHORT_PART) - performance.now();
      if (patienceMs > 0) await settledWithin(patienceMs, done);
      return canBegin() ? lease : undefined;
    },
  };
}

async function settledWithin(ms: number, work: Promise<void>): Promise<void> {
  const patience = new AbortController();
  const { signal } = patience;
  await Promise.race([work, delay(ms, undefined, { signal }).catch(() => undefined)]);
  patience.abort();
}
