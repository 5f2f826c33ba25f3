import { listGrantedVenueIds } from '../partners/partners.store.ts';
import { isFinalRejection } from '../platform/bulk-writes.ts';
import type { Clock } from '../platform/clock.ts';
import { coalesced, onePer } from '../platform/coalesced.ts';
import type { Db } from '../platform/mongo.ts';
import { inTransaction, readingSnapshot } from '../platform/mongo.ts';
import { omitUndefined } from '../platform/omit-undefined.ts';
import type { EventType } from '../reservations/event-types.ts';
import type { EventRow } from './events.model.ts';
import {
  assignSequenceNumbers,
  findFeed,
  findUnsequencedIds,
  hasUnsequenced,
  insertNumbered,
  removeFromFeed,
} from './events.store.ts';
import {
  closeRange,
  findLastSequenceNumber,
  findOpenRanges,
  giveUpRange,
  openRange,
  reserveSequenceNumbers,
} from './sequence-numbers.store.ts';

/** The feed goes back 30 days. */
const KEPT_MS = 30 * 86_400_000;

export type ReadFeed = { after: number; since?: Date; venueId?: string; type?: EventType; limit: number };

/**
 * The events at the partner's venues after a sequence number, in the order of the feed, and the number to go on from. There is one
 * at the end too, and nothing that comes later will have a lower one (ADR 0007). Grants, end and events are those of one moment:
 * of two moments, the end could be newer than the events, as after a failover, and what lies between would be skipped for good
 * (ADR 0023).
 */
export async function readFeed(
  deps: { db: Db },
  partnerId: string,
  { after, since, venueId, type, limit }: ReadFeed,
): Promise<{ events: EventRow[]; next: number }> {
  return readingSnapshot(deps.db, async (snapshot) => {
    const granted = await listGrantedVenueIds(deps.db, partnerId, snapshot);
    const filter = {
      venueIds: venueId === undefined ? granted : granted.filter((each) => each === venueId),
      keptMs: KEPT_MS,
      isByTime: since !== undefined && after === 0,
      ...omitUndefined({ since, type }),
    };
    const upTo = await findLastSequenceNumber(deps.db, snapshot);
    const events = await findFeed(deps.db, filter, { after, upTo }, limit, snapshot);
    const isFull = events.length === limit;
    return { events, next: isFull ? (events.at(-1)?.sequence ?? upTo) : Math.max(after, upTo) };
  });
}

/** Takes the events that are older than the feed goes back out of it; they stay in the log. Returns how many. */
export async function shortenFeed(deps: { db: Db }): Promise<number> {
  return removeFromFeed(deps.db, KEPT_MS);
}

const BATCH = 500;

/**
 * Writes events to the log with their sequence numbers, of numbers that it reserves for them alone: dispatchers beside each other wait for
 * nobody (ADR 0059). Returns those that are still to be logged without one: of a reservation of which one is there already, or is
 * refused; all, where numbers could not be reserved. Those that have no number yet must not be of the same reservations.
 */
export async function logNumbered(deps: { db: Db }, events: readonly EventRow[]): Promise<EventRow[]> {
  if (events.length === 0) return [];
  // Events of one instant keep their order, which of a reservation is that of its outbox: ids carry the time of their hosts.
  const inOrder = events.toSorted((a, b) => a.at.getTime() - b.at.getTime());
  const range = await openRange(deps.db, inOrder.length);
  if (range === undefined) return inOrder;
  try {
    const unwritten = await insertNumbered(deps.db, inOrder, range.from);
    // An insert that is in doubt may still be carried out, with a number that readers of a closed range have passed.
    const end = [...unwritten.values()].every(isFinalRejection) ? closeRange : giveUpRange;
    // Nothing waits for it: where it fails, the sweep ends the range.
    end(deps.db, range).catch(() => undefined);
    return inOrder.filter(({ holdId }) => unwritten.has(holdId));
  } catch (err) {
    giveUpRange(deps.db, range).catch(() => undefined);
    throw err;
  }
}

/** Far longer than events take to be written: the process has ended, or stands still. */
const GIVEN_UP_AFTER_MS = 10_000;

/** Ends the ranges of dispatchers that died, for the feed waits for them. */
export async function giveUpOldRanges(deps: { db: Db; clock: Clock }): Promise<void> {
  const before = deps.clock.now().getTime() - GIVEN_UP_AFTER_MS;
  for (const range of await findOpenRanges(deps.db))
    if (range.at.getTime() < before) await giveUpRange(deps.db, range);
}

/** The same run of `sequenceEvents` for all who call while one is under way. */
export const sequenceTogether = onePer((db: Db) => coalesced(() => sequenceEvents({ db })));

/**
 * Assigns sequence numbers to the events that have none. The transactions that do so follow one another, because each changes the
 * one counter: so those of a reservation get theirs in its order (ADR 0007). Goes on until every event that was logged before
 * has one, or `stopping` aborts; returns how many were assigned.
 */
export async function sequenceEvents(deps: { db: Db }, stopping?: AbortSignal): Promise<number> {
  for (let count = 0; ; ) {
    const assigned = await inTransaction(deps.db, async (tx) => {
      const eventIds = await findUnsequencedIds(deps.db, BATCH, tx);
      if (eventIds.length === 0) return 0;
      await assignSequenceNumbers(
        deps.db,
        eventIds,
        await reserveSequenceNumbers(deps.db, eventIds.length, tx),
        tx,
      );
      return eventIds.length;
    });
    count += assigned;
    if (assigned < BATCH || stopping?.aborted === true) return count;
  }
}

/** The same for the sweep, which seldom finds any: it looks first, for a transaction costs more than that. */
export async function sequenceForgottenEvents(deps: { db: Db }, stopping: AbortSignal): Promise<number> {
  return (await hasUnsequenced(deps.db)) ? sequenceEvents(deps, stopping) : 0;
}
