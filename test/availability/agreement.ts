import type { Reply } from '../support/client.ts';
import { type Json, json } from '../support/factories.ts';
import { integerBetween, pick, type Random } from '../support/random.ts';
import { outcomeOf } from '../support/verdict.ts';
import { dateAfter } from './wall-clock.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 1440 * MINUTE_MS;
const MAX_REQUESTED_SLOTS = 8;
const HELD = { is_available: false, unavailable_reason: 'held' };

/** One resource and operating date, as a partner sees them. */
export type Shop = {
  venueId: string;
  resourceId: string;
  durationMinutes: number;
  date: string;
  /** The resource's slots from the first to the last date, as availability lists them. */
  list: (from: string, to: string) => Promise<Json[]>;
  hold: (reference: Json) => Promise<Reply>;
};

export type Agreement = {
  /** A sentence for each slot on which availability and holds disagree. */
  faults: string[];
  /** The outcome of each hold: `201`, `409 held`, `404 SLOT_NOT_FOUND`. */
  answers: string[];
};

/**
 * Requests holds on listed slots, by every kind of reference, and on windows that are not listed. Expects 201 with the
 * listed fields for an available slot, the listed reason for an unavailable slot, and 404 for an unlisted window.
 * Afterwards availability must show the new holds and no other change.
 */
export async function compareListingAndHolds(shop: Shop, random: Random): Promise<Agreement> {
  const listed = await shop.list(shop.date, shop.date);
  const faults: string[] = [];
  const answers: string[] = [];
  const held = new Set<unknown>();
  const requests = someOf(listed, random).map((slot) => ({
    slot,
    reference: pick(random, referencesTo(shop, slot)),
  }));
  // Concurrently: the slots do not conflict.
  await Promise.all(
    requests.map(async ({ slot, reference }) => {
      const reply = await shop.hold(reference);
      answers.push(outcomeOf(reply));
      if (reply.status === 201) held.add(slot['slot_id']);
      faults.push(...faultsOfAnswer(slot, reply));
    }),
  );
  const unlisted = (await windowsNotListed(shop, listed, random)).map((start) => ({
    start,
    reference: pick(random, referencesToStart(shop, start)),
  }));
  await Promise.all(
    unlisted.map(async ({ start, reference }) => {
      const answer = outcomeOf(await shop.hold(reference));
      answers.push(answer);
      if (answer !== '404 SLOT_NOT_FOUND')
        faults.push(`${new Date(start).toISOString()} is not listed, but a hold on it gets ${answer}`);
    }),
  );
  const expected = listed.map((slot) => (held.has(slot['slot_id']) ? { ...slot, ...HELD } : slot));
  if (JSON.stringify(await shop.list(shop.date, shop.date)) !== JSON.stringify(expected))
    faults.push('afterwards availability does not show the new holds, or shows another change');
  return { faults, answers };
}

/** The first, the last and some other slots. */
function someOf(slots: Json[], random: Random): Json[] {
  const chosen = new Set([...slots.slice(0, 1), ...slots.slice(-1)]);
  while (chosen.size < Math.min(slots.length, MAX_REQUESTED_SLOTS)) chosen.add(pick(random, slots));
  return [...chosen];
}

function faultsOfAnswer(slot: Json, reply: Reply): string[] {
  const expected = slot['is_available'] === true ? '201' : `409 ${String(slot['unavailable_reason'])}`;
  const answer = outcomeOf(reply);
  if (answer !== expected) return [`${String(slot['slot_id'])} is listed as ${expected}, but a hold gets ${answer}`];
  if (answer !== '201') return [];
  const hold = json(reply);
  return ['slot_id', 'resource_id', 'slot_start', 'slot_end', 'price_rupees']
    .filter((field) => hold[field] !== slot[field])
    .map((field) => `${field} is listed as ${String(slot[field])} and held as ${String(hold[field])}`);
}

/** All ways in which a partner can name a slot. */
function referencesTo(shop: Shop, slot: Json): Json[] {
  const { slot_id, resource_id, slot_start } = slot;
  const parts = { venue_id: shop.venueId, resource_id, slot_start };
  return [{ slot_id }, parts, { slot_id, ...parts }];
}

/** Ids have no seconds, so only the parts can name a start between two minutes. */
function referencesToStart(shop: Shop, startMs: number): Json[] {
  const start = new Date(startMs).toISOString();
  const parts = { venue_id: shop.venueId, resource_id: shop.resourceId, slot_start: start };
  if (startMs % MINUTE_MS !== 0) return [parts];
  const digits = start.replace(/[-:]/g, '').slice(0, 'YYYYMMDDTHHmm'.length);
  return [parts, { slot_id: `${shop.resourceId}_${digits}Z` }];
}

/**
 * Starts that a partner could derive from the list: near a slot, after the last, before the first, at a slot's time on
 * another day. Omits starts that a neighbouring date lists.
 */
async function windowsNotListed(shop: Shop, listed: Json[], random: Random): Promise<number[]> {
  if (listed.length === 0) return [];
  const startsOf = (slots: Json[]) => slots.map((slot) => Date.parse(String(slot['slot_start'])));
  const durationMs = shop.durationMinutes * MINUTE_MS;
  const starts = startsOf(listed);
  const any = pick(random, starts);
  const invented = [
    any + 5 * MINUTE_MS,
    any - 5 * MINUTE_MS,
    any + MINUTE_MS,
    any + 1000 * integerBetween(random, 1, 59),
    any + durationMs / 2,
    any + durationMs,
    any + pick(random, [-1, 1]) * DAY_MS,
    Math.min(...starts) - durationMs,
    Math.max(...starts) + durationMs,
  ];
  const known = new Set(startsOf(await shop.list(dateAfter(shop.date, -2), dateAfter(shop.date, 2))));
  return [...new Set(invented)].filter((start) => !known.has(start));
}
