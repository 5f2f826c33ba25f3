import type { PartnerClient } from 'partner-booking-client';
import { PartnerApiError } from 'partner-booking-client';
import type { Availability, Hint } from './availability.ts';
import type { Store } from './store.ts';

/** An event as it comes by webhook or in the feed. Types and fields that were made later are as welcome. */
export type AnyEvent = Hint & { event_id?: unknown };

export type Events = {
  /** Handles an event once, however often and in whatever order events come. Resolves when that is on the disk. */
  handle(event: AnyEvent): Promise<void>;
  /** Reads the feed from where it was read to up to its end as it is now, and handles what never came by webhook. */
  catchUp(): Promise<void>;
};

const PAGE = 200;

export function createEvents(store: Store, client: PartnerClient, availability: Availability): Events {
  const underWay = new Map<string, Promise<void>>();

  const handleOnce = async (event: AnyEvent, eventId: string): Promise<void> => {
    availability.hint(event);
    // What else your shop does about an event belongs here: it is done again where the process dies before the next line.
    await store.handled(eventId);
  };
  const handle: Events['handle'] = async (event) => {
    const { event_id: eventId } = event;
    if (typeof eventId !== 'string') return availability.hint(event);
    if (store.hasHandled(eventId)) return undefined;
    const running = underWay.get(eventId) ?? handleOnce(event, eventId);
    underWay.set(eventId, running);
    return running.finally(() => underWay.delete(eventId));
  };

  const readOn = async (): Promise<void> => {
    for (;;) {
      const after = store.cursor();
      const query = after === undefined ? { limit: PAGE } : { limit: PAGE, after };
      const page = await client.listEvents({ query });
      await Promise.all(page.data.map(handle));
      // An empty page is the end, however small the pages are that the service grants.
      if (page.data.length === 0) return;
      if (page.next_cursor !== null) await store.read(page.next_cursor);
    }
  };
  const readToEnd = async (): Promise<void> => {
    try {
      await readOn();
    } catch (error) {
      if (!isRejectedCursor(error)) throw error;
      // One that was not used for 30 days: all that the service still has is newer.
      await store.forgetCursor();
      await readOn();
    }
  };

  let last: Promise<void> = Promise.resolve();
  let next: Promise<void> | undefined;
  return {
    handle,
    catchUp: () => {
      // Who asks while one is running gets the next one, which sees what this one may have passed.
      next ??= last
        .catch(() => undefined)
        .then(() => {
          next = undefined;
          last = readToEnd();
          return last;
        });
      return next;
    },
  };
}

const isRejectedCursor = (error: unknown): boolean =>
  error instanceof PartnerApiError && error.status === 400 && error.details.some(({ path }) => path === 'after');
