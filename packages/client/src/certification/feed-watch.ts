import { setTimeout as delay } from 'node:timers/promises';
import type { PartnerClient } from '../client.ts';
import type { AnyEvent } from './deliveries.ts';
import { NotTried } from './scenario.ts';

export type FeedWatch = {
  /** Waits for the first matching event since the run began. @throws NotTried if it does not come */
  eventOf(what: EventSought): Promise<AnyEvent>;
};

/** Compares ids, not slots: another run may have sold the slot before. */
export type EventSought = { event_type: string } & ({ hold_id: string } | { booking_id: string });

const DEADLINE_MS = 30_000;
/** The deadline once an event did not come. */
const NEXT_DEADLINE_MS = 3000;
/** Read events from before the run, in case the clock of this machine is fast. */
const MARGIN_MS = 120_000;

export function watchFeed(client: PartnerClient, signal: AbortSignal): FeedWatch {
  const events: AnyEvent[] = [];
  const since = new Date(Date.now() - MARGIN_MS).toISOString();
  let after: string | undefined;
  let deadlineMs = DEADLINE_MS;

  const readOn = async () => {
    const query = after === undefined ? { since } : { after };
    for await (const page of client.pages('listEvents', { query }, { signal })) {
      events.push(...(page.data as AnyEvent[]));
      after = page.next_cursor;
    }
  };
  return {
    eventOf: async (sought) => {
      const endsAt = performance.now() + deadlineMs;
      for (let pauseMs = 50; ; pauseMs = Math.min(pauseMs * 1.5, 1000)) {
        const found = events.find((event) => isSought(event, sought));
        if (found !== undefined) return found;
        if (performance.now() > endsAt) {
          const waited = deadlineMs / 1000;
          deadlineMs = NEXT_DEADLINE_MS;
          throw new NotTried(
            `The event ${sought.event_type} was not in the feed of the sandbox within ${waited} s. Ask the operator whether its worker webhook-delivery runs.`,
          );
        }
        await delay(pauseMs, undefined, { signal });
        await readOn();
      }
    },
  };
}

function isSought(event: AnyEvent, sought: EventSought): boolean {
  if (event.event_type !== sought.event_type) return false;
  return 'hold_id' in sought ? event.hold_id === sought.hold_id : event.booking_id === sought.booking_id;
}
