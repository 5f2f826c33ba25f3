import { setTimeout as delay } from 'node:timers/promises';
import type { TrialSystem } from './trial-system.ts';

const PAUSE_MS = 100;
/** A typical timeout of partners, in which the service also responds while its database is down. */
const TIMEOUT_MS = 15_000;

/** Calls that a partner repeats until stopped, whatever the responses are. */
export type Load = { stop(): Promise<void> };

function repeat(lanes: number, call: () => Promise<Response>): Load {
  const stopping = new AbortController();
  const lane = async () => {
    for (; !stopping.signal.aborted; ) {
      await call()
        .then((response) => response.arrayBuffer())
        .catch(() => undefined);
      await delay(PAUSE_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  };
  const all = Promise.all(Array.from({ length: lanes }, lane));
  return {
    stop: async () => {
      stopping.abort();
      await all;
    },
  };
}

const headersOf = (system: TrialSystem) => ({
  'x-api-key': system.partner.apiKey,
  'content-type': 'application/json',
});

/** Places holds on free slots. */
export function placeHolds(system: TrialSystem, lanes: number): Load {
  return repeat(lanes, () =>
    fetch(`${system.url}/api/v1/partner/holds`, {
      method: 'POST',
      headers: headersOf(system),
      body: JSON.stringify({ slot_id: system.nextSlot(), ttl_seconds: 900 }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    }),
  );
}

/** Searches bookings by a different phone number each time, so that calls do not share a read of the database. */
export function readBookings(system: TrialSystem, lanes: number): Load {
  let number = 9_800_000_000;
  return repeat(lanes, () =>
    fetch(`${system.url}/api/v1/bookings?customer_phone=${encodeURIComponent(`+91${number++}`)}`, {
      headers: headersOf(system),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    }),
  );
}
