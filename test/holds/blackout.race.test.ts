import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Reply } from '../support/client.ts';
import type { Json, Partner } from '../support/factories.ts';
import { anyPartner, anyVenue, dateIn, expectStatus, freeSlotIds, operatorOf } from '../support/factories.ts';
import { rowsOf } from '../support/rows.ts';
import type { Service } from '../support/service.ts';
import { startService } from '../support/service.ts';
import { errorOf, verdict } from '../support/verdict.ts';

const RACES = 200;
const MINUTE_MS = 60_000;

let service: Service;
let venueId: string;
let partner: Partner;
let slotIds: string[];
beforeAll(async () => {
  service = await startService();
  const quarters = { duration_minutes: 15, operating_hours_start: '00:00', operating_hours_end: '00:00' };
  const venue = await anyVenue(service, [quarters], { time_zone: 'UTC' });
  venueId = venue.id;
  partner = await anyPartner(service, [venueId]);
  slotIds = (
    await Promise.all([3, 4, 5, 6].map((days) => freeSlotIds(partner, venueId, dateIn(days))))
  ).flat();
});
afterAll(() => service.stop());

const nextSlot = () => slotIds.pop() ?? '';

/** A blackout of the very window of the slot. */
async function blackOut(slotId: string): Promise<Json> {
  const [, year, month, day, hour, minute] = /_(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)Z$/.exec(slotId) ?? [];
  const start = new Date(`${year}-${month}-${day}T${hour}:${minute}Z`);
  const body = {
    starts_at: start.toISOString(),
    ends_at: new Date(start.getTime() + 15 * MINUTE_MS).toISOString(),
    reason: 'Repairs',
  };
  return expectStatus(
    await operatorOf(service).post(`/api/v1/operator/venues/${venueId}/blackouts`, body),
    201,
  );
}

const hold = (slotId: string, fields: Json = {}) =>
  partner.api.post('/api/v1/partner/holds', { slot_id: slotId, ...fields });
const walkIn = (slotId: string) => operatorOf(service).post('/api/v1/operator/walk-ins', { slot_id: slotId });

/** What became of a claim that met a blackout: `refused`, `listed`, or the fault. */
function outcomeOf(claim: Reply, blackout: Json): string {
  const conflicts = blackout['conflicts'] as Json[];
  if (claim.status === 409 && errorOf(claim).conflict?.['reason'] === 'blackout') return 'refused';
  if (claim.status !== 201) return claim.text;
  const { hold_id: holdId, booking_id: bookingId } = claim.body as Json;
  const isListed = conflicts.some(
    (each) => each['hold_id'] === holdId || (bookingId !== undefined && each['booking_id'] === bookingId),
  );
  return isListed ? 'listed' : 'stands unlisted';
}

/** Lets the two begin apart by some round trips: a hold takes more of them than a blackout. */
async function race(index: number, claim: (slotId: string) => Promise<Reply>): Promise<string> {
  const slotId = nextSlot();
  const after = async <T>(roundTrips: number, work: () => Promise<T>) => {
    for (let trip = 0; trip < roundTrips; trip += 1) await partner.api.get('/healthz');
    return work();
  };
  const lead = (index % 9) - 7;
  const [claimed, blackout] = await Promise.all([
    after(Math.max(0, lead), () => claim(slotId)),
    after(Math.max(0, -lead), () => blackOut(slotId)),
  ]);
  return outcomeOf(claimed, blackout);
}

async function outcomesOf(count: number, claim: (slotId: string) => Promise<Reply>) {
  const outcomes = new Map<string, number>();
  for (let index = 0; index < count; index += 1) {
    const outcome = await race(index, claim);
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
  }
  return outcomes;
}

test(`of ${RACES} holds that race a blackout, each is refused or listed among its conflicts`, async () => {
  const outcomes = await outcomesOf(RACES, hold);
  process.stderr.write(`holds: ${JSON.stringify(Object.fromEntries(outcomes))}\n`);
  expect([...outcomes.keys()].toSorted()).toEqual(['listed', 'refused']);
}, 120_000);

test('so is each of 50 walk-ins', async () => {
  const outcomes = await outcomesOf(50, walkIn);
  process.stderr.write(`walk-ins: ${JSON.stringify(Object.fromEntries(outcomes))}\n`);
  expect([...outcomes.keys()].toSorted()).toEqual(['listed', 'refused']);
}, 120_000);

type Methods = Record<string, (...given: unknown[]) => unknown>;

/** The very collection with which the service's store works. */
function collectionOf(model: string): Methods {
  return service.context.db.models[model]?.collection as unknown as Methods;
}

/** Puts `meanwhile` between the next claim's first look at the blackouts and its write. */
function beforeNextClaim(meanwhile: () => Promise<unknown>): void {
  const reservations = collectionOf('Reservation');
  const original = reservations['findOneAndUpdate']?.bind(reservations);
  if (original === undefined) throw new Error('Reservations cannot be written');
  reservations['findOneAndUpdate'] = async (...given) => {
    reservations['findOneAndUpdate'] = original;
    await meanwhile();
    return original(...given);
  };
}

describe('a blackout that is complete before the claim is written, after the claim has looked for it,', () => {
  test('refuses the hold all the same, frees the slot and leaves the key for another try', async () => {
    const slotId = nextSlot();
    let blackout: Json = {};
    beforeNextClaim(async () => {
      blackout = await blackOut(slotId);
    });
    const reply = await hold(slotId, { idempotency_key: slotId });
    expect([verdict(reply), blackout['conflicts']]).toEqual(['409 SLOT_NOT_AVAILABLE', []]);
    expect(errorOf(reply).conflict).toMatchObject({ reason: 'blackout' });
    // It had been written, so it was the second look that found the blackout.
    const [written, ...others] = await rowsOf(service, 'reservations', { slotId });
    expect(others).toEqual([]);
    expect(written).toMatchObject({ status: 'RELEASED', claimed: false });

    await operatorOf(service).delete(`/api/v1/operator/blackouts/${String(blackout['blackout_id'])}`);
    const again = await hold(slotId, { idempotency_key: slotId });
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([201, null]);
  });

  test('refuses the walk-in all the same', async () => {
    const slotId = nextSlot();
    let blackout: Json = {};
    beforeNextClaim(async () => {
      blackout = await blackOut(slotId);
    });
    const reply = await walkIn(slotId);
    expect(outcomeOf(reply, blackout)).toBe('refused');
    expect(await rowsOf(service, 'reservations', { slotId, claimed: true })).toEqual([]);
  });

  test('would be missed by a claim that does not look again', async () => {
    const slotId = nextSlot();
    const blackouts = collectionOf('Blackout');
    const find = blackouts['find']?.bind(blackouts);
    if (find === undefined) throw new Error('Blackouts cannot be found');
    let blackout: Json = {};
    beforeNextClaim(async () => {
      blackout = await blackOut(slotId);
      blackouts['find'] = () => find({ _id: 'none' });
    });
    try {
      expect(outcomeOf(await hold(slotId), blackout)).toBe('stands unlisted');
    } finally {
      blackouts['find'] = find;
    }
  });
});
