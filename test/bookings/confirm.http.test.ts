import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Json, Partner, Venue } from '../support/factories.ts';
import {
  anyPartner,
  anyVenue,
  confirmBody,
  expectStatus,
  freeSlotIds,
  placeHold,
} from '../support/factories.ts';
import type { SharedService } from '../support/service-host.ts';
import { sharedService } from '../support/service-host.ts';
import { errorOf, verdict } from '../support/verdict.ts';

const CONFIRM = '/api/v1/bookings/confirm';

let service: SharedService;
let venue: Venue;
let partner: Partner;
let slots: string[];

beforeAll(async () => {
  service = sharedService();
  venue = await anyVenue(service, [{}, {}]);
  partner = await anyPartner(service, [venue.id]);
  slots = await freeSlotIds(partner, venue.id);
});
afterAll(() => service.stop());

const newHold = (fields: Json = {}) => placeHold(partner, slots.shift() ?? '', fields);
const confirm = (hold: Json, fields: Json = {}) =>
  partner.api.post(CONFIRM, confirmBody(hold['hold_id'], fields));
const confirmed = async (hold: Json, fields: Json = {}) => expectStatus(await confirm(hold, fields), 201);
const read = async (booking: Json) =>
  expectStatus(await partner.api.get(`/api/v1/bookings/${String(booking['booking_id'])}`), 200);

describe('POST /api/v1/bookings/confirm', () => {
  test('a hold whose booking was cancelled cannot be confirmed again', async () => {
    const hold = await newHold();
    const { booking_id: id } = await confirmed(hold);
    await partner.api.post(`/api/v1/bookings/${String(id)}/cancel`, { reason: 'rain', idempotency_key: 'c' });
    expect(verdict(await confirm(hold))).toBe('409 INVALID_HOLD_STATE');
  });
});

describe("a confirm's idempotency_key", () => {
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
