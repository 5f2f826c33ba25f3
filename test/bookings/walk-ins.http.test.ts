import { afterAll, describe, expect, test } from '@jest/globals';
import { Temporal } from 'temporal-polyfill';
import { PLATFORM_PARTNER_ID } from '../../src/domain/change-origin.ts';
import { newId } from '../../src/platform/ids.ts';
import { confirm, readHold, release, hold as sendHold, slotNow } from '../conformance/steps.ts';
import type { Json } from '../support/factories.ts';
import {
  anyPartner,
  anyResource,
  anyVenue,
  bookSlot,
  dateIn,
  expectStatus,
  operatorOf,
  placeHold,
  slotsOf,
} from '../support/factories.ts';
import { changeRow, rowOf } from '../support/rows.ts';
import { startScene } from '../support/scene.ts';
import { sharedService } from '../support/service-host.ts';
import { errorOf, outcomeOf, verdict } from '../support/verdict.ts';

const service = sharedService();
afterAll(() => service.stop());
const arena = { name: 'Arena', city: 'Pune', time_zone: 'UTC' };
const { venue, partner, slot: nextSlot } = await startScene(service, { venue: arena });
const [resourceId = ''] = venue.resourceIds;

const walkIn = (body: Json) => operatorOf(service).post('/api/v1/operator/walk-ins', body);
const idOf = (hold: Json) => String(hold['hold_id']);
const outboxOf = async (hold: Json) => (await rowOf(service, 'reservations', { _id: idOf(hold) })).outbox;
const outcome = async (body: Json) => outcomeOf(await walkIn(body));

describe('POST /api/v1/operator/walk-ins', () => {
  test('sells nothing at an inactive venue', async () => {
    const { resourceIds } = await anyVenue(service, [{}], { time_zone: 'UTC', status: 'inactive' });
    const slotId = `${resourceIds[0]}_${dateIn(3).replaceAll('-', '')}T0700Z`;
    expect(await outcome({ slot_id: slotId })).toBe('409 inactive');
  });

  test('books a free slot for the platform, with the customer as given', async () => {
    const slotId = nextSlot();
    const body = { slot_id: slotId, customer_name: '$name', customer_phone: '98765 43210' };
    const booking = expectStatus(await walkIn(body), 201);
    expect(booking).toMatchObject({
      partner_id: PLATFORM_PARTNER_ID,
      venue_id: venue.id,
      resource_id: resourceId,
      slot_id: slotId,
      status: 'BOOKED',
      price_rupees: 1200,
      payment_reference: null,
      customer_name: '$name',
      customer_phone: '98765 43210',
      customer_email: null,
      venue: { venue_id: venue.id, name: 'Arena', city: 'Pune' },
    });
    expect(await slotNow(partner, venue, slotId)).toMatchObject({ unavailable_reason: 'booked' });
    expect(verdict(await sendHold(partner, slotId))).toBe('409 SLOT_NOT_AVAILABLE');
  });

  test('a slot that does not exist is 404 SLOT_NOT_FOUND', async () => {
    for (const slotId of ['garbage', 'no-such-turf_20270110T0600Z', `${resourceId}_20270110T0615Z`])
      expect(verdict(await walkIn({ slot_id: slotId }))).toBe('404 SLOT_NOT_FOUND');
  });

  test('a missing venue is 404 VENUE_NOT_FOUND, however the slot is named', async () => {
    const venueId = newId();
    const bySport = { sport_category: 'football', slot_start: `${dateIn(3)}T07:00:00.000Z` };
    for (const slot of [{ slot_id: nextSlot() }, bySport])
      expect(verdict(await walkIn({ ...slot, venue_id: venueId }))).toBe('404 VENUE_NOT_FOUND');
  });

  test('a slot more than three years ahead is rejected with the last date', async () => {
    const inYears = (years: number, days: number) =>
      Temporal.Now.plainDateISO('UTC').add({ years }).add({ days }).toString();
    const slotOn = (date: string) => ({ slot_id: `${resourceId}_${date.replaceAll('-', '')}T0700Z` });
    expect(verdict(await walkIn(slotOn(inYears(3, -1))))).toBe('201');
    const refused = await walkIn(slotOn(inYears(3, 2)));
    expect(verdict(refused)).toBe('409 SLOT_NOT_AVAILABLE');
    expect(errorOf(refused)).toMatchObject({ conflict: { reason: 'beyond_horizon' } });
    expect(errorOf(refused).message).toContain(`the last date for walk-ins is ${inYears(3, 0)}, at the venue`);
    expect(await outcome(slotOn('9999-12-31'))).toBe('409 beyond_horizon');
  });

  test('a slot that has begun can be sold, one that has ended cannot', async () => {
    const always = { duration_minutes: 60, operating_hours_start: '00:00', operating_hours_end: '00:00' };
    const open = await anyVenue(service, [always], { time_zone: 'UTC' });
    const seller = await anyPartner(service, [open.id]);
    const now = new Date().toISOString();
    const today = await slotsOf(seller, open.id, now.slice(0, 10));
    const running = today.find((slot) => String(slot['slot_start']) <= now && now < String(slot['slot_end']));
    expect(verdict(await walkIn({ slot_id: running?.['slot_id'] }))).toBe('201');
    const [row] = await slotsOf(seller, open.id, dateIn(-1));
    expect(await outcome({ slot_id: row?.['slot_id'], override_holds: true })).toBe('409 past');
  });
});

describe('a slot that a partner holds', () => {
  test('is 409 SLOT_NOT_AVAILABLE without override_holds, and the hold stays', async () => {
    const hold = await placeHold(partner, nextSlot());
    for (const body of [{}, { override_holds: false }]) {
      expect(await outcome({ slot_id: hold['slot_id'], ...body })).toBe('409 held');
    }
    expect(await readHold(partner, hold)).toEqual(hold);
    expect(verdict(await confirm(partner, idOf(hold)))).toBe('201');
  });

  test('is taken with override_holds: the hold ends, and its confirm is DOUBLE_BOOKING_ATTEMPT', async () => {
    const body = { slot_id: nextSlot(), idempotency_key: 'order-1' };
    const hold = await placeHold(partner, body.slot_id, body);
    expect(verdict(await walkIn({ slot_id: hold['slot_id'], override_holds: true }))).toBe('201');
    expect(await readHold(partner, hold)).toMatchObject({ status: 'RELEASED' });
    expect(verdict(await confirm(partner, idOf(hold)))).toBe('409 DOUBLE_BOOKING_ATTEMPT');
    expect(await placeHold(partner, body.slot_id, body)).toEqual(hold);
    expect(expectStatus(await release(partner, idOf(hold)), 200)).toMatchObject({ status: 'RELEASED' });
    const events = (await outboxOf(hold)).map(({ type, originatorId }) => [type, originatorId]);
    expect(events).toEqual([
      ['hold_created', partner.id],
      ['hold_cancelled', PLATFORM_PARTNER_ID],
    ]);
  });
});

describe('a walk-in over several holds', () => {
  /** Slots at one time of a full turf and of its three parts. */
  async function sharedVenue() {
    const parts = ['North', 'Middle', 'South'].map((name) => ({ name }));
    const { id, resourceIds } = await anyVenue(service, parts, { time_zone: 'UTC' });
    const fullId = await anyResource(service, id, { name: 'Full', shares_space_with: resourceIds });
    const seller = await anyPartner(service, [id]);
    const at = (resource: string) => `${resource}_${dateIn(3).replaceAll('-', '')}T0600Z`;
    const [north = '', middle = '', south = ''] = resourceIds.map(at);
    return { seller, north, middle, south, full: at(fullId) };
  }

  /** Lets the hold expire. No worker runs, so the row stays ACTIVE. */
  const lapse = (hold: Json) => changeRow(service, 'reservations', idOf(hold), [{ $set: { holdExpiresAt: '$$NOW' } }]);

  test('overrides all active holds and expires overdue holds', async () => {
    const { seller, north, middle, south, full } = await sharedVenue();
    const overdue = await placeHold(seller, north);
    const live = [await placeHold(seller, middle), await placeHold(seller, south)];
    await lapse(overdue);
    expect(verdict(await walkIn({ slot_id: full, override_holds: true }))).toBe('201');
    const ends = [overdue, ...live].map(async (hold) => (await outboxOf(hold)).map(({ type }) => type));
    const overridden = ['hold_created', 'hold_cancelled'];
    expect(await Promise.all(ends)).toEqual([['hold_created', 'hold_expired'], overridden, overridden]);
  });

  test('is rejected if one of the slots is booked, and releases no hold', async () => {
    const { seller, north, south, full } = await sharedVenue();
    const hold = await placeHold(seller, north);
    await bookSlot(seller, south);
    expect(await outcome({ slot_id: full, override_holds: true })).toBe('409 booked');
    expect(await outboxOf(hold)).toHaveLength(1);
    expect(verdict(await confirm(seller, idOf(hold)))).toBe('201');
  });
});

test("a sandbox walk-in overrides no hold of another partner, and its release frees no other channel's walk-in", async () => {
  const { partner: seller, rival, slots } = await startScene(service);
  const [held = '', sold = '', played = ''] = slots;
  const at = (slotId: string) => `/api/v1/sandbox/slots/${slotId}`;
  const { hold_id: _id } = await placeHold(rival, held);
  const taking = await seller.api.post(`${at(held)}/walk-in`, { override_holds: true });
  expect(verdict(taking)).toBe('409 SLOT_NOT_AVAILABLE');
  expect(await rowOf(service, 'reservations', { _id })).toMatchObject({ status: 'ACTIVE' });

  expectStatus(await walkIn({ slot_id: sold }), 201);
  expectStatus(await rival.api.post(`${at(played)}/walk-in`, {}), 201);
  for (const slotId of [sold, played])
    expect(verdict(await seller.api.post(`${at(slotId)}/release`))).toBe('404 BOOKING_NOT_FOUND');
  expectStatus(await rival.api.post(`${at(played)}/release`), 200);
});
