import { setTimeout as delay } from 'node:timers/promises';
import { newId } from '../../platform/ids.ts';
import { leasedCacheOf } from '../../platform/leased-cache.ts';
import { afterCommit, type Db, inTransaction, type Tx } from '../../platform/mongo.ts';
import type { Queues } from '../../queues/queues.ts';
import { deleteChanges, insertChange, type NewChange } from './changes.store.ts';

export type ChangeDeps = { db: Db; queues: Pick<Queues, 'enqueueDispatch'> };

/** A change of a venue to announce. */
export type VenueChange = Omit<NewChange, '_id'>;

/**
 * Adds an `availability_changed` event to the transaction that makes the change. Enqueues its dispatch once every
 * process shows the change in availability; if the job is lost, the sweep dispatches the event (ADR 0009).
 */
export async function announce({ db, queues }: ChangeDeps, change: VenueChange, tx: Tx): Promise<void> {
  const eventId = newId();
  const shownInMs = await leasedCacheOf(db).shownInMs();
  await insertChange(db, { _id: eventId, ...change }, shownInMs, tx);
  afterCommit(tx, () => {
    void delay(shownInMs, undefined, { ref: false }).then(() =>
      queues.enqueueDispatch(eventId, eventId, 'availability_changed'),
    );
  });
}

/**
 * Runs `write` in a transaction, and announces the change in it if `write` returns true: it changed something. Returns
 * the result of `write`.
 */
export function announcing(
  deps: ChangeDeps,
  change: VenueChange,
  write: (tx: Tx) => Promise<boolean>,
): Promise<boolean> {
  return inTransaction(deps.db, async (tx) => {
    const isChanged = await write(tx);
    if (isChanged) await announce(deps, change, tx);
    return isChanged;
  });
}

/** Longer than a call with several writes takes. */
const MAX_CALL_MS = 60_000;

type Announcement = {
  /** Call it in the transaction of each write that availability shows; the first call adds the event. */
  begin(change: VenueChange, tx: Tx): Promise<void>;
  hasBegun(): boolean;
};

/**
 * Runs `work`, a change of several writes, and announces it by one event once `work` ends or fails. If the process dies
 * before, the sweep dispatches the event a minute after the first write.
 */
export async function announcingOnce<T>(
  deps: ChangeDeps,
  work: (announcement: Announcement) => Promise<T>,
): Promise<T> {
  const { db } = deps;
  const eventId = newId();
  let begun: VenueChange | undefined;
  const begin = async (change: VenueChange, tx: Tx): Promise<void> => {
    if (begun !== undefined) return;
    await insertChange(db, { _id: eventId, ...change }, MAX_CALL_MS, tx);
    afterCommit(tx, () => {
      begun = change;
    });
  };
  const end = (change: VenueChange) =>
    inTransaction(db, async (tx) => {
      await deleteChanges(db, [eventId], tx);
      await announce(deps, change, tx);
    });
  try {
    return await work({ begin, hasBegun: () => begun !== undefined });
  } finally {
    // If `end` fails, the sweep sends the event that `begin` added.
    if (begun !== undefined) await end(begun).catch(() => undefined);
  }
}

/** Call it after the changes' events are stored in `events` and have deliveries. */
export async function removeDispatchedChanges(deps: { db: Db }, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await deleteChanges(deps.db, ids);
}
