import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Reply } from '../support/client.ts';
import { collectionCallsOf } from '../support/collection-calls.ts';
import type { Json, Partner } from '../support/factories.ts';
import {
  anyPartner,
  anyVenue,
  confirmBody,
  dateIn,
  expectStatus,
  freeSlotIds,
  operatorOf,
} from '../support/factories.ts';
import { rowsOf } from '../support/rows.ts';
import { scaled } from '../support/scale.ts';
import { hostedService } from '../support/service-host.ts';
import { errorOf, verdict } from '../support/verdict.ts';
import type * as Blindness from './blackout.in-host.ts';

const RACES = scaled(200, 60);
const WALK_INS = 50;
const MINUTE_MS = 60_000;

const service = await hostedService();
const calls = collectionCallsOf(service);
const blindness = service.inHost<typeof Blindness>('test/holds/blackout.in-host.ts');
let venueId: string;
let partner: Partner;
let slotIds: string[];
beforeAll(async () => {
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

test(`so is each of ${WALK_INS} walk-ins`, async () => {
  const outcomes = await outcomesOf(WALK_INS, walkIn);
  process.stderr.write(`walk-ins: ${JSON.stringify(Object.fromEntries(outcomes))}\n`);
  expect([...outcomes.keys()].toSorted()).toEqual(['listed', 'refused']);
}, 120_000);

/** Makes the claim with `meanwhile` between its first look at the blackouts and its write. */
const holdAfter = (meanwhile: () => Promise<unknown>, claim: () => Promise<Reply>) =>
  calls.beforeNext('reservations.bulkWrite', meanwhile, claim);
const walkInAfter = (meanwhile: () => Promise<unknown>, claim: () => Promise<Reply>) =>
  calls.beforeNext('reservations.findOneAndUpdate', meanwhile, claim);

describe('a blackout that is complete before the hold is written, after the hold has looked for it,', () => {
  test('refuses it all the same, frees the slot and leaves the key for another try', async () => {
    const slotId = nextSlot();
    let blackout: Json = {};
    const closing = async () => {
      blackout = await blackOut(slotId);
    };
    const reply = await holdAfter(closing, () => hold(slotId, { idempotency_key: slotId }));
    expect([verdict(reply), blackout['conflicts']]).toEqual(['409 SLOT_NOT_AVAILABLE', []]);
    expect(errorOf(reply).conflict).toMatchObject({ reason: 'blackout' });
    // It had been written, so it was the revalidation that found the blackout.
    const [written, ...others] = await rowsOf(service, 'reservations', { slotId });
    expect(others).toEqual([]);
    expect(written).toMatchObject({ status: 'RELEASED', claimed: false });

    await operatorOf(service).delete(`/api/v1/operator/blackouts/${String(blackout['blackout_id'])}`);
    const again = await hold(slotId, { idempotency_key: slotId });
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([201, null]);
  });

  test('would be missed by one that does not look again', async () => {
    const slotId = nextSlot();
    let blackout: Json = {};
    const closing = async () => {
      blackout = await blackOut(slotId);
      await blindness.findNoBlackouts();
    };
    try {
      expect(outcomeOf(await holdAfter(closing, () => hold(slotId)), blackout)).toBe('stands unlisted');
    } finally {
      await calls.restore('blackouts.find');
    }
  });
});

test('a blackout whose process dies before its report leaves a hold alone that stood', async () => {
  const slotId = nextSlot();
  const held = await hold(slotId, { idempotency_key: slotId });
  await calls.lose('blackouts.updateOne');
  await expect(blackOut(slotId)).rejects.toThrow('503');

  const replayed = await hold(slotId, { idempotency_key: slotId });
  expect([replayed.status, replayed.body]).toEqual([201, held.body]);
  const { hold_id: holdId } = held.body as Json;
  const confirm = confirmBody(holdId);
  expect(verdict(await partner.api.post('/api/v1/bookings/confirm', confirm))).toBe('201');
});

describe('a hold that could not look again, because the database was lost', () => {
  /** Returns the hold's id and the blackout that was complete before it was written. */
  async function unlooked(slotId: string): Promise<{ holdId: string; blackout: Json }> {
    let blackout: Json = {};
    const closing = async () => {
      blackout = await blackOut(slotId);
      await calls.lose('blackouts.find');
    };
    const reply = await holdAfter(closing, () => hold(slotId, { idempotency_key: slotId }));
    expect(verdict(reply)).toBe('503 SERVICE_UNAVAILABLE');
    expect(blackout['conflicts']).toEqual([]);
    const [row] = await rowsOf(service, 'reservations', { slotId });
    expect(row?.status).toBe('ACTIVE');
    return { holdId: String(row?._id), blackout };
  }

  test('is refused when its call is repeated', async () => {
    const slotId = nextSlot();
    const { holdId } = await unlooked(slotId);
    const again = await hold(slotId, { idempotency_key: slotId });
    expect(outcomeOf(again, {})).toBe('refused');
    expect((await rowsOf(service, 'reservations', { slotId })).map((row) => [row._id, row.status])).toEqual([
      [holdId, 'RELEASED'],
    ]);
  });

  test('cannot be confirmed by who finds it in a listing or an event', async () => {
    const slotId = nextSlot();
    const { holdId } = await unlooked(slotId);
    const confirm = () => partner.api.post('/api/v1/bookings/confirm', confirmBody(holdId));
    expect(verdict(await confirm())).toBe('409 DOUBLE_BOOKING_ATTEMPT');
    expect(verdict(await confirm())).toBe('409 DOUBLE_BOOKING_ATTEMPT');
    expect(await rowsOf(service, 'reservations', { slotId, claimed: true })).toEqual([]);
  });

  test('stands where nothing came over it: its call is answered, and it is confirmed', async () => {
    const slotId = nextSlot();
    const { holdId, blackout } = await unlooked(slotId);
    await operatorOf(service).delete(`/api/v1/operator/blackouts/${String(blackout['blackout_id'])}`);
    const again = await hold(slotId, { idempotency_key: slotId });
    expect([again.status, (again.body as Json)['hold_id']]).toEqual([201, holdId]);
    expect((await partner.api.post('/api/v1/bookings/confirm', confirmBody(holdId))).status).toBe(201);
  });
});

test('a hold that the report named is answered again and confirmed, however young it was', async () => {
  const slotId = nextSlot();
  const held = expectStatus(await hold(slotId, { idempotency_key: slotId }), 201);
  const blackout = await blackOut(slotId);
  expect((blackout['conflicts'] as Json[]).map((each) => each['hold_id'])).toEqual([held['hold_id']]);
  expect((await hold(slotId, { idempotency_key: slotId })).status).toBe(201);
  const confirmed = await partner.api.post('/api/v1/bookings/confirm', confirmBody(held['hold_id']));
  expect(confirmed.status).toBe(201);
});

describe('a walk-in and a blackout that are written at the same time', () => {
  const override = (slotId: string) =>
    operatorOf(service).post('/api/v1/operator/walk-ins', { slot_id: slotId, override_holds: true });

  test('exclude each other: a blackout that began during the walk-in reports it', async () => {
    const slotId = nextSlot();
    let blackout = Promise.resolve<Json>({});
    const beginning = () => {
      blackout = blackOut(slotId);
      return Promise.resolve();
    };
    const reply = await walkInAfter(beginning, () => walkIn(slotId));
    expect(outcomeOf(reply, await blackout)).toBe('listed');
  });

  test('a walk-in that meets one is refused, and takes nothing from the hold in its way', async () => {
    const slotId = nextSlot();
    const held = expectStatus(await hold(slotId), 201);
    const blackout = await blackOut(slotId);
    const before = await rowsOf(service, 'reservations', { slotId });
    expect(outcomeOf(await override(slotId), blackout)).toBe('refused');
    expect(await rowsOf(service, 'reservations', { slotId })).toEqual(before);
    const confirmed = await partner.api.post('/api/v1/bookings/confirm', confirmBody(held['hold_id']));
    expect(confirmed.status).toBe(201);
  });

  test('would miss each other if they wrote nothing in common', async () => {
    const slotId = nextSlot();
    await blindness.writeNoFence();
    let blackout: Json = {};
    const closing = async () => {
      blackout = await blackOut(slotId);
    };
    try {
      expect(outcomeOf(await walkInAfter(closing, () => walkIn(slotId)), blackout)).toBe('stands unlisted');
    } finally {
      await calls.restore('venues.findOneAndUpdate');
    }
  });
});

describe('halves that come to share their ground', () => {
  const OPEN_ALL_DAY = { operating_hours_start: '00:00', operating_hours_end: '00:00' };
  const operator = () => operatorOf(service);
  let halves: { north: string; south: string };

  /** Two halves of a venue of their own, and a slot of each at the same time. */
  beforeEach(async () => {
    const resources = ['North', 'South'].map((name) => ({ ...OPEN_ALL_DAY, name }));
    const venue = await anyVenue(service, resources, { time_zone: 'UTC' });
    expectStatus(await operator().put(`/api/v1/operator/partners/${partner.id}/venues/${venue.id}`), 204);
    const [north = '', south = ''] = venue.resourceIds;
    halves = { north, south };
    venueOfHalves = venue.id;
  });
  let venueOfHalves: string;
  const slotOf = (resourceId: string) => `${resourceId}_${dateIn(3).replaceAll('-', '')}T0700Z`;
  const holdNorth = () => hold(slotOf(halves.north), { idempotency_key: halves.north });
  const share = async (others: string[] = [halves.south]) =>
    expectStatus(
      await operator().patch(`/api/v1/operator/resources/${halves.north}`, { shares_space_with: others }),
      200,
    );
  const blackOutSouth = async () => {
    const times = { starts_at: `${dateIn(3)}T00:00:00.000Z`, ends_at: `${dateIn(4)}T00:00:00.000Z` };
    const body = { ...times, resource_ids: [halves.south], reason: 'Repairs' };
    const path = `/api/v1/operator/venues/${venueOfHalves}/blackouts`;
    return expectStatus(await operator().post(path, body), 201);
  };
  const confirm = async (reply: Reply) => {
    const { hold_id: holdId } = expectStatus(reply, 201);
    return verdict(await partner.api.post('/api/v1/bookings/confirm', confirmBody(holdId)));
  };

  test.each<[string, () => Promise<Reply>]>([
    [
      'one was closed, then the other held',
      async () => {
        await blackOutSouth();
        const held = await holdNorth();
        await share();
        return held;
      },
    ],
    [
      'one was held, then the other closed',
      async () => {
        const held = await holdNorth();
        await blackOutSouth();
        await share();
        return held;
      },
    ],
    [
      'they had shared it before, and did not when one was closed and the other held',
      async () => {
        await share();
        await share([]);
        await blackOutSouth();
        const held = await holdNorth();
        await share();
        return held;
      },
    ],
    [
      'one was held under an earlier relation, and the other closed after that had ended',
      async () => {
        await share();
        const held = await holdNorth();
        await share([]);
        await blackOutSouth();
        await share();
        return held;
      },
    ],
    [
      'one was held, and the other closed once they shared it',
      async () => {
        const held = await holdNorth();
        await share();
        expect((await blackOutSouth())['conflicts']).toHaveLength(1);
        return held;
      },
    ],
    [
      'one was closed, and they came to share it while the other was being held',
      async () => {
        await blackOutSouth();
        return holdAfter(share, holdNorth);
      },
    ],
  ])('leave what stood: %s', async (_what, steps) => {
    const held = await steps();
    const again = await holdNorth();
    expect([again.status, again.text]).toEqual([201, held.text]);
    expect(await confirm(held)).toBe('201');
  });

  test('and of which one is closed then: a hold of the other that was being written is refused', async () => {
    const closing = async () => {
      await share();
      expect((await blackOutSouth())['conflicts']).toEqual([]);
    };
    expect(outcomeOf(await holdAfter(closing, holdNorth), {})).toBe('refused');
  });

  test('close each other from then on, to holds and to walk-ins', async () => {
    await blackOutSouth();
    await share();
    expect(outcomeOf(await holdNorth(), {})).toBe('refused');
    expect(outcomeOf(await walkIn(slotOf(halves.north)), {})).toBe('refused');
  });
});
