import { setTimeout as delay } from 'node:timers/promises';
import { type Client, createClient } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import { expectStatus, type Json, type Partner } from '../support/factories.ts';
import { rowsOf, type Stored } from '../support/rows.ts';
import { type Acknowledged, requireWholeFeed } from './audit.ts';
import { insist, newPatience, type Patience } from './insist.ts';

/** The readers poll this many of the latest holds and bookings, because a failover hides only recent writes. */
const LATEST = 8;
const PAUSE_MS = 5;
/** More than the events of the sales during one read, so that the reader keeps up. */
const PAGE_SIZE = 200;

/**
 * Polls `acknowledged` objects and the feed through each of `urls` in turn. Two controls read the database without the
 * service's safeguards.
 */
export function startReaders(
  system: Stored & { urls: readonly string[] },
  partner: Partner,
  acknowledged: readonly Acknowledged[],
) {
  const apis = system.urls.map((url) => createClient(url, partner.apiKey));
  const patience = newPatience();
  const stopping = new AbortController();
  const objects = readObjects(apis, acknowledged, patience, stopping.signal);
  const feed = readWholeFeed(apis, patience, stopping.signal);
  const unseen = missedByMajorityReads(system, acknowledged, stopping.signal);
  const skipped = foundInSeparateReads(system, stopping.signal);
  const all = Promise.all([objects, feed, unseen, skipped]);
  all.catch(() => stopping.abort());
  return {
    /** Reads the feed to its end; returns what the readers found. Call it after the sales have stopped. */
    stop: async () => {
      await Promise.race([all, eventually('every event is in the feed', () => requireWholeFeed(system), 120_000)]);
      stopping.abort();
      const [objectReads, feedReads, missedIds, separatelyReadIds] = await all;
      // The feed has the partner's own grants, and none of other partners.
      const ofPartner = { isFiller: { $ne: true }, receiverId: { $in: [null, partner.id] } };
      const events = (await rowsOf(system, 'events', ofPartner)).toSorted(
        (a, b) => (a.sequence ?? 0) - (b.sequence ?? 0),
      );
      const logged = events.map(({ _id }) => _id);
      return {
        ...patience,
        reads: objectReads.reads,
        pages: feedReads.pages,
        /** Acknowledged objects that a response did not find; events that the feed skipped, repeated or reordered. */
        faults: [...objectReads.faults, ...faultsOfFeed(feedReads.ids, logged)],
        /** Control: objects that majority reads missed. */
        unseen: missedIds.size,
        /** Control: events skipped by a reader that reads the feed's end and its events separately. */
        skipped: logged.filter((id) => !separatelyReadIds.has(id)).length,
      };
    },
  };
}

async function readObjects(
  apis: readonly Client[],
  acknowledged: readonly Acknowledged[],
  patience: Patience,
  stopping: AbortSignal,
): Promise<{ reads: number; faults: string[] }> {
  const faults: string[] = [];
  let reads = 0;
  for (; !stopping.aborted; await delay(PAUSE_MS)) {
    for (const { holdId, bookingId } of acknowledged.slice(-LATEST).toReversed()) {
      const paths = [`/api/v1/partner/holds/${holdId}`];
      if (bookingId !== undefined) paths.push(`/api/v1/bookings/${bookingId}`);
      for (const path of paths) {
        const api = apis[reads % apis.length];
        if (api === undefined) throw new Error('There is no API');
        const { status } = await insist(() => api.get(path), patience);
        reads += 1;
        if (status !== 200) faults.push(`${path}: ${status}`);
      }
    }
  }
  return { reads, faults };
}

/** Reads the feed page by page until `stopping` aborts and a page is empty; returns the event ids in order. */
export async function readWholeFeed(
  apis: readonly Client[],
  patience: Patience,
  stopping: AbortSignal,
): Promise<{ ids: string[]; pages: number }> {
  const ids: string[] = [];
  for (let pages = 1, after = ''; ; pages += 1) {
    const isLast = stopping.aborted;
    const api = apis[pages % apis.length];
    if (api === undefined) throw new Error('There is no API');
    const path = `/api/v1/partner/events?limit=${PAGE_SIZE}${after}`;
    const page = expectStatus(await insist(() => api.get(path), patience), 200);
    const data = page['data'] as Json[];
    ids.push(...data.map((event) => String(event['event_id'])));
    after = `&after=${String(page['next_cursor'])}`;
    if (isLast && data.length === 0) return { ids, pages };
    await delay(PAUSE_MS);
  }
}

/** Events that the feed skipped, repeated or reordered, compared with `logged`. */
export function faultsOfFeed(readIds: readonly string[], logged: readonly string[]): string[] {
  const seen = new Set(readIds);
  return [
    ...logged.filter((id) => !seen.has(id)).map((id) => `${id}: skipped by the feed`),
    ...(seen.size === readIds.length ? [] : ['the feed repeated events']),
    ...(readIds.join() === logged.filter((id) => seen.has(id)).join() ? [] : ['the feed is out of order']),
  ];
}

/** Control: the recent acknowledged holds that a majority read has missed. */
async function missedByMajorityReads(
  { context: { db } }: Stored,
  acknowledged: readonly Acknowledged[],
  stopping: AbortSignal,
): Promise<Set<string>> {
  const missed = new Set<string>();
  const reservations = db.collection<{ _id: string }>('reservations');
  for (; !stopping.aborted; await delay(PAUSE_MS)) {
    const ids = acknowledged.slice(-LATEST).map(({ holdId }) => holdId);
    const found = await untilRead(() => reservations.find({ _id: { $in: ids } }).toArray());
    const foundIds = new Set(found.map(({ _id }) => _id));
    for (const id of ids) if (!foundIds.has(id)) missed.add(id);
  }
  return missed;
}

/** Control: the events found by reading the end of the feed and then its events, perhaps from another primary. */
async function foundInSeparateReads({ context: { db } }: Stored, stopping: AbortSignal): Promise<Set<string>> {
  const found = new Set<string>();
  for (let after = 0; ; await delay(PAUSE_MS)) {
    const isLast = stopping.aborted;
    const counter = await untilRead(() => db.collection('feed_counters').findOne());
    const upTo = Number(counter?.['last'] ?? 0);
    const rows = await untilRead(() =>
      db
        .collection<{ _id: string }>('events')
        .find({ sequence: { $gt: after, $lte: upTo } })
        .toArray(),
    );
    for (const { _id } of rows) found.add(_id);
    if (isLast && upTo <= after) return found;
    after = Math.max(after, upTo);
  }
}

/** Repeats the read for up to a minute until there is a primary. The driver gives up sooner. */
async function untilRead<T>(read: () => Promise<T>): Promise<T> {
  for (const endsAt = performance.now() + 60_000; ; ) {
    try {
      return await read();
    } catch (err) {
      if (performance.now() > endsAt) throw err;
      await delay(PAUSE_MS);
    }
  }
}
