import { listGrantedVenueIds } from '../partners/partners.store.ts';
import type { Clock } from '../platform/clock.ts';
import { type Db, readingSnapshot } from '../platform/mongo.ts';
import type { EventType } from '../reservations/event-types.ts';
import type { EventRow } from './events.model.ts';
import { findFeed } from './events.store.ts';
import { findLastSequenceNumber, findOpenRanges, giveUpRange, removeFromFeed } from './sequence-numbers.store.ts';

type ReadFeed = {
  after: number;
  since?: Date | undefined;
  venueId?: string | undefined;
  type?: EventType | undefined;
  limit: number;
};

/**
 * The events at the partner's venues and of its own grants after a sequence number, in feed order. `next` is the number
 * to continue from, also at the end: later events have higher numbers (ADR 0010). Grants, events and the feed's end are
 * read in one snapshot: with an end newer than the events, for example after a failover, the reader would skip events
 * (ADR 0005).
 */
export async function readFeed(
  deps: { db: Db },
  partnerId: string,
  { venueId, ...wanted }: ReadFeed,
): Promise<{ events: EventRow[]; next: number }> {
  return readingSnapshot(deps.db, async (snapshot) => {
    const granted = await listGrantedVenueIds(deps.db, partnerId, snapshot);
    const venueIds = venueId === undefined ? granted : granted.filter((each) => each === venueId);
    const reader = { partnerId, venueIds, ownVenueIds: venueId === undefined ? null : [venueId] };
    const upTo = await findLastSequenceNumber(deps.db, snapshot);
    const events = await findFeed(deps.db, reader, { ...wanted, upTo }, snapshot);
    const isFull = events.length === wanted.limit;
    return { events, next: isFull ? (events.at(-1)?.sequence ?? upTo) : Math.max(wanted.after, upTo) };
  });
}

/** Removes events older than 30 days from the feed; they stay in the log. Returns how many. */
export async function shortenFeed(deps: { db: Db }): Promise<number> {
  return removeFromFeed(deps.db);
}

/** Far longer than writing events takes: after that, the process has ended or hangs. */
const GIVEN_UP_AFTER_MS = 10_000;

/** Ends number ranges of dead processes, because the feed stops at an open range. */
export async function giveUpOldRanges(deps: { db: Db; clock: Clock }): Promise<void> {
  const before = deps.clock.now().getTime() - GIVEN_UP_AFTER_MS;
  for (const range of await findOpenRanges(deps.db)) if (range.at.getTime() < before) await giveUpRange(deps.db, range);
}
