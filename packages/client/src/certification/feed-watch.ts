import { setTimeout as delay } from 'node:timers/promises';
import type { PartnerClient } from '../client.ts';
import type { AnyEvent } from './deliveries.ts';
import { NotTried } from './scenario.ts';

export type FeedWatch = {
  /** Waits for the first matching event since the run began. @throws NotTried if it does not come */
  eventOf(filter: EventFilter): Promise<AnyEvent>;
};

/** Selects an event by its ids, not by its slot: another run may have sold the slot before. */
export type EventFilter = { event_type: string } & ({ hold_id: string } | { booking_id: string });

const DEADLINE_MS = 30_000;
/** The deadline for later events, once an event did not come in time. */
const NEXT_DEADLINE_MS = 3000;
/** Reads events from before the run, because the clock of this machine may be fast. */
const MARGIN_MS = 120_000;

export function watchFeed(client: PartnerClient, signal: AbortSignal): FeedWatch {
  const events: AnyEvent[] = [];
  const since = new Date(Date.now() - MARGIN_MS).toISOString();
  let after: string | undefined;
  let deadlineMs = DEADLINE_MS;

  const readNewPages = async () => {
    const query = after === undefined ? { since } : { after };
    for await (const page of client.pages('listEvents', { query }, { signal })) {
      events.push(...(page.data as AnyEvent[]));
      after = page.next_cursor;
    }
  };
  return {
    eventOf: async (filter) => {
      const endsAt = performance.now() + deadlineMs;
      for (let pauseMs = 50; ; pauseMs = Math.min(pauseMs * 1.5, 1000)) {
        const found = events.find((event) => matches(event, filter));
        if (found !== undefined) return found;
        if (performance.now() > endsAt) {
          const waited = deadlineMs / 1000;
          deadlineMs = NEXT_DEADLINE_MS;
          throw new NotTried(
            `The event ${filter.event_type} was not in the feed of the sandbox within ${waited} s. Ask the operator whether the worker webhook-delivery runs.`,
          );
        }
        await delay(pauseMs, undefined, { signal });
        await readNewPages();
      }
    },
  };
}

function matches(event: AnyEvent, filter: EventFilter): boolean {
  if (event.event_type !== filter.event_type) return false;
  return 'hold_id' in filter ? event.hold_id === filter.hold_id : event.booking_id === filter.booking_id;
}
