import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Json, Partner, Venue } from '../support/factories.ts';
import {
  anyPartner,
  anyVenue,
  bookSlot,
  confirmBody,
  expectStatus,
  freeSlotIds,
  operatorOf,
  placeHold,
} from '../support/factories.ts';
import type { SharedService } from '../support/shared-service.ts';
import { sharedService } from '../support/shared-service.ts';
import { errorOf, verdict } from '../support/verdict.ts';

const CONFIRM = '/api/v1/bookings/confirm';
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

let service: SharedService;
let venue: Venue;
let partner: Partner;
let rival: Partner;
let slots: string[];

beforeAll(async () => {
  service = sharedService();
  venue = await anyVenue(service, [{ price_rupees: 950.5 }, {}, {}], { name: 'Arena', city: 'Pune' });
  [partner, rival] = [await anyPartner(service, [venue.id]), await anyPartner(service, [venue.id])];
  slots = await freeSlotIds(partner, venue.id);
});
afterAll(() => service.stop());

const newHold = (fields: Json = {}) => placeHold(partner, slots.shift() ?? '', fields);
const confirm = (hold: Json, fields: Json = {}, by = partner) =>
  by.api.post(CONFIRM, confirmBody(hold['hold_id'], fields));
const confirmed = async (hold: Json, fields: Json = {}) => expectStatus(await confirm(hold, fields), 201);
const read = async (booking: Json) =>
  expectStatus(await partner.api.get(`/api/v1/bookings/${String(booking['booking_id'])}`), 200);

describe('POST /api/v1/bookings/confirm', () => {
  test('makes an ACTIVE hold a booking', async () => {
    const hold = await newHold();
    expect(await confirmed(hold)).toEqual({
      booking_id: expect.stringMatching(UUID),
      slot_id: hold['slot_id'],
      status: 'BOOKED',
      booked_at: expect.stringMatching(INSTANT),
      price_rupees: hold['price_rupees'],
    });
    expect(await freeSlotIds(rival, venue.id)).not.toContain(hold['slot_id']);
  });

  test("a hold that does not exist, or is another partner's, is 404 HOLD_NOT_FOUND in the same bytes", async () => {
    const foreign = await newHold();
    const replies = await Promise.all(
      [foreign['hold_id'], '00000000-0000-7000-8000-00000000dead', 'none'].map((holdId) =>
        rival.api.post(CONFIRM, confirmBody(holdId), { 'x-request-id': 'same' }),
      ),
    );
    expect(replies.map(verdict)).toEqual(Array(3).fill('404 HOLD_NOT_FOUND'));
    expect(new Set(replies.map((reply) => reply.text)).size).toBe(1);
    expect(verdict(await confirm(foreign))).toBe('201');
  });

  test.each<[string, string, (holdId: string) => Promise<unknown>]>([
    ['EXPIRED', '409 HOLD_EXPIRED', (id) => partner.api.post(`/api/v1/sandbox/holds/${id}/expire`)],
    ['RELEASED', '409 INVALID_HOLD_STATE', (id) => partner.api.post(`/api/v1/partner/holds/${id}/cancel`)],
    ['CONSUMED', '409 INVALID_HOLD_STATE', (id) => partner.api.post(CONFIRM, confirmBody(id))],
  ])('a hold that is %s is %s', async (_state, answer, reach) => {
    const hold = await newHold();
    await reach(String(hold['hold_id']));
    expect(verdict(await confirm(hold))).toBe(answer);
  });

  test('a hold that lost its slot to a walk-in is 409 DOUBLE_BOOKING_ATTEMPT', async () => {
    const hold = await newHold();
    const walkIn = { slot_id: hold['slot_id'], override_holds: true };
    expectStatus(await operatorOf(service).post('/api/v1/operator/walk-ins', walkIn), 201);
    for (let attempt = 0; attempt < 2; attempt += 1) {
      expect(verdict(await confirm(hold))).toBe('409 DOUBLE_BOOKING_ATTEMPT');
    }
  });

  test('a hold whose booking was cancelled cannot be confirmed again', async () => {
    const hold = await newHold();
    const { booking_id: id } = await confirmed(hold);
    await partner.api.post(`/api/v1/bookings/${String(id)}/cancel`, { reason: 'rain', idempotency_key: 'c' });
    expect(verdict(await confirm(hold))).toBe('409 INVALID_HOLD_STATE');
  });

  test('a partner_id in the body is ignored', async () => {
    const booking = await confirmed(await newHold(), { partner_id: rival.id });
    expect(await read(booking)).toMatchObject({ partner_id: partner.id });
  });
});

describe("a confirm's idempotency_key", () => {
  test('answers the original booking for ever, through cancel and refund', async () => {
    const hold = await newHold();
    const body = confirmBody(hold['hold_id']);
    const first = await partner.api.post(CONFIRM, body);
    const { booking_id: id } = expectStatus(first, 201);
    expect(first.headers.get('idempotent-replayed')).toBeNull();
    for (const operation of ['', 'cancel', 'refund']) {
      if (operation !== '') {
        const ending = { reason: 'rain', idempotency_key: `${operation}-1` };
        expectStatus(await partner.api.post(`/api/v1/bookings/${String(id)}/${operation}`, ending), 200);
      }
      const again = await partner.api.post(CONFIRM, { ...body, customer_name: 'Other Name' });
      expect([again.status, again.text]).toEqual([201, first.text]);
      expect(again.headers.get('idempotent-replayed')).toBe('true');
    }
    expect(await read({ booking_id: id })).toMatchObject({ customer_name: 'Asha Rao', status: 'REFUNDED' });
  });

  test('for another hold is 409 IDEMPOTENCY_KEY_MISMATCH, and that hold stays ACTIVE', async () => {
    const [one, two] = [await newHold(), await newHold()];
    await confirmed(one, { idempotency_key: 'order-1' });
    expect(verdict(await confirm(two, { idempotency_key: 'order-1' }))).toBe('409 IDEMPOTENCY_KEY_MISMATCH');
    expect(verdict(await confirm(two, { idempotency_key: 'order-2' }))).toBe('201');
  });

  test('a hold that it has consumed names its booking, and so does whatever else is asked of that hold', async () => {
    const hold = await newHold({ idempotency_key: 'placed once' });
    const path = `/api/v1/partner/holds/${String(hold['hold_id'])}`;
    expect(hold).not.toHaveProperty('booking_id');
    const { booking_id: bookingId } = await confirmed(hold);
    expect((await partner.api.get(path)).body).toMatchObject({ status: 'CONSUMED', booking_id: bookingId });
    for (const reply of [
      await confirm(hold, { idempotency_key: 'another' }),
      await partner.api.post(`${path}/extend`, { ttl_seconds: 600 }),
      await partner.api.post(`${path}/cancel`),
    ]) {
      expect(verdict(reply)).toBe('409 INVALID_HOLD_STATE');
      expect(errorOf(reply).booking_id).toBe(bookingId);
    }
    // A replay is what was answered then.
    const again = { slot_id: hold['slot_id'], idempotency_key: 'placed once' };
    expect((await partner.api.post('/api/v1/partner/holds', again)).body).toEqual(hold);
  });

  test("is the partner's own", async () => {
    await confirmed(await newHold(), { idempotency_key: 'order-3' });
    const theirs = await placeHold(rival, slots.shift() ?? '');
    expect(verdict(await confirm(theirs, { idempotency_key: 'order-3' }, rival))).toBe('201');
  });

  test('of a call that failed can be used for another hold', async () => {
    const [one, two] = [await newHold(), await newHold()];
    await partner.api.post(`/api/v1/partner/holds/${String(one['hold_id'])}/cancel`);
    expect(verdict(await confirm(one, { idempotency_key: 'order-4' }))).toBe('409 INVALID_HOLD_STATE');
    expect(verdict(await confirm(two, { idempotency_key: 'order-4', customer_phone: '12345' }))).toMatch(
      /^400/,
    );
    expect(verdict(await confirm(two, { idempotency_key: 'order-4' }))).toBe('201');
  });

  test('lives beside the keys of holds and of cancels and refunds', async () => {
    const key = { idempotency_key: 'one-for-all' };
    const hold = await placeHold(partner, slots.shift() ?? '', key);
    const { booking_id: id } = await confirmed(hold, key);
    expect(
      verdict(await partner.api.post(`/api/v1/bookings/${String(id)}/cancel`, { ...key, reason: 'rain' })),
    ).toBe('200');
  });
});

describe("a customer's phone", () => {
  test.each([
    '9876543210',
    '09876543210',
    '+919876543210',
    '+91 98765-43210',
    '00 91 98765 43210',
    '+44 20 7946 0958',
  ])('%s is a number, and is stored as it was given', async (phone) => {
    const booking = await confirmed(await newHold(), { customer_phone: phone });
    expect(await read(booking)).toMatchObject({ customer_phone: phone });
  });

  test.each(['0000000000', '98765', '+91987654321', '+999123456789', '987654321O', '9876543210,9876543211'])(
    '%s is none',
    async (phone) => {
      const hold = { hold_id: '00000000-0000-7000-8000-00000000dead' };
      expect(verdict(await confirm(hold, { customer_phone: phone }))).toBe(
        '400 VALIDATION_ERROR customer_phone',
      );
    },
  );
});

describe('GET /api/v1/bookings/{bookingId}', () => {
  test('is the booking with venue, resource, window, payment reference and customer', async () => {
    const hold = await newHold();
    const given = {
      payment_reference: 'pay_9',
      customer_name: 'Asha Rao',
      customer_phone: '98765 43210',
      customer_email: 'asha@example.in',
    };
    const booking = await confirmed(hold, given);
    const { hold_id, venue_id, resource_id, slot_id, slot_start, slot_end } = hold as Record<string, unknown>;
    expect(await read(booking)).toEqual({
      ...booking,
      ...{ hold_id, venue_id, resource_id, slot_id, slot_start, slot_end },
      ...given,
      partner_id: partner.id,
      venue: { venue_id, name: 'Arena', city: 'Pune' },
      resource: { resource_id, resource_type: 'turf', sport_category: 'football' },
      cancelled_at: null,
      cancellation_reason: null,
      refunded_at: null,
      refund_reason: null,
    });
  });

  test('shows null for an email that was not given', async () => {
    expect(await read(await confirmed(await newHold()))).toMatchObject({ customer_email: null });
  });

  test("a booking that does not exist and another partner's are 404 BOOKING_NOT_FOUND in the same bytes", async () => {
    const booking = await confirmed(await newHold());
    const replies = await Promise.all(
      [booking['booking_id'], '00000000-0000-7000-8000-00000000dead'].map((id) =>
        rival.api.get(`/api/v1/bookings/${String(id)}`, { 'x-request-id': 'same' }),
      ),
    );
    expect(replies.map(verdict)).toEqual(Array(2).fill('404 BOOKING_NOT_FOUND'));
    expect(new Set(replies.map((reply) => reply.text)).size).toBe(1);
  });

  test('the id of a hold is not the id of its booking', async () => {
    const hold = await newHold();
    await confirmed(hold);
    expect(verdict(await partner.api.get(`/api/v1/bookings/${String(hold['hold_id'])}`))).toBe(
      '404 BOOKING_NOT_FOUND',
    );
  });

  test('stays readable when the grant of its venue has ended', async () => {
    const own = await anyVenue(service);
    const seller = await anyPartner(service, [own.id]);
    const [slotId = ''] = await freeSlotIds(seller, own.id);
    const booking = await bookSlot(seller, slotId);
    await operatorOf(service).delete(`/api/v1/operator/partners/${seller.id}/venues/${own.id}`);
    expect(verdict(await seller.api.get(`/api/v1/bookings/${String(booking['booking_id'])}`))).toBe('200');
  });
});

describe('use_package_credit without any credit to consume', () => {
  test('makes the booking all the same; only reads say that none was consumed', async () => {
    const booking = await confirmed(await newHold(), { use_package_credit: true });
    expect(booking).not.toHaveProperty('package_credit_consumed');
    expect(await read(booking)).toMatchObject({ package_credit_consumed: false });
  });

  test.each([{}, { use_package_credit: false }])(
    'where it was not asked for, reads do not speak of it: %j',
    async (fields) => {
      expect(await read(await confirmed(await newHold(), fields))).not.toHaveProperty(
        'package_credit_consumed',
      );
    },
  );
});

describe('what a customer is called and how they paid is stored as it was given', () => {
  test.each([
    '$status',
    '$$NOW',
    '$customer.phone',
    '__proto__',
    '{"$ne":null}',
    "Robert'); --",
    'नितिन राव',
    ' padded ',
    '<b>',
  ])('%s', async (given) => {
    const fields = { customer_name: given, payment_reference: given, idempotency_key: given };
    const booking = await confirmed(await newHold(), fields);
    expect(await read(booking)).toMatchObject({ customer_name: given, payment_reference: given });
    const again = await confirm(await newHold(), { idempotency_key: given });
    expect(verdict(again)).toBe('409 IDEMPOTENCY_KEY_MISMATCH');
  });
});
