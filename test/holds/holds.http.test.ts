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
import type { SharedService } from '../support/service-host.ts';
import { sharedService } from '../support/service-host.ts';
import { verdict } from '../support/verdict.ts';

const HOLDS = '/api/v1/partner/holds';
const RACES = scaled(40, 12);

let service: SharedService;
let venue: Venue;
let partner: Partner;
let slots: string[];

beforeAll(async () => {
  service = sharedService();
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

describe('GET /api/v1/partner/holds', () => {
  const list = async (by: Partner, query = '') => expectStatus(await by.api.get(`${HOLDS}${query}`), 200);
  const idsIn = (page: Json) => (page['data'] as Json[]).map(idOf);

  test('pages with a cursor that neither repeats nor skips, ties and newcomers included', async () => {
    const seller = await anyPartner(service, [venue.id]);
    const placed: string[] = [];
    for (let count = 0; count < 5; count += 1) placed.push(idOf(await newHold(seller)));
    await service.context.db
      .collection('reservations')
      .updateMany({ partnerId: seller.id }, { $set: { placedAt: new Date(0) } });

    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const page: Json = await list(seller, `?limit=2${cursor === null ? '' : `&cursor=${cursor}`}`);
      seen.push(...idsIn(page));
      expect(page['count']).toBe(idsIn(page).length);
      cursor = page['next_cursor'] as string | null;
      if (seen.length === 2) await newHold(seller);
    } while (cursor !== null);
    expect(seen).toEqual(placed.toSorted().toReversed());
  });

  test('a page that is exactly full and the last has no next', async () => {
    const seller = await anyPartner(service, [venue.id]);
    const [first, second] = [await newHold(seller), await newHold(seller)];
    expect(await list(seller, '?limit=2')).toMatchObject({ data: [second, first], next_cursor: null });
    const page = await list(seller, '?limit=1');
    expect(page).toMatchObject({ data: [second], next_cursor: expect.any(String) });
    expect(await list(seller, `?limit=1&cursor=${String(page['next_cursor'])}`)).toMatchObject({
      data: [first],
      next_cursor: null,
    });
  });
});

describe('POST /api/v1/partner/holds/{holdId}/cancel', () => {
  const cancel = (hold: Json, body?: unknown, by = partner) =>
    by.api.post(`${HOLDS}/${idOf(hold)}/cancel`, body);

  test('needs no grant any more: what was held can be given back', async () => {
    const own = await anyVenue(service);
    const seller = await anyPartner(service, [own.id]);
    const [slotId = ''] = await freeSlotIds(seller, own.id, dateIn(2));
    const hold = await placeHold(seller, slotId);
    await service.context.db.collection('grants').deleteMany({ partnerId: seller.id });
    expect(verdict(await cancel(hold, undefined, seller))).toBe('200');
  });
});

describe('POST /api/v1/operator/holds/{holdId}/release', () => {
  const reason = 'The court is needed';
  const release = (holdId: string, body: Json = { reason }) =>
    operatorOf(service).post(`/api/v1/operator/holds/${holdId}/release`, body);

  test("releases any partner's hold at once, in the platform's name; its partner cannot sell it any more", async () => {
    const hold = await newHold();
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

  test('is audited with the hold before and after, and whose it is; the reason, which may tell of a customer, stays with the hold', async () => {
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

  test('needs a reason, and a hold that there is', async () => {
    const hold = await newHold();
    expect(verdict(await release(idOf(hold), {}))).toBe('400 VALIDATION_ERROR reason');
    expect(await eventsOf(hold)).toEqual(['hold_created']);
    expect(verdict(await release('none'))).toBe('404 HOLD_NOT_FOUND');
  });

  test('of a CONSUMED one names its booking, and its event is by an operator, the reason for nobody else', async () => {
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
