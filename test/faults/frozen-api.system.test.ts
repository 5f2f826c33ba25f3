import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Reservation } from '../../src/reservations/reservations.model.ts';
import type { Client, Reply } from '../support/client.ts';
import { createClient } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import type { Json, Partner, Venue } from '../support/factories.ts';
import {
  anyPartner,
  anyVenue,
  confirmBody,
  dateIn,
  expectStatus,
  json,
  operatorOf,
  placeHold,
  slotsOf,
} from '../support/factories.ts';
import { integerBetween, mulberry32, propertySeed } from '../support/random.ts';
import { rowsOf } from '../support/rows.ts';
import { scaled } from '../support/scale.ts';
import type { Service } from '../support/service.ts';
import { startService } from '../support/service.ts';
import type { SpawnedProcess } from '../support/worker-process.ts';
import { endProcesses, startProcess } from '../support/worker-process.ts';
import { doubleBookings, readCommits } from './claim-log.ts';
import { report } from './report.ts';

const ROUNDS = scaled(60, 4);
const MOST_ROUNDS = scaled(ROUNDS, 3 * ROUNDS);
/** Once, longer than anything is kept in memory (ADR 0037). */
const LONGEST_FREEZE_MS = scaled(12_000, 800);
const HOLDS = 6;
const seed = propertySeed();

let service: Service;
let frozen: SpawnedProcess;
let venue: Venue;
let partner: Partner;
let viaFrozen: Client;
beforeAll(async () => {
  service = await startService({ HOLD_TTL_SECONDS: '600', CACHE_LEASE_MS: String(scaled(1000, 600)) });
  frozen = startProcess('src/api.ts', service.environment);
  venue = await anyVenue(service, [{ duration_minutes: 15 }]);
  partner = await anyPartner(service, [venue.id]);
  const { url } = await frozen.ready;
  await eventually('the API serves', async () => (await fetch(`${String(url)}/readyz`)).ok);
  viaFrozen = createClient(String(url), partner.apiKey);
});
afterAll(async () => {
  await endProcesses();
  await service.stop();
});

/** Reservations that stand in a blackout although its report does not name them: customers in front of a closed gate. */
function unreported(rows: readonly Reservation[], blackout: Json): string[] {
  const named = (blackout['conflicts'] as Json[]).map((each) => each['hold_id'] ?? each['booking_id']);
  const [from, to] = [blackout['starts_at'], blackout['ends_at']].map((at) => new Date(String(at)));
  return rows
    .filter(({ claimed, slotStart, slotEnd }) => claimed && from && to && slotStart < to && from < slotEnd)
    .filter(({ _id, bookingId }) => !named.includes(_id) && !named.includes(bookingId))
    .map(({ _id, status }) => `${_id} is ${status}`);
}

/**
 * Of one round: the blackout made while the process was frozen, and what its callers were answered once it went on. `caught` is how
 * many holds it had written then and not yet answered.
 */
type Round = {
  blackout: Json;
  caught: number;
  held: { slot: Json; reply: Reply }[];
  confirmed: Reply;
  walkIn: Reply;
};

const ofSlot = (slot: Json | undefined): string => String(slot?.['slot_id']);

/**
 * Freezes the process while it places holds and confirms one, as soon as it has written `written` of the holds; meanwhile an operator
 * closes the ground of some and sells the one that is being confirmed.
 */
async function freezeAmid(slots: readonly Json[], written: number, forMs: number): Promise<Round> {
  const [toConfirm, ...toHold] = slots;
  const [first, last] = [toHold[0], toHold[HOLDS / 2]];
  const { hold_id } = await placeHold(partner, ofSlot(toConfirm));
  let answered = 0;
  const holds = toHold.map(async (slot) => {
    const reply = await viaFrozen.post('/api/v1/partner/holds', { slot_id: ofSlot(slot) });
    answered += 1;
    return { slot, reply };
  });
  const confirming = viaFrozen.post('/api/v1/bookings/confirm', confirmBody(hold_id));
  const countWritten = () =>
    service.context.db
      .collection('reservations')
      .countDocuments({ slotId: { $in: toHold.map(ofSlot) }, status: 'ACTIVE' });
  await eventually('some holds are written', async () => (await countWritten()) >= written);
  frozen.signal('SIGSTOP');
  const frozenAt = performance.now();
  const caught = (await countWritten()) - answered;
  const operator = operatorOf(service);
  const window = { starts_at: first?.['slot_start'], ends_at: last?.['slot_end'], reason: 'Repairs' };
  const blackout = expectStatus(
    await operator.post(`/api/v1/operator/venues/${venue.id}/blackouts`, window),
    201,
  );
  const body = { slot_id: ofSlot(toConfirm), override_holds: true };
  const walkIn = await operator.post('/api/v1/operator/walk-ins', body);
  await delay(Math.max(0, forMs - (performance.now() - frozenAt)));
  frozen.signal('SIGCONT');
  return { blackout, caught, walkIn, held: await Promise.all(holds), confirmed: await confirming };
}

test('what an operator closed or sold while an API was frozen amid its writes, that API sells to nobody', async () => {
  const beganAt = performance.now();
  const random = mulberry32(seed);
  const slots = (
    await Promise.all(
      Array.from({ length: scaled(8, 4) }, (_, day) => slotsOf(partner, venue.id, dateIn(3 + day))),
    )
  ).flat();
  const faults: string[] = [];
  const counts = { caught: 0, held: 0, refused: 0, walkIns: 0, confirmed: 0 };
  const wasFrozenWhereItMatters = () => Math.min(counts.held, counts.refused) > 0;
  let round = 0;
  // A few rounds may all miss the moment.
  for (; round < ROUNDS || (round < MOST_ROUNDS && !wasFrozenWhereItMatters()); round += 1) {
    const some = slots.splice(0, HOLDS + 1);
    const forMs = round === ROUNDS - 1 ? LONGEST_FREEZE_MS : integerBetween(random, 0, 400);
    // In turn before it has written much, and amid its writes.
    const written = round % 2 === 0 ? 0 : integerBetween(random, 1, HOLDS);
    const { blackout, caught, held, confirmed, walkIn } = await freezeAmid(some, written, forMs);
    counts.caught += caught;

    const rows = await rowsOf(service, 'reservations', { slotId: { $in: some.map(ofSlot) } });
    faults.push(...unreported(rows, blackout));
    // One of the two has the slot.
    if ((confirmed.status === 201) === (walkIn.status === 201)) {
      faults.push(`confirm ${confirmed.text}, walk-in ${walkIn.text}`);
    }
    counts[confirmed.status === 201 ? 'confirmed' : 'walkIns'] += 1;
    for (const { slot, reply } of held) {
      const isHeld = rows.some((row) => row.claimed && row.slotId === ofSlot(slot));
      if ((reply.status === 201) !== isHeld) faults.push(`${reply.text}, and held: ${isHeld}`);
      counts[reply.status === 201 ? 'held' : 'refused'] += 1;
      if (reply.status !== 201) continue;
      const later = await viaFrozen.post('/api/v1/bookings/confirm', confirmBody(json(reply)['hold_id']));
      if (later.status !== 201) faults.push(`an acknowledged hold was not confirmed: ${later.text}`);
    }
  }
  faults.push(...doubleBookings(await readCommits(service), (resourceId) => [resourceId]));

  expect(faults).toEqual([]);
  expect([wasFrozenWhereItMatters(), counts]).toEqual([true, counts]);
  report({
    promise: 4,
    experiment: `SIGSTOP of an API amid ${HOLDS} holds and a confirm while an operator closes and sells, then SIGCONT, up to ${LONGEST_FREEZE_MS / 1000} s later`,
    count: `${round} times, ${counts.caught} holds written and not answered; ${counts.held} stood, ${counts.refused} were refused; ${counts.confirmed} confirmed, ${counts.walkIns} walk-ins`,
    result: '0 in a blackout that did not report them, 0 sold twice',
    seed,
    beganAt,
  });
}, 600_000);

test('control: a claim that a blackout has not reported is found', async () => {
  const [slot] = await slotsOf(partner, venue.id, dateIn(30));
  const window = { starts_at: slot?.['slot_start'], ends_at: slot?.['slot_end'], reason: 'Repairs' };
  const { hold_id } = await placeHold(partner, ofSlot(slot));
  const path = `/api/v1/operator/venues/${venue.id}/blackouts`;
  const blackout = expectStatus(await operatorOf(service).post(path, window), 201);
  const rows = await rowsOf(service, 'reservations', { _id: hold_id });

  expect(unreported(rows, blackout)).toEqual([]);
  expect(unreported(rows, { ...blackout, conflicts: [] })).toEqual([`${String(hold_id)} is ACTIVE`]);
});
