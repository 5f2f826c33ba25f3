import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { cellsOf, spacesOf } from '../../src/reservations/cells.rules.ts';
import type * as Claims from '../../src/reservations/claims.service.ts';
import { collectionCallsOf } from '../support/collection-calls.ts';
import type { Json, Partner } from '../support/factories.ts';
import {
  anyPartner,
  anyResource,
  anyVenue,
  confirmBody,
  expectStatus,
  placeHold,
  slotsOf,
} from '../support/factories.ts';
import { rowOf } from '../support/rows.ts';
import { hostedService } from '../support/service-host.ts';
import { verdict } from '../support/verdict.ts';

const service = await hostedService();
const { addSharedCellsToClaim } = service.inHost<typeof Claims>('src/reservations/claims.service.ts');
let partner: Partner;
let venueId: string;
let halfId: string;
let fullId: string;
let slots: Json[];

/** A half turf; then a full turf over it, made after that. */
beforeAll(async () => {
  const venue = await anyVenue(service, [{ name: 'Half' }]);
  venueId = venue.id;
  halfId = String(venue.resourceIds[0]);
  partner = await anyPartner(service, [venueId]);
  fullId = await anyResource(service, venueId, { name: 'Full', shares_space_with: [halfId] });
  slots = await slotsOf(partner, venueId);
});
afterAll(() => service.stop());

const slotIdAt = (resourceId: string, hour: number) =>
  String(slots.filter((slot) => slot['resource_id'] === resourceId)[hour]?.['slot_id']);

/** A hold on the half as one writes it that read the half before it shared its ground. */
async function holdOfBefore(hour: number) {
  const hold = await placeHold(partner, slotIdAt(halfId, hour));
  return forgetSharedCells(String(hold['hold_id']));
}

async function forgetSharedCells(holdId: string) {
  const { _id, slotStart, slotEnd } = await rowOf(service, 'reservations', { _id: holdId });
  const before = cellsOf(spacesOf(halfId, []), slotStart, slotEnd);
  const now = cellsOf(spacesOf(halfId, [fullId]), slotStart, slotEnd);
  const change = { $set: { cells: before } };
  await service.context.db.collection('reservations').updateOne({ _id: _id as never }, change);
  return { id: _id, before, now };
}

const holdFull = (hour: number) =>
  partner.api.post('/api/v1/partner/holds', { slot_id: slotIdAt(fullId, hour) });

test('a hold that was being placed while its ground became shared covers it, and keeps the others off', async () => {
  const { id, before, now } = await holdOfBefore(0);
  expect(await addSharedCellsToClaim({ _id: id, cells: before }, now)).toBe(true);
  expect(verdict(await holdFull(0))).toBe('409 SLOT_NOT_AVAILABLE');
});

test('it has to be released where the other was sold before it could', async () => {
  const { id, before, now } = await holdOfBefore(1);
  expect((await holdFull(1)).status).toBe(201);
  expect(await addSharedCellsToClaim({ _id: id, cells: before }, now)).toBe(false);
});

test('it stands where the other was released before anybody saw whose it was', async () => {
  const { id, before, now } = await holdOfBefore(7);
  const { hold_id: other } = expectStatus(await holdFull(7), 201);
  const releaseOther = async () =>
    expectStatus(await partner.api.post(`/api/v1/partner/holds/${String(other)}/cancel`), 200);
  const add = () => addSharedCellsToClaim({ _id: id, cells: before }, now);
  const { beforeNext } = collectionCallsOf(service);
  expect(await beforeNext('reservations.aggregate', releaseOther, add)).toBe(true);
  expect(verdict(await holdFull(7))).toBe('409 SLOT_NOT_AVAILABLE');
});

test('without covering itself, the full turf would be sold over it', async () => {
  await holdOfBefore(2);
  expect((await holdFull(2)).status).toBe(201);
});

test('where nothing became shared, nothing is written', async () => {
  const { id, now } = await holdOfBefore(3);
  expect(await addSharedCellsToClaim({ _id: id, cells: now }, now)).toBe(true);
  expect((await rowOf(service, 'reservations', { _id: id })).cells).not.toEqual(now);
});

describe('a hold whose process died before it could cover ground that became shared', () => {
  const confirm = (holdId: unknown) => partner.api.post('/api/v1/bookings/confirm', confirmBody(holdId));

  test('covers it when its call is repeated, and keeps the others off', async () => {
    const slotId = slotIdAt(halfId, 4);
    const place = () =>
      partner.api.post('/api/v1/partner/holds', { slot_id: slotId, idempotency_key: slotId });
    const { hold_id: holdId } = expectStatus(await place(), 201);
    await forgetSharedCells(String(holdId));
    expect(expectStatus(await place(), 201)['hold_id']).toBe(holdId);
    expect(verdict(await holdFull(4))).toBe('409 SLOT_NOT_AVAILABLE');
  });

  test('covers it before it is confirmed', async () => {
    const { id } = await holdOfBefore(5);
    expect((await confirm(id)).status).toBe(201);
    expect(verdict(await holdFull(5))).toBe('409 SLOT_NOT_AVAILABLE');
  });

  test('cannot be confirmed where the whole was sold meanwhile', async () => {
    const { id } = await holdOfBefore(6);
    const full = expectStatus(await holdFull(6), 201);
    expect(verdict(await confirm(id))).toBe('409 DOUBLE_BOOKING_ATTEMPT');
    expect((await confirm(full['hold_id'])).status).toBe(201);
  });
});
