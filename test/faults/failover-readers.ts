import { setTimeout as delay } from 'node:timers/promises';
import { type Client, createClient } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import { expectStatus, type Json } from '../support/factories.ts';
import { rowsOf, type Stored } from '../support/rows.ts';
import { type Acknowledged, requireWholeFeed } from './audit.ts';
import { insist, newPatience, type Patience } from './insist.ts';

/** What a failover can hide was acknowledged just before: so many of the latest holds and bookings are read over and over. */
const LATEST = 8;
const PAUSE_MS = 5;
/** More than one page takes with all that is sold meanwhile. */
const LIMIT = 200;

/** What readers met. */
export type Met = Patience & {
  /** Answers that something is missing which had been acknowledged, and events that the feed skipped, repeated or turned round. */
  faults: string[];
  reads: number;
  pages: number;
  /** What the controls met: objects that a majority read did not find, and events that were skipped by reading end and page apart. */
  unseen: number;
  skipped: number;
};

export type Readers = {
  /** Has the feed read to its end; to be called when nothing is sold any more. */
  stop(): Promise<Met>;
};

/**
 * Reads what `acknowledged` has, through each of `urls` in turn, and the feed. Beside them two controls read the database itself as
 * the service once did: by majority alone, and the end of the feed apart from its events.
 */
export function startReaders(
  system: Stored & { urls: readonly string[] },
  apiKey: string,
  acknowledged: readonly Acknowledged[],
): Readers {
  const apis = system.urls.map((url) => createClient(url, apiKey));
  const patience = newPatience();
  const stopping = new AbortController();
  const objects = readObjects(apis, acknowledged, patience, stopping.signal);
  const feed = readWholeFeed(apis, patience, stopping.signal);
  const unseen = missByMajority(system, acknowledged, stopping.signal);
  const skipped = skipInTwoReads(system, stopping.signal);
  const all = Promise.all([objects, feed, unseen, skipped]);
  all.catch(() => stopping.abort());
  return {
    stop: async () => {
      await Promise.race([all, eventually('every event is in the feed', () => requireWholeFeed(system), 120_000)]);
      stopping.abort();
      const [byId, read, missed, passedOver] = await all;
      const events = (await rowsOf(system, 'events', { isFiller: { $ne: true } })).toSorted(
        (a, b) => (a.sequence ?? 0) - (b.sequence ?? 0),
      );
      const logged = events.map(({ _id }) => _id);
      return {
        ...patience,
        reads: byId.reads,
        pages: read.pages,
        faults: [...byId.faults, ...faultsOfFeed(read.ids, logged)],
        unseen: missed.size,
        skipped: logged.filter((id) => !passedOver.has(id)).length,
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

/** Reads the feed page after page until `stopping` aborts and a page is empty; the ids of its events in their order. */
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
    const path = `/api/v1/partner/events?limit=${LIMIT}${after}`;
    const page = expectStatus(await insist(() => api.get(path), patience), 200);
    const data = page['data'] as Json[];
    ids.push(...data.map((event) => String(event['event_id'])));
    after = `&after=${String(page['next_cursor'])}`;
    if (isLast && data.length === 0) return { ids, pages };
    await delay(PAUSE_MS);
  }
}

/** What was skipped, repeated or turned round of the events that are `logged`, in the order of the feed. */
export function faultsOfFeed(read: readonly string[], logged: readonly string[]): string[] {
  const seen = new Set(read);
  return [
    ...logged.filter((id) => !seen.has(id)).map((id) => `${id}: skipped by the feed`),
    ...(seen.size === read.length ? [] : ['the feed repeated events']),
    ...(read.join() === logged.filter((id) => seen.has(id)).join() ? [] : ['the feed is out of order']),
  ];
}

/** Which of the latest holds a majority read did not find once, though they had been acknowledged. */
async function missByMajority(
  { context: { db } }: Stored,
  acknowledged: readonly Acknowledged[],
  stopping: AbortSignal,
): Promise<Set<string>> {
  const missed = new Set<string>();
  const reservations = db.collection<{ _id: string }>('reservations');
  for (; !stopping.aborted; await delay(PAUSE_MS)) {
    const ids = acknowledged.slice(-LATEST).map(({ holdId }) => holdId);
    const found = await untilRead(() => reservations.find({ _id: { $in: ids } }).toArray());
    const there = new Set(found.map(({ _id }) => _id));
    for (const id of ids) if (!there.has(id)) missed.add(id);
  }
  return missed;
}

/** Control: the events that a reader gets who reads the end of the feed and then its events, perhaps from another primary. */
async function skipInTwoReads({ context: { db } }: Stored, stopping: AbortSignal): Promise<Set<string>> {
  const met = new Set<string>();
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
    for (const { _id } of rows) met.add(_id);
    if (isLast && upTo <= after) return met;
    after = Math.max(after, upTo);
  }
}

/** The read, made again for as long as there is no primary: what the driver does, with more patience. */
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
