import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '../support/client.ts';
import { createClient } from '../support/client.ts';
import type { Json } from '../support/factories.ts';
import { confirmBody, expectStatus } from '../support/factories.ts';
import type { Random } from '../support/random.ts';
import { pick } from '../support/random.ts';
import { scaled } from '../support/scale.ts';
import type { Told } from './audit.ts';
import type { Patience } from './insist.ts';
import { insist, newPatience } from './insist.ts';

/** Sales that go on until they are stopped; each ends in a booking that stands, one that was cancelled or refunded, or a hold. */
export type Sales = {
  /** What partners were told so far, one entry for each hold that was placed. */
  told: Told[];
  patience: Patience;
  /** Resolves when some more have been made, and where one has met what must not come: then `stop` throws. */
  goOn(): Promise<void>;
  /** Lets the sales in progress end; throws where one met an answer that must not come. */
  stop(): Promise<void>;
};

/** `npm test` shares the machine among suites. */
const PAUSE_MS = scaled(60, 250);

/**
 * `lanes` sales at a time of slots from `slotIds`, each by another of `urls`. Every call is repeated until it is answered, so that
 * what a reservation must be in the end is known.
 */
export function startSales(
  {
    urls,
    apiKey,
    slotIds,
    lanes,
  }: { urls: readonly string[]; apiKey: string; slotIds: string[]; lanes: number },
  random: Random,
): Sales {
  const told: Told[] = [];
  const patience = newPatience();
  const stopping = new AbortController();
  const lane = async (index: number) => {
    const api = createClient(urls[index % urls.length] ?? '', apiKey);
    for (; !stopping.signal.aborted; ) {
      const slotId = slotIds.pop();
      if (slotId === undefined) throw new Error('There is no slot left to sell');
      const outcome = await sell(api, slotId, pick(random, OUTCOMES), patience, (entry) => told.push(entry));
      if (outcome !== 'BOOKED' && outcome !== 'ACTIVE') slotIds.unshift(slotId);
      await delay(PAUSE_MS);
    }
  };
  const all = Promise.all(Array.from({ length: lanes }, (_, index) => lane(index)));
  // It is awaited at the stop.
  all.catch(() => stopping.abort());
  return {
    told,
    patience,
    goOn: async () => {
      for (const before = told.length; told.length < before + lanes && !stopping.signal.aborted; ) {
        await delay(20);
      }
    },
    stop: async () => {
      stopping.abort();
      await all;
    },
  };
}

const OUTCOMES = ['BOOKED', 'CANCELLED', 'CANCELLED', 'REFUNDED', 'REFUNDED', 'RELEASED', 'ACTIVE'] as const;
type Outcome = (typeof OUTCOMES)[number];

/** Sells one slot, up to `outcome`; `tell` gets what the last answer said. */
async function sell(
  api: Client,
  slotId: string,
  outcome: Outcome,
  patience: Patience,
  tell: (told: Told) => void,
): Promise<Outcome> {
  const call = async (path: string, body: Json, status: number) =>
    expectStatus(await insist(() => api.post(path, body), patience), status);
  const key = randomUUID();
  const hold = await call(
    '/api/v1/partner/holds',
    { slot_id: slotId, idempotency_key: key, ttl_seconds: 1800 },
    201,
  );
  const told: Told = { holdId: String(hold['hold_id']), status: 'ACTIVE' };
  tell(told);
  if (outcome === 'ACTIVE') return outcome;
  if (outcome === 'RELEASED') {
    await call(`/api/v1/partner/holds/${told.holdId}/cancel`, {}, 200);
    told.status = 'RELEASED';
    return outcome;
  }
  const confirm = confirmBody(told.holdId, { idempotency_key: key });
  told.bookingId = String((await call('/api/v1/bookings/confirm', confirm, 201))['booking_id']);
  told.status = 'BOOKED';
  if (outcome === 'BOOKED') return outcome;
  const operation = outcome === 'CANCELLED' ? 'cancel' : 'refund';
  const ending = { reason: 'rain', idempotency_key: key };
  await call(`/api/v1/bookings/${told.bookingId}/${operation}`, ending, 200);
  told.status = outcome;
  return outcome;
}
