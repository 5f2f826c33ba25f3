import { grantedVenueIds } from '../partners/partners.service.ts';
import type { Clock } from '../platform/clock.ts';
import type { Db } from '../platform/mongo.ts';
import { inTransaction, readingSnapshot } from '../platform/mongo.ts';
import type { EventType } from '../reservations/event-types.ts';
import type { EventRow } from './events.model.ts';
import {
  findFeed,
  findLastPlace,
  findUnsequencedIds,
  givePlaces,
  hasUnsequenced,
  removeFromFeed,
  takePlaces,
} from './events.store.ts';

/** The feed goes back this far. */
const KEPT_DAYS = 30;
const DAY_MS = 86_400_000;

export type ReadFeed = { after: number; venueId?: string; type?: EventType; limit: number };

/**
 * The events at the partner's venues after a place in the feed, in its order, and the place to go on from. That place is there
 * at the end too, and nothing that comes later will stand before it (ADR 0007). Grants, end and events are those of one moment:
 * of two moments, the end could be newer than the events, as after a failover, and what lies between would be skipped for good
 * (ADR 0023).
 */
export async function readFeed(
  deps: { db: Db; clock: Clock },
  partnerId: string,
  { after, venueId, type, limit }: ReadFeed,
): Promise<{ events: EventRow[]; next: number }> {
  return readingSnapshot(deps.db, async (snapshot) => {
    const granted = await grantedVenueIds(deps, partnerId, snapshot);
    const filter = {
      venueIds: venueId === undefined ? granted : granted.filter((each) => each === venueId),
      since: feedBegin(deps),
      ...(type === undefined ? {} : { type }),
    };
    const upTo = await findLastPlace(deps.db, snapshot);
    const events = await findFeed(deps.db, filter, { after, upTo }, limit, snapshot);
    const isFull = events.length === limit;
    return { events, next: isFull ? (events.at(-1)?.sequence ?? upTo) : Math.max(after, upTo) };
  });
}

function feedBegin({ clock }: { clock: Clock }): Date {
  return new Date(clock.now().getTime() - KEPT_DAYS * DAY_MS);
}

/** Takes the events that are older than the feed goes back out of it; they stay in the log. Returns how many. */
export async function shortenFeed(deps: { db: Db; clock: Clock }): Promise<number> {
  return removeFromFeed(deps.db, feedBegin(deps));
}

const BATCH = 500;

/**
 * Gives the events that have none their places in the feed. The transactions that do so follow one another, because each
 * changes the one counter: whoever sees a place sees all places before it (ADR 0007). Goes on until every event has one or
 * `stopping` aborts; returns how many were given.
 */
export async function sequenceEvents(deps: { db: Db }, stopping?: AbortSignal): Promise<number> {
  for (let count = 0; ; ) {
    if (stopping?.aborted === true || !(await hasUnsequenced(deps.db))) return count;
    const placed = await inTransaction(deps.db, async (tx) => {
      const eventIds = await findUnsequencedIds(deps.db, BATCH, tx);
      if (eventIds.length === 0) return 0;
      await givePlaces(deps.db, eventIds, await takePlaces(deps.db, eventIds.length, tx), tx);
      return eventIds.length;
    });
    count += placed;
  }
}
