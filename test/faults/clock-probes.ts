import { setTimeout as delay } from 'node:timers/promises';
import { slotIdOf } from '../../src/catalog/slots/slot.rules.ts';
import { createClient, type Reply } from '../support/client.ts';
import { expectStatus, type Json, json, operatorOf, type Partner, type Venue } from '../support/factories.ts';
import { integerBetween, type Random } from '../support/random.ts';
import type { HistoryScene } from './history.ts';
import { insist } from './insist.ts';

/** What the probes call: the first API, which has a wrong clock, and objects that no other caller uses. */
type ProbedScene = Pick<HistoryScene, 'adminUrl' | 'model' | 'patience'> & {
  url: string;
  partner: Partner;
  /** One resource on sale, and one under a blackout that lasts longer than the probes. */
  today: Venue & { date: string };
  horizonDays: number;
  over: AbortSignal;
};

/** The faults that the probes found, and how many keys and slots they tried. */
type ProbeResults = {
  found: {
    /** Calls that succeeded although the slot has begun, is beyond the horizon or closed, or the key has expired. */
    wronglyAllowed: string[];
    wronglyRejected: string[];
  };
  keys: number;
  slots: number;
};

/** The clock error that a process may have. */
const TOLERANCE_MS = 500;
const DAY_MS = 86_400_000;
const PAUSE_MS = 100;

/** Probes slots that have begun and keys that expire until `scene.over` aborts. */
export async function probe(scene: ProbedScene, random: Random): Promise<ProbeResults> {
  const results: ProbeResults = { found: { wronglyAllowed: [], wronglyRejected: [] }, keys: 0, slots: 0 };
  const repeat = async (ask: (scene: ProbedScene, results: ProbeResults, random: Random) => Promise<void>) => {
    for (; !scene.over.aborted; await delay(PAUSE_MS)) await ask(scene, results, random);
  };
  await Promise.all([repeat(probeKey), repeat(probeSlots)]);
  return results;
}

/** Issues a key that expires within seconds, and uses it until after its expiry. */
async function probeKey(scene: ProbedScene, results: ProbeResults, random: Random): Promise<void> {
  const { url, partner, patience, over } = scene;
  const expiresAtMs = Date.now() + integerBetween(random, 2000, 5000);
  const body = { label: 'ends soon', expires_at: new Date(expiresAtMs).toISOString() };
  const path = `/api/v1/operator/partners/${partner.id}/keys`;
  const issued = await insist(() => operatorOf(scene).post(path, body), patience);
  results.keys += 1;
  if (issued.status !== 201) {
    results.found.wronglyRejected.push(`a key that ends in seconds was not issued: ${issued.text}`);
    return;
  }
  const api = createClient(url, String(json(issued)['api_key']));
  while (!over.aborted && Date.now() < expiresAtMs + 2 * TOLERANCE_MS) {
    const sentAtMs = Date.now();
    const { status } = await insist(() => api.get('/api/v1/partner/me'), patience);
    if (status === 401 && Date.now() < expiresAtMs - TOLERANCE_MS)
      results.found.wronglyRejected.push(`a key was rejected ${expiresAtMs - Date.now()} ms before its expiry`);
    if (status === 200 && sentAtMs >= expiresAtMs + TOLERANCE_MS)
      results.found.wronglyAllowed.push(`a key was accepted ${sentAtMs - expiresAtMs} ms after its expiry`);
    await delay(PAUSE_MS);
  }
}

/**
 * Changes a price, so that the API reads the venue's rules again with its current clock. Then compares availability and
 * holds with this machine's time.
 */
async function probeSlots(scene: ProbedScene, results: ProbeResults, random: Random): Promise<void> {
  const { url, partner, today, patience, model, horizonDays } = scene;
  const [sold = '', closed = ''] = today.resourceIds;
  const api = createClient(url, partner.apiKey);
  const rupees = integerBetween(random, 500, 2000);
  const acknowledge = model.recordRepricing(sold, rupees);
  const resource = `/api/v1/operator/resources/${sold}`;
  const repriced = await insist(() => operatorOf(scene).patch(resource, { price_rupees: rupees }), patience);
  expectStatus(repriced, 200);
  acknowledge();

  const before = Date.now();
  const path = `/api/v1/slots/availability?venue_id=${today.id}&date=${today.date}`;
  const listed = await insist(() => api.get(path), patience);
  const after = Date.now();
  const slots = listed.status === 200 ? (json(listed)['slots'] as Json[]) : [];
  if (slots.length === 0) results.found.wronglyRejected.push(`availability of today: ${listed.text}`);
  const startOf = (slot: Json) => Date.parse(String(slot['slot_start']));
  const ofSold = slots.filter((slot) => slot['resource_id'] === sold);
  const offered = ofSold.filter((slot) => startOf(slot) < before - TOLERANCE_MS && slot['is_available'] === true);
  if (offered.length > 0) results.found.wronglyAllowed.push(`${offered.length} slots are offered that have begun`);
  const withheld = ofSold.filter((slot) => startOf(slot) > after + TOLERANCE_MS && isRejectedByTime(slot));
  if (withheld.length > 0) results.found.wronglyRejected.push(`${withheld.length} slots to come are not offered`);

  const stepMs = 300_000;
  const nextMs = (Math.floor(Date.now() / stepMs) + 1) * stepMs;
  // Within 2 s of a slot's start, selling and rejecting it are both right.
  if (nextMs - Date.now() < 2000 || nextMs - Date.now() > stepMs - 2000) return;
  results.slots += 1;
  const hold = async (resourceId: string, startMs: number): Promise<Reply> => {
    const slot_id = slotIdOf(resourceId, new Date(startMs));
    const sentAt = Date.now();
    const reply = await insist(() => api.post('/api/v1/partner/holds', { slot_id }), patience);
    if (reply.status !== 201) return reply;
    const { hold_id, price_rupees } = json(reply);
    const window = { slotStart: new Date(startMs), slotEnd: new Date(startMs + stepMs) };
    const answeredAt = Date.now();
    model.checkPrice({ slotId: slot_id, resourceId, ...window }, Number(price_rupees), { sentAt, answeredAt });
    await insist(() => api.post(`/api/v1/partner/holds/${String(hold_id)}/cancel`, {}), patience);
    return reply;
  };
  const coming = await hold(sold, nextMs);
  if (coming.status !== 201 && isRejectedByTime(conflictOf(coming)))
    results.found.wronglyRejected.push(`the next slot could not be held: ${coming.text}`);
  const forbidden = {
    'a slot that has begun': await hold(sold, nextMs - stepMs),
    'a slot beyond the horizon': await hold(sold, nextMs + (horizonDays + 2) * DAY_MS),
    'a slot in a blackout': await hold(closed, nextMs),
  };
  for (const [slot, { status }] of Object.entries(forbidden))
    if (status === 201) results.found.wronglyAllowed.push(`${slot} was sold`);
}

const conflictOf = (reply: Reply): Json => {
  const { conflict = {} } = (json(reply)['error'] ?? {}) as { conflict?: Json };
  return { unavailable_reason: conflict['reason'] };
};

/** Whether the slot is unavailable only because of its time. */
const isRejectedByTime = (slot: Json): boolean =>
  ['past', 'beyond_horizon'].includes(String(slot['unavailable_reason']));
