import { afterAll, expect, test } from '@jest/globals';
import { createPartnerClient, type PartnerClient } from '../../packages/client/src/index.ts';
import { anyPartner, anyVenue, dateIn } from '../support/factories.ts';
import { inParallel } from '../support/in-parallel.ts';
import { mulberry32, propertySeed, type Random } from '../support/random.ts';
import { rowsOf } from '../support/rows.ts';
import { scaled } from '../support/scale.ts';
import { sharedService } from '../support/service-host.ts';
import { type Fault, startFaultyProxy } from './faulty-proxy.ts';

const BOOKINGS = scaled(1_000, 50);
const AT_A_TIME = 8;
const SEED = propertySeed();
/** More than the proxy's faults for one request, so that each call succeeds in the end. */
const TRIES = 8;
const MAX_FAULTS = TRIES - 1;

const FAULTS: [share: number, fault: Fault][] = [
  [0.06, { kind: 'answered', status: 503, headers: { 'retry-after': '0' } }],
  [0.05, { kind: 'answered', status: 429, headers: { 'retry-after': '0' } }],
  [0.01, { kind: 'answered', status: 429, headers: { 'retry-after': '1' } }],
  [0.06, { kind: 'reset' }],
  [0.05, { kind: 'late', ms: 20 }],
  [0.06, { kind: 'cut', share: 0 }],
  [0.06, { kind: 'cut', share: 0.5 }],
  [0.06, { kind: 'unknown' }],
];

const service = sharedService();
const faultStates = new Map<string, { random: Random; left: number }>();

/** Draws a fault by request id, which names the booking: faults do not depend on how concurrent calls interleave. */
function faultOf({ requestId }: { requestId: string }): Fault {
  const number = Number(/\d+$/.exec(requestId)?.[0]);
  const state = faultStates.get(requestId) ?? { random: mulberry32(SEED + number), left: MAX_FAULTS };
  faultStates.set(requestId, state);
  let draw = state.random();
  for (const [share, fault] of requestId === '' || state.left === 0 ? [] : FAULTS) {
    draw -= share;
    if (draw >= 0) continue;
    state.left -= 1;
    return fault;
  }
  return { kind: 'none' };
}

const turfs = Math.ceil(BOOKINGS / 500);
const venue = await anyVenue(
  service,
  Array.from({ length: turfs }, () => ({})),
);
const partner = await anyPartner(service, [venue.id]);
const proxy = await startFaultyProxy(service.url, faultOf);
afterAll(async () => {
  await proxy.close();
  await service.stop();
});

const anyClient = (): PartnerClient =>
  createPartnerClient({
    baseUrl: proxy.url,
    apiKey: partner.apiKey,
    retries: { tries: TRIES, baseDelayMs: 5, maxDelayMs: 50 },
  });

async function freeSlots(): Promise<string[]> {
  const query = { venue_id: venue.id, from: dateIn(2), to: dateIn(32) };
  const { days } = await anyClient().getAvailabilityRange({ query });
  const free = days.flatMap(({ slots }) => slots).filter(({ is_available }) => is_available);
  expect(free.length).toBeGreaterThanOrEqual(BOOKINGS);
  return free.slice(0, BOOKINGS).map(({ slot_id }) => slot_id);
}

/** Places and confirms a hold on a slot; returns the booking's id. */
async function book(client: PartnerClient, slotId: string, number: number): Promise<string> {
  const customer = { customer_name: `Guest ${number}`, customer_phone: '+919876543210' };
  const placing = { requestId: `hold-${2 * number}` };
  const { hold_id } = await client.placeHold({ body: { slot_id: slotId } }, placing);
  const body = { hold_id, payment_reference: `pay_${number}`, ...customer };
  const confirming = { requestId: `confirm-${2 * number + 1}` };
  return (await client.confirmBooking({ body }, confirming)).booking_id;
}

const countFaults = (kind: Fault['kind']) => proxy.seen.filter(({ fault }) => fault.kind === kind).length;

test(`with faults in two of five calls (seed ${SEED}), ${BOOKINGS} bookings are made: none twice, none lost`, async () => {
  const slots = await freeSlots();
  const booked = new Map<string, string>();
  await inParallel(slots.entries(), AT_A_TIME, async ([number, slotId]) => {
    booked.set(slotId, await book(anyClient(), slotId, number));
  });

  const stored = await rowsOf(service, 'reservations', { venueId: venue.id });
  expect(stored).toHaveLength(BOOKINGS);
  expect(new Set(booked.values()).size).toBe(BOOKINGS);
  expect(new Map(stored.map(({ slotId, bookingId }) => [slotId, bookingId]))).toEqual(booked);
  for (const [, { kind }] of FAULTS) expect([kind, countFaults(kind) > 0]).toEqual([kind, true]);
  expect(proxy.seen.length).toBeGreaterThan(2.5 * BOOKINGS);
}, 300_000);
