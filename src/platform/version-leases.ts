import { setTimeout as delay } from 'node:timers/promises';
import { findNewestVersion, raiseLease, readVersion } from './cache-versions.store.ts';
import type { Db } from './mongo.ts';
import { isConnected, onNewPrimary } from './mongo.ts';

/**
 * What is read after a lease was taken is in force while the lease lasts: a command that begins before `beginBy`, by the database's
 * clock, and is broken off after `maxTimeMS`, has ended by then. (`$$NOW` is when a command began, however long it then waits.)
 * Read both fields when the command is sent: each reading that finds nothing changed prolongs the lease, and a new primary ends it.
 */
export type Lease = { readonly beginBy: Date; readonly maxTimeMS: number };

/** How often the version is read while the cache is in use; leases outlast some readings that fail. */
const READ_EVERY_MS = 250;
/** What has not been used for so many leases reads the version no more. */
const IDLE_LEASES = 600;
/** The part of a lease in which a write must begin; the rest is for its execution. */
const BEGIN_PART = 0.6;
/** The part of a lease that has to be left to begin, or the call takes another lease: a write needs time to reach the database. */
const SHORT_PART = 0.1;

/** How soon the version is read again for calls that wait for a lease, after a reading that failed or took too long. */
const RETRY_MS = 50;

/** Keeps a lease while it is in use; tells `onChange` what has changed before it gives a lease that covers the change. */
export function createVersionLeases(
  db: Db,
  wantedLeaseMs: number,
  onChange: (tags: readonly string[] | undefined) => void,
) {
  let known = -1;
  let leaseMs = wantedLeaseMs;
  let lease: { beginBy: Date; maxTimeMS: number; sentAtMs: number; endsAtMs: number } | undefined;
  let usedAtMs = Number.NEGATIVE_INFINITY;
  let reading: { sentAtMs: number; done: Promise<void> } | undefined;
  let timer: NodeJS.Timeout | undefined;
  /** Readings that were sent before this count for nothing: another server was the primary. */
  let electedAtMs = Number.NEGATIVE_INFINITY;

  const isRunning = () => lease !== undefined && performance.now() < lease.endsAtMs;
  const apply = (sentAtMs: number, found: NonNullable<Awaited<ReturnType<typeof readVersion>>>) => {
    // A reading that was overtaken by a later one says nothing new.
    if (sentAtMs < electedAtMs || (lease !== undefined && sentAtMs < lease.sentAtMs)) return;
    const isProlonged = isRunning() && found.version === known;
    // Without a lease, what was read may be of a primary that has been deposed since, and rolled back: its version tells nothing.
    if (!isProlonged) onChange(isRunning() ? found.changedTags : undefined);
    known = found.version;
    leaseMs = found.leaseMs;
    const next = {
      beginBy: new Date(found.at.getTime() + leaseMs * BEGIN_PART),
      maxTimeMS: Math.floor(leaseMs * (1 - BEGIN_PART)),
      sentAtMs,
      endsAtMs: sentAtMs + leaseMs,
    };
    lease = isProlonged && lease !== undefined ? Object.assign(lease, next) : next;
  };
  const readOnce = async (sentAtMs: number): Promise<void> => {
    const found = await readVersion(db, known, leaseMs);
    if (found === null || found.leaseMs < wantedLeaseMs) await raiseLease(db, wantedLeaseMs);
    if (found !== null) apply(sentAtMs, found);
  };
  const revoke = () => {
    electedAtMs = performance.now();
    if (lease !== undefined) lease.beginBy = new Date(0);
    lease = undefined;
    onChange(undefined);
  };
  let isWatching = false;
  const readNow = (): Promise<void> => {
    if (!isConnected(db)) return Promise.resolve();
    if (!isWatching) onNewPrimary(db, revoke);
    isWatching = true;
    const sentAtMs = performance.now();
    // A reading that is stuck on its connection must not keep the next from being sent.
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
  const isLeased = () => {
    keepReading();
    return isRunning();
  };
  const freshen = async (): Promise<void> => {
    // Without a lease reads ask the database, but one that is on its way may come before they do.
    if (!isLeased()) return onChange(undefined);
    if ((await findNewestVersion(db).catch(() => undefined)) === known) return;
    // What was found may still be rolled back, and its version be given to another change: only a confirmed one is kept.
    await readOnce(performance.now()).catch(() => onChange(undefined));
  };
  const ageMs = (): number | undefined => lease && performance.now() - lease.sentAtMs;
  /** Whether a write that is sent now has time to begin. */
  const canBegin = () => {
    keepReading();
    return (
      lease !== undefined && performance.now() < lease.endsAtMs - leaseMs * (1 - BEGIN_PART + SHORT_PART)
    );
  };
  return {
    onChange,
    isLeased,
    ageMs,
    freshen,
    lease: async (patienceMs: number): Promise<Lease | undefined> => {
      const untilMs = performance.now() + patienceMs;
      for (;;) {
        if (canBegin()) return lease;
        const leftMs = untilMs - performance.now();
        if (leftMs <= 0) return undefined;
        // No longer than a lease: a reading that takes so long is stuck on its connection.
        await settledWithin(Math.min(leftMs, leaseMs), readNow());
        if (!canBegin()) await delay(RETRY_MS);
      }
    },
  };
}

async function settledWithin(ms: number, work: Promise<void>): Promise<void> {
  const patience = new AbortController();
  const { signal } = patience;
  await Promise.race([work, delay(ms, undefined, { signal }).catch(() => undefined)]);
  patience.abort();
}
