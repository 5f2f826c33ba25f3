import { setTimeout as delay } from 'node:timers/promises';
import type { PartnerClient } from '../client.ts';
import type { Success } from '../operation-types.ts';
import type { Forwarding } from './forward-event.ts';
import { forwardEvent, NO_PROGRESS } from './forward-event.ts';
import type { FeedEvent } from './send-delivery.ts';
import type { ServicePatience } from './service-patience.ts';
import type { StateStore } from './state-file.ts';

/** Polling interval at the end of the feed: uses 60 calls a minute of the partner's rate limit. */
const POLL_MS = 1000;
/** Interval for storing a new cursor without events: the service may reject a cursor that is unused for 30 days. */
const STORE_CURSOR_MS = 3_600_000;
const PAGE_LIMIT = 200;

export type Following = {
  client: PartnerClient;
  patience: ServicePatience;
  store: StateStore;
  forwarding: Forwarding;
  isWanted: (event: FeedEvent) => boolean;
};

type Page = Success<'listEvents'>;

/**
 * Forwards the events of the feed in order, from the stored cursor on, until the signal aborts. Stores the next cursor
 * only after a page is done, so that a restart repeats unfinished events.
 */
export async function followFeed(following: Following): Promise<never> {
  const { store, forwarding } = following;
  let cursor = store.state.cursor;
  let storedAt = performance.now();
  for (;;) {
    const page = await readPage(following, cursor);
    await forwardPage(following, page);
    cursor = page.next_cursor;
    if (page.data.length > 0 || performance.now() - storedAt > STORE_CURSOR_MS) {
      await store.update({ cursor, since: null, handled: [], attempted: null });
      storedAt = performance.now();
    }
    if (page.data.length < PAGE_LIMIT) await delay(POLL_MS, undefined, { signal: forwarding.signal });
  }
}

function readPage(
  { client, patience, store, forwarding: { signal } }: Following,
  cursor: string | null,
): Promise<Page> {
  const { since } = store.state;
  const begin = cursor === null ? (since === null ? {} : { since }) : { after: cursor };
  return patience.untilAnswered(
    () => client.listEvents({ query: { ...begin, limit: PAGE_LIMIT } }, { signal }),
    signal,
  );
}

async function forwardPage({ store, forwarding, isWanted }: Following, page: Page): Promise<void> {
  for (const event of page.data) {
    const { handled, attempted } = store.state;
    if (handled.includes(event.event_id) || !isWanted(event)) continue;
    const progress =
      attempted?.event_id === event.event_id
        ? { attempts: attempted.attempts, mayHaveArrived: attempted.may_have_arrived }
        : NO_PROGRESS;
    await forwardEvent(event, forwarding, progress, ({ attempts, mayHaveArrived }) =>
      store.update({ attempted: { event_id: event.event_id, attempts, may_have_arrived: mayHaveArrived } }),
    );
    await store.update({ handled: [...store.state.handled, event.event_id], attempted: null });
  }
}
