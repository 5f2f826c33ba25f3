import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { cellsOf, spacesOf } from '../../src/reservations/cells.rules.ts';
import { coverSpaceSharedMeanwhile } from '../../src/reservations/shared-space.service.ts';
import type { Json, Partner } from '../support/factories.ts';
import { anyPartner, anyResource, anyVenue, placeHold, slotsOf } from '../support/factories.ts';
import { rowOf } from '../support/rows.ts';
import type { Service } from '../support/service.ts';
import { startService } from '../support/service.ts';
import { verdict } from '../support/verdict.ts';

let service: Service;
let partner: Partner;
let venueId: string;
let halfId: string;
let fullId: string;
let slots: Json[];

/** A half turf; then a full turf over it, made after that. */
beforeAll(async () => {
  service = await startService();
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
  const { _id, slotStart, slotEnd } = await rowOf(service, 'reservations', { _id: hold['hold_id'] });
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
  expect(await coverSpaceSharedMeanwhile(service.context, id, before, now)).toBe(true);
  expect(verdict(await holdFull(0))).toBe('409 SLOT_NOT_AVAILABLE');
});

test('it has to give itself up where the other was sold before it could', async () => {
  const { id, before, now } = await holdOfBefore(1);
  expect((await holdFull(1)).status).toBe(201);
  expect(await coverSpaceSharedMeanwhile(service.context, id, before, now)).toBe(false);
});

test('without covering itself, the full turf would be sold over it', async () => {
  await holdOfBefore(2);
  expect((await holdFull(2)).status).toBe(201);
});

test('where nothing became shared, nothing is written', async () => {
  const { id, now } = await holdOfBefore(3);
  expect(await coverSpaceSharedMeanwhile(service.context, id, now, now)).toBe(true);
  expect((await rowOf(service, 'reservations', { _id: id })).cells).not.toEqual(now);
});
