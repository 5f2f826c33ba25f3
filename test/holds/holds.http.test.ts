import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { PLATFORM_PARTNER_ID } from '../../src/domain/platform-partner.ts';
import type { Reply } from '../support/client.ts';
import type { Json, Partner, Venue } from '../support/factories.ts';
import {
  anyPartner,
  anyVenue,
  confirmBody,
  dateIn,
  expectStatus,
  freeSlotIds,
  operatorOf,
  placeHold,
} from '../support/factories.ts';
import { rowOf } from '../support/rows.ts';
import { scaled } from '../support/scale.ts';
import { sharedService } from '../support/service-host.ts';
import { verdict } from '../support/verdict.ts';

const HOLDS = '/api/v1/partner/holds';
const RACES = scaled(40, 12);

const service = sharedService();
let venue: Venue;
let partner: Partner;
let slots: string[];

beforeAll(async () => {
  venue = await anyVenue(service, [{}, {}, {}]);
  partner = await anyPartner(service, [venue.id]);
  slots = await freeSlotIds(partner, venue.id);
});
afterAll(() => service.stop());

const newHold = (by = partner) => placeHold(by, slots.shift() ?? '');
const idOf = (hold: Json) => String(hold['hold_id']);

/** How a hold comes into each of its states. */
const reach: Record<string, (by: Partner, holdId: string) => Promise<unknown>> = {
  CONSUMED: (by, holdId) => by.api.post('/api/v1/bookings/confirm', confirmBody(holdId)),
  RELEASED: (by, holdId) => by.api.post(`${HOLDS}/${holdId}/cancel`),
  EXPIRED: (by, holdId) => by.api.post(`/api/v1/sandbox/holds/${holdId}/expire`),
};

async function holdIn(state: string): Promise<Json> {
  const hold = await newHold();
  await reach[state]?.(partner, idOf(hold));
  return hold;
}

const eventsOf = async (hold: Json) => {
  const { outbox } = await rowOf(service, 'reservations', { _id: idOf(hold) });
  return outbox.map((event) => event.type);
};

describe('POST /api/v1/operator/holds/{holdId}/release', () => {
  const reason = 'The court is needed';
  const release = (holdId: string, body: Json = { reason }) =>
    operatorOf(service).post(`/api/v1/operator/holds/${holdId}/release`, body);

  test("releases any partner's hold at once, as the platform; its partner can no longer confirm it", async () => {
    const hold = await newHold();
    expect(verdict(await release(idOf(hold), {}))).toBe('400 VALIDATION_ERROR reason');
    expect(verdict(await release('none'))).toBe('404 HOLD_NOT_FOUND');
    const released = { ...hold, status: 'RELEASED', partner_id: partner.id, release_reason: reason };
    expect(expectStatus(await release(idOf(hold)), 200)).toEqual(released);
    const { outbox, releaseReason } = await rowOf(service, 'reservations', { _id: idOf(hold) });
    expect(outbox.at(-1)).toMatchObject({ type: 'hold_cancelled', originatorId: PLATFORM_PARTNER_ID });
    expect(releaseReason).toBe(reason);
    const read = await partner.api.get(`${HOLDS}/${idOf(hold)}`);
    expect(expectStatus(read, 200)).toMatchObject({ status: 'RELEASED' });
    expect(read.text).not.toContain(reason);
    expect(verdict(await partner.api.post('/api/v1/bookings/confirm', confirmBody(idOf(hold))))).toBe(
      '409 INVALID_HOLD_STATE',
    );
    await placeHold(await anyPartner(service, [venue.id]), String(hold['slot_id']));
    expect(expectStatus(await release(idOf(hold)), 200)).toEqual(released);
    expect(await eventsOf(hold)).toEqual(['hold_created', 'hold_cancelled']);
  });

  test('is audited with the hold before and after, but not with the reason, which may name a customer', async () => {
    const hold = await newHold();
    expectStatus(await release(idOf(hold)), 200);
    const query = `action=releaseHold&subject=${idOf(hold)}`;
    const { data } = expectStatus(await operatorOf(service).get(`/api/v1/operator/audit?${query}`), 200);
    const before = { ...hold, status: 'ACTIVE', partner_id: partner.id, release_reason: null };
    expect(data).toMatchObject([{ before, after: { status: 'RELEASED', release_reason: '[redacted]' } }]);
  });

  test.each([
    ['CONSUMED', '409 INVALID_HOLD_STATE'],
    ['EXPIRED', '409 HOLD_EXPIRED'],
  ])('of a hold that is %s is %s and changes nothing', async (state, answer) => {
    const hold = await holdIn(state);
    const events = await eventsOf(hold);
    expect(verdict(await release(idOf(hold)))).toBe(answer);
    expect(await eventsOf(hold)).toEqual(events);
  });

  test('of a CONSUMED hold names its booking; the event names the operator as actor', async () => {
    const [consumed, hold] = [await newHold(), await newHold()];
    const confirmed = await partner.api.post('/api/v1/bookings/confirm', confirmBody(idOf(consumed)));
    const { booking_id: bookingId } = expectStatus(confirmed, 201);
    expect((await release(idOf(consumed))).body).toMatchObject({ error: { booking_id: bookingId } });
    expectStatus(await release(idOf(hold)), 200);
    const { outbox } = await rowOf(service, 'reservations', { _id: idOf(hold) });
    expect(outbox.at(-1)).toMatchObject({ actor: { kind: 'operator' }, reason });
  });

  type Call = () => Promise<Reply>;
  /** The one after the other, either way, and both at once: a confirm is done sooner. */
  const orders: ((confirm: Call, end: Call) => Promise<[Reply, Reply]>)[] = [
    async (confirm, end) => [await confirm(), await end()],
    async (confirm, end) => {
      const ended = await end();
      return [await confirm(), ended];
    },
    async (confirm, end) => Promise.all([confirm(), end()]),
    async (confirm, end) => {
      const ending = end();
      await partner.api.get('/healthz');
      return Promise.all([confirm(), ending]);
    },
  ];

  test(`of ${RACES} that race with a confirm, exactly one of the two wins each time`, async () => {
    const outcomes = new Map<string, number>();
    const raced = (await freeSlotIds(partner, venue.id, dateIn(6))).slice(0, RACES);
    for (const [index, slotId] of raced.entries()) {
      const hold = await placeHold(partner, slotId);
      const confirm = () => partner.api.post('/api/v1/bookings/confirm', confirmBody(idOf(hold)));
      const end = () => release(idOf(hold));
      const inOrder = orders[index % orders.length];
      if (inOrder === undefined) throw new Error('There are no orders');
      const [confirmed, released] = await inOrder(confirm, end);
      const outcome = `${verdict(confirmed)}, ${verdict(released)}`;
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
      const last = released.status === 200 ? 'hold_cancelled' : 'booking_created';
      expect(await eventsOf(hold)).toEqual(['hold_created', last]);
    }
    process.stderr.write(`confirm, release: ${JSON.stringify(Object.fromEntries(outcomes))}\n`);
    const possible = ['201, 409 INVALID_HOLD_STATE', '409 INVALID_HOLD_STATE, 200'];
    expect([...outcomes.keys()].sort()).toEqual(possible);
  });
});

test('a hold ends with its slot at the latest, when placed, extended and replayed', async () => {
  const short = await anyVenue(
    service,
    [{ duration_minutes: 5, operating_hours_start: '00:00', operating_hours_end: '00:00' }],
    { time_zone: 'UTC' },
  );
  const seller = await anyPartner(service, [short.id]);
  const slotIds = [...(await freeSlotIds(seller, short.id, dateIn(0)))];
  slotIds.push(...(await freeSlotIds(seller, short.id, dateIn(1))));
  // The next slot may begin before the call.
  const placing = { slot_id: slotIds[1] ?? '', idempotency_key: 'to-its-end', ttl_seconds: 1800 };
  const placed = await seller.api.post(HOLDS, placing);
  const hold = expectStatus(placed, 201);
  expect(hold['hold_expiry_at']).toBe(hold['slot_end']);
  const { outbox } = await rowOf(service, 'reservations', { _id: idOf(hold) });
  expect(outbox[0]?.holdExpiresAt?.toISOString()).toBe(hold['slot_end']);
  const extend = (of: Json) => seller.api.post(`${HOLDS}/${idOf(of)}/extend`, { ttl_seconds: 1800 });
  expect(expectStatus(await extend(hold), 200)).toEqual(hold);
  const brief = await placeHold(seller, slotIds[2] ?? '', { ttl_seconds: 60 });
  expect(expectStatus(await extend(brief), 200)['hold_expiry_at']).toBe(brief['slot_end']);
  expect((await seller.api.post(HOLDS, placing)).text).toBe(placed.text);
});
