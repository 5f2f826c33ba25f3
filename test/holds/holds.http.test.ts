import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { PLATFORM_PARTNER_ID } from '../../src/domain/platform-partner.ts';
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
import type { SharedService } from '../support/shared-service.ts';
import { sharedService } from '../support/shared-service.ts';
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
  ACTIVE: () => Promise.resolve(),
  CONSUMED: (by, holdId) => by.api.post('/api/v1/bookings/confirm', confirmBody(holdId)),
  RELEASED: (by, holdId) => by.api.post(`${HOLDS}/${holdId}/cancel`),
  EXPIRED: (by, holdId) => by.api.post(`/api/v1/sandbox/holds/${holdId}/expire`),
};
const STATES = Object.keys(reach);

async function holdIn(state: string, by = partner): Promise<Json> {
  const hold = await newHold(by);
  await reach[state]?.(by, idOf(hold));
  return hold;
}

const eventsOf = async (hold: Json) => {
  const { outbox } = await rowOf(service, 'reservations', { _id: idOf(hold) });
  return outbox.map((event) => event.type);
};

describe('GET /api/v1/partner/holds/{holdId}', () => {
  test('reads the hold as it was placed, while it is ACTIVE', async () => {
    const hold = await newHold();
    expect(expectStatus(await partner.api.get(`${HOLDS}/${idOf(hold)}`), 200)).toEqual(hold);
  });

  test.each(STATES)('reads a hold that is %s', async (status) => {
    const hold = await holdIn(status);
    const read = expectStatus(await partner.api.get(`${HOLDS}/${idOf(hold)}`), 200);
    const expiresAt = status === 'EXPIRED' ? expect.any(String) : hold['hold_expiry_at'];
    const became = status === 'CONSUMED' ? { booking_id: expect.any(String) } : {};
    expect(read).toEqual({ ...hold, status, hold_expiry_at: expiresAt, ...became });
  });

  test("another partner's hold is 404 HOLD_NOT_FOUND like one that does not exist", async () => {
    const hold = await newHold();
    const rival = await anyPartner(service, [venue.id]);
    expect(verdict(await rival.api.get(`${HOLDS}/${idOf(hold)}`))).toBe('404 HOLD_NOT_FOUND');
    expect(verdict(await rival.api.get(`${HOLDS}/none`))).toBe('404 HOLD_NOT_FOUND');
  });
});

describe('GET /api/v1/partner/holds', () => {
  const list = async (by: Partner, query = '') => expectStatus(await by.api.get(`${HOLDS}${query}`), 200);
  const idsIn = (page: Json) => (page['data'] as Json[]).map(idOf);

  test("lists the partner's own holds, newest first, in the form in which they are read", async () => {
    const seller = await anyPartner(service, [venue.id]);
    const [first, second] = [await newHold(seller), await newHold(seller)];
    await newHold();
    expect(await list(seller)).toEqual({ success: true, count: 2, data: [second, first], next_cursor: null });
  });

  test('is empty for a partner that has none', async () => {
    const newcomer = await anyPartner(service);
    expect(await list(newcomer)).toEqual({ success: true, count: 0, data: [], next_cursor: null });
  });

  test('with a status, lists those that are in it now and no others', async () => {
    const seller = await anyPartner(service, [venue.id]);
    const byState = new Map<string, string>();
    for (const state of STATES) byState.set(state, idOf(await holdIn(state, seller)));
    for (const state of STATES) {
      const page = await list(seller, `?status=${state}`);
      expect(idsIn(page)).toEqual([byState.get(state)]);
      expect(page['data']).toMatchObject([{ status: state }]);
    }
    expect(await list(seller)).toMatchObject({ count: 4 });
  });

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

  test('releases an ACTIVE hold and frees its slot at once', async () => {
    const hold = await newHold();
    const reply = await cancel(hold, { reason: 'changed mind' });
    expect(expectStatus(reply, 200)).toEqual({
      message: expect.stringMatching(/./),
      hold_id: idOf(hold),
      status: 'RELEASED',
    });
    expect(await eventsOf(hold)).toEqual(['hold_created', 'hold_cancelled']);
    const rival = await anyPartner(service, [venue.id]);
    expect(await freeSlotIds(rival, venue.id)).toContain(hold['slot_id']);
    await placeHold(rival, String(hold['slot_id']));
  });

  test('releasing a RELEASED hold again is 200 without a second event, and takes nothing from who has the slot now', async () => {
    const hold = await holdIn('RELEASED');
    const rival = await anyPartner(service, [venue.id]);
    const theirs = await placeHold(rival, String(hold['slot_id']));
    expect(expectStatus(await cancel(hold, { reason: 'again' }), 200)).toMatchObject({ status: 'RELEASED' });
    expect(await eventsOf(hold)).toEqual(['hold_created', 'hold_cancelled']);
    expect(verdict(await rival.api.post('/api/v1/bookings/confirm', confirmBody(idOf(theirs))))).toBe('201');
  });

  test.each([
    ['CONSUMED', '409 INVALID_HOLD_STATE', ['hold_created', 'booking_created']],
    ['EXPIRED', '409 HOLD_EXPIRED', ['hold_created', 'hold_expired']],
  ])('of a hold that is %s is %s and changes nothing', async (state, answer, events) => {
    const hold = await holdIn(state);
    expect(verdict(await cancel(hold))).toBe(answer);
    expect(await eventsOf(hold)).toEqual(events);
    expect(expectStatus(await partner.api.get(`${HOLDS}/${idOf(hold)}`), 200)).toMatchObject({
      status: state,
    });
  });

  test("of another partner's hold is 404 HOLD_NOT_FOUND and leaves it ACTIVE", async () => {
    const hold = await newHold();
    const rival = await anyPartner(service, [venue.id]);
    expect(verdict(await cancel(hold, undefined, rival))).toBe('404 HOLD_NOT_FOUND');
    expect(verdict(await cancel(hold, { partner_id: partner.id }, rival))).toBe('404 HOLD_NOT_FOUND');
    expect(expectStatus(await partner.api.get(`${HOLDS}/${idOf(hold)}`), 200)).toMatchObject({
      status: 'ACTIVE',
    });
  });

  test('needs no grant any more: what was held can be given back', async () => {
    const own = await anyVenue(service);
    const seller = await anyPartner(service, [own.id]);
    const [slotId = ''] = await freeSlotIds(seller, own.id, dateIn(2));
    const hold = await placeHold(seller, slotId);
    await service.context.db.collection('grants').deleteMany({ partnerId: seller.id });
    expect(verdict(await cancel(hold, undefined, seller))).toBe('200');
  });

  test.each(['$status', '$$ROOT', '{"$literal":1}', 'line\nline'])(
    'keeps the reason %j as it was given',
    async (reason) => {
      const hold = await newHold();
      await cancel(hold, { reason });
      const { outbox, releaseReason } = await rowOf(service, 'reservations', { _id: idOf(hold) });
      expect([releaseReason, outbox.at(-1)?.reason]).toEqual([reason, reason]);
    },
  );
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

  test(`of ${RACES} that race with a confirm, exactly one of the two wins each time`, async () => {
    const outcomes = new Map<string, number>();
    const raced = (await freeSlotIds(partner, venue.id, dateIn(6))).slice(0, RACES);
    for (const [index, slotId] of raced.entries()) {
      const hold = await placeHold(partner, slotId);
      const later = async <T>(trips: number, work: () => Promise<T>) => {
        for (let trip = 0; trip < trips; trip += 1) await partner.api.get('/healthz');
        return work();
      };
      const lead = (index % 6) - 2;
      const [confirmed, released] = await Promise.all([
        later(-lead, () => partner.api.post('/api/v1/bookings/confirm', confirmBody(idOf(hold)))),
        later(lead, () => release(idOf(hold))),
      ]);
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
