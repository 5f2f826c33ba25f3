import type { PartnerClient } from 'partner-booking-client';
import { PartnerApiError } from 'partner-booking-client';
import type { Availability, Hint } from './availability.ts';
import type { Store } from './store.ts';

/** An event from a webhook or the feed. Its type and fields may be unknown to this version. */
export type AnyEvent = Hint & { event_id?: unknown };

export type Events = {
  /** Handles each event once, however often and in whichever order events come. Resolves when the id is on disk. */
  handle(event: AnyEvent): Promise<void>;
  /** Reads the feed from the stored cursor to its end, and handles events that never came by webhook. */
  catchUp(): Promise<void>;
};

const PAGE_SIZE = 200;

export function createEvents(store: Store, client: PartnerClient, availability: Availability): Events {
  const runningEvents = new Map<string, Promise<void>>();

  const handleOnce = async (event: AnyEvent, eventId: string): Promise<void> => {
    availability.hint(event);
    // Add your shop's reactions here. They run again if the process dies before the next line.
    await store.handled(eventId);
  };
  const handle: Events['handle'] = async (event) => {
    const { event_id: eventId } = event;
    if (typeof eventId !== 'string') return availability.hint(event);
    if (store.hasHandled(eventId)) return undefined;
    const running = runningEvents.get(eventId) ?? handleOnce(event, eventId);
    runningEvents.set(eventId, running);
    return running.finally(() => runningEvents.delete(eventId));
  };

  const readPages = async (): Promise<void> => {
    for (;;) {
      const after = store.cursor();
      const query = after === undefined ? { limit: PAGE_SIZE } : { limit: PAGE_SIZE, after };
      const page = await client.listEvents({ query });
      await Promise.all(page.data.map(handle));
      // An empty page is the end of the feed.
      if (page.data.length === 0) return;
      if (page.next_cursor !== null) await store.read(page.next_cursor);
    }
  };
  const readToEnd = async (): Promise<void> => {
    try {
      await readPages();
    } catch (error) {
      if (!isRejectedCursor(error)) throw error;
      // The cursor was unused for 30 days. Every event still in the feed is newer, so read all of them.
      await store.forgetCursor();
      await readPages();
    }
  };

  let current: Promise<void> = Promise.resolve();
  let next: Promise<void> | undefined;
  return {
    handle,
    catchUp: () => {
      // Calls during a read share the next read: the current read may have passed the newest events.
      next ??= current
        .catch(() => undefined)
        .then(() => {
          next = undefined;
          current = readToEnd();
          return current;
        });
      return next;
    },
  };
}

const isRejectedCursor = (error: unknown): boolean =>
  error instanceof PartnerApiError && error.status === 400 && error.details.some(({ path }) => path === 'after');
