import { listGrantedVenueIds } from '../partners/partners.store.ts';
import type { Clock } from '../platform/clock.ts';
import type { Db } from '../platform/mongo.ts';
import { readingSnapshot } from '../platform/mongo.ts';
import { omitUndefined } from '../platform/omit-undefined.ts';
import type { EventType } from '../reservations/event-types.ts';
import type { EventRow } from './events.model.ts';
import { findFeed, removeFromFeed } from './events.store.ts';
import { findLastSequenceNumber, findOpenRanges, giveUpRange } from './sequence-numbers.store.ts';

/** The feed goes back 30 days. */
const KEPT_MS = 30 * 86_400_000;

export type ReadFeed = { after: number; since?: Date; venueId?: string; type?: EventType; limit: number };

/**
 * The events at the partner's venues after a sequence number, in the order of the feed, and the number to go on from. There is one
 * at the end too, and nothing that comes later will have a lower one (ADR 0010). Grants, end and events are those of one moment:
 * of two moments, the end could be newer than the events, as after a failover, and what lies between would be skipped for good
 * (ADR 0005).
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

/** Far longer than events take to be written: the process has ended, or stands still. */
const GIVEN_UP_AFTER_MS = 10_000;

/** Ends the ranges of processes that died, for the feed waits for them. */
export async function giveUpOldRanges(deps: { db: Db; clock: Clock }): Promise<void> {
  const before = deps.clock.now().getTime() - GIVEN_UP_AFTER_MS;
  for (const range of await findOpenRanges(deps.db))
    if (range.at.getTime() < before) await giveUpRange(deps.db, range);
}
