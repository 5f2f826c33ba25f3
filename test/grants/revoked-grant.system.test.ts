import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, describe, expect, test } from '@jest/globals';
import { confirm, end, expire, extend, hold } from '../conformance/steps.ts';
import { createClient, type Reply } from '../support/client.ts';
import { collectionCallsOf } from '../support/collection-calls.ts';
import type { Json, Partner } from '../support/factories.ts';
import {
  anyPartner,
  anyVenue,
  bookSlot,
  expectStatus,
  freeSlotIds,
  operatorOf,
  placeHold,
} from '../support/factories.ts';
import { beside, SLOW, SLOW_LEASE_MS } from '../support/leases.ts';
import { rowOf, rowsOf } from '../support/rows.ts';
import { scaled } from '../support/scale.ts';
import { startScene } from '../support/scene.ts';
import { hostedService } from '../support/service-host.ts';
import { verdict } from '../support/verdict.ts';

const RACES = scaled(100, 12);
/** By default, a partner may have at most 500 holds. */
const MANY = scaled(500, 100);

// A revoke waits 1.2 leases. MongoDB rejects a hold that arrives over a second after its process set its times.
const service = await hostedService({ overrides: { CACHE_LEASE_MS: '400' } });
const slow = await hostedService(SLOW);
const otherSlow = await beside(slow);
afterAll(async () => {
  await service.stop();
  await otherSlow.stop({ keepsDatabase: true });
  await slow.stop();
});
const calls = collectionCallsOf(service);
const { venue, rival, slot } = await startScene(service, {
  resources: [{ duration_minutes: 15, operating_hours_start: '00:00', operating_hours_end: '00:00' }],
  venue: { time_zone: 'UTC' },
  days: [3, 4, 5],
});

const seller = () => anyPartner(service, [venue.id]);
const grantPath = ({ id }: Partner, at = venue.id) => `/api/v1/operator/partners/${id}/venues/${at}`;
const revoke = (partner: Partner, at?: string) => operatorOf(service).delete(grantPath(partner, at));
const grant = (partner: Partner) => operatorOf(service).put(grantPath(partner));
const releasedBy = (reply: Reply) => expectStatus(reply, 200)['released_holds'] as Json[];
const stateOf = async (holdId: unknown) => {
  const { status, claimed, outbox } = await rowOf(service, 'reservations', { _id: holdId });
  return { status, claimed, events: outbox.map(({ type }) => type) };
};

describe('revoking a grant', () => {
  test("releases and lists exactly the partner's live holds at the venue, each with its event", async () => {
    const partner = await seller();
    const other = await anyVenue(service);
    expectStatus(await operatorOf(service).put(grantPath(partner, other.id)), 204);
    const [slotElsewhere = ''] = await freeSlotIds(partner, other.id);
    const held = [await placeHold(partner, slot()), await placeHold(partner, slot())];
    const holdElsewhere = await placeHold(partner, slotElsewhere);
    const holdOfRival = await placeHold(rival, slot());
    const booked = await bookSlot(partner, slot());
    const expired = await placeHold(partner, slot());
    expectStatus(await expire(partner, expired['hold_id']), 200);

    const released = releasedBy(await revoke(partner));
    const expected = held.map(({ hold_id, slot_id, slot_start, slot_end }) => {
      return { hold_id, partner_id: partner.id, slot_id, slot_start, slot_end };
    });
    expect(released).toEqual(expect.arrayContaining(expected));
    expect(released).toHaveLength(2);
    for (const { hold_id: holdId } of held) {
      const expectedState = { status: 'RELEASED', claimed: false, events: ['hold_created', 'hold_cancelled'] };
      expect(await stateOf(holdId)).toEqual(expectedState);
    }
    const { outbox } = await rowOf(service, 'reservations', { _id: held[0]?.['hold_id'] });
    expect(outbox[1]).toMatchObject({ actor: { kind: 'operator' } });
    const others = [holdElsewhere, holdOfRival, booked, expired].map(
      async (each) => (await stateOf(each['hold_id'])).status,
    );
    expect(await Promise.all(others)).toEqual(['ACTIVE', 'ACTIVE', 'BOOKED', 'EXPIRED']);
    expect(verdict(await hold(rival, String(held[0]?.['slot_id'])))).toBe('201');
  });

  test('leaves the partner its bookings, with reads, cancels and replays', async () => {
    const partner = await seller();
    const { hold_id: holdId } = await placeHold(partner, slot());
    const key = { idempotency_key: 'confirmed before' };
    const confirmed = await confirm(partner, holdId, key);
    const { booking_id: bookingId } = expectStatus(confirmed, 201);
    await revoke(partner);
    const again = await confirm(partner, holdId, key);
    expect([again.status, again.text]).toEqual([201, confirmed.text]);
    expect(verdict(await confirm(partner, holdId))).toBe('409 INVALID_HOLD_STATE');
    expect(verdict(await partner.api.get(`/api/v1/bookings/${String(bookingId)}`))).toBe('200');
    expect(verdict(await end(partner, 'cancel', bookingId))).toBe('200');
  });

  test('also releases the holds of a suspended partner, and none at a missing venue', async () => {
    const partner = await seller();
    expect(releasedBy(await revoke(partner, randomUUID()))).toEqual([]);
    const { hold_id: holdId, slot_id: slotId } = await placeHold(partner, slot());
    await operatorOf(service).patch(`/api/v1/operator/partners/${partner.id}`, { status: 'suspended' });
    expect(releasedBy(await revoke(partner))).toMatchObject([{ hold_id: holdId, slot_id: slotId }]);
    expect(releasedBy(await revoke(partner))).toEqual([]);
  });

  test('that fails halfway is completed by a repeated call; in between nothing is sold', async () => {
    const partner = await seller();
    const held = [await placeHold(partner, slot()), await placeHold(partner, slot())];
    await calls.lose('reservations.findOneAndUpdate', 2);
    expect(verdict(await revoke(partner))).toBe('503 SERVICE_UNAVAILABLE');
    const [remaining, ...others] = await rowsOf(service, 'reservations', {
      partnerId: partner.id,
      status: 'ACTIVE',
    });
    expect(others).toEqual([]);
    expect(verdict(await extend(partner, remaining?._id, 1800))).toBe('403 VENUE_NOT_AUTHORIZED');
    expect(verdict(await confirm(partner, remaining?._id))).toBe('403 VENUE_NOT_AUTHORIZED');

    expect(releasedBy(await revoke(partner))).toMatchObject([{ hold_id: remaining?._id, slot_id: remaining?.slotId }]);
    for (const { hold_id: holdId } of held) {
      expect((await stateOf(holdId)).events).toEqual(['hold_created', 'hold_cancelled']);
    }
  });

  test(`releases ${MANY} holds`, async () => {
    const partner = await seller();
    const { hold_id: holdId } = await placeHold(partner, slot());
    const { holdOrdinal: _one, ...row } = await rowOf(service, 'reservations', { _id: holdId });
    const copies = Array.from({ length: MANY - 1 }, (_, n) => ({
      ...row,
      _id: randomUUID(),
      // Use ordinals outside the range that the service uses.
      holdOrdinal: 1000 + n,
      cells: [`nowhere-${n}@202611210430`],
    }));
    await service.context.db.collection<{ _id: string }>('reservations').insertMany(copies);
    expect(releasedBy(await revoke(partner))).toHaveLength(MANY);
    expect(await rowsOf(service, 'reservations', { partnerId: partner.id, claimed: true })).toEqual([]);
  });
});

test('a revoke whose response is lost is effective everywhere within half a lease; a repeated call completes it', async () => {
  const { id: slowVenueId } = await anyVenue(slow);
  const partner = await anyPartner(slow, [slowVenueId]);
  const viaOtherProcess: Partner = { ...partner, api: createClient(otherSlow.url, partner.apiKey) };
  const [first = '', second = ''] = await freeSlotIds(partner, slowVenueId);
  const held = await placeHold(partner, first);
  const revokeThere = () => operatorOf(slow).delete(grantPath(partner, slowVenueId));
  // The call reads the leases first for the event. After the commit, it reads them again and waits.
  await collectionCallsOf(slow).lose('cache_leases.findOne', 2);
  expect(verdict(await revokeThere())).toBe('503 SERVICE_UNAVAILABLE');
  expect(verdict(await confirm(partner, held['hold_id']))).toBe('403 VENUE_NOT_AUTHORIZED');
  expect(verdict(await extend(viaOtherProcess, held['hold_id'], 1800))).toBe('403 VENUE_NOT_AUTHORIZED');
  await delay(SLOW_LEASE_MS / 2);
  expect(verdict(await confirm(viaOtherProcess, held['hold_id']))).toBe('403 VENUE_NOT_AUTHORIZED');
  expect(verdict(await hold(viaOtherProcess, second, { venue_id: slowVenueId }))).toBe('403 VENUE_NOT_AUTHORIZED');

  expect(releasedBy(await revokeThere())).toMatchObject([{ hold_id: held['hold_id'], slot_id: first }]);
});

describe('a confirm that meets a revoke', () => {
  test(`in ${RACES} races, either books or its hold is released, never both`, async () => {
    const partner = await seller();
    const outcomes = new Map<string, number>();
    for (let index = 0; index < RACES; index += 1) {
      await grant(partner);
      const { hold_id: holdId } = await placeHold(partner, slot());
      const after = async <T>(roundTrips: number, work: () => Promise<T>) => {
        for (let trip = 0; trip < roundTrips; trip += 1) await partner.api.get('/healthz');
        return work();
      };
      const lead = (index % 8) - 2;
      const [confirmed, revoked] = await Promise.all([
        after(Math.max(0, lead), () => confirm(partner, holdId)),
        after(Math.max(0, -lead), () => revoke(partner)),
      ]);
      const isReleased = releasedBy(revoked).some((each) => each['hold_id'] === holdId);
      const outcome = `${verdict(confirmed)}${isReleased ? ', released' : ''}`;
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    }
    process.stderr.write(`confirms: ${JSON.stringify(Object.fromEntries(outcomes))}\n`);
    const possible = ['201', '403 VENUE_NOT_AUTHORIZED, released', '409 INVALID_HOLD_STATE, released'];
    expect([...outcomes.keys()].filter((outcome) => !possible.includes(outcome))).toEqual([]);
  });

  test('that read the hold before the revoke finds it released', async () => {
    const partner = await seller();
    const { hold_id: holdId } = await placeHold(partner, slot());
    const reply = await calls.beforeNext(
      'reservations.findOneAndUpdate',
      () => revoke(partner),
      () => confirm(partner, holdId),
    );
    expect(verdict(reply)).toBe('403 VENUE_NOT_AUTHORIZED');
    expect((await stateOf(holdId)).status).toBe('RELEASED');
  });

  test('returns the booking that an equal call made before the revoke', async () => {
    const partner = await seller();
    const { hold_id: holdId } = await placeHold(partner, slot());
    const body = { idempotency_key: 'twins' };
    let first: Reply | undefined;
    const overtake = async () => {
      // A different body, because the process would deduplicate equal calls.
      first = await confirm(partner, holdId, { ...body, payment_reference: 'twin' });
      await revoke(partner);
    };
    const second = await calls.beforeNext('reservations.findOneAndUpdate', overtake, () =>
      confirm(partner, holdId, body),
    );
    expect([second.status, second.text]).toEqual([201, first?.text]);
  });
});
