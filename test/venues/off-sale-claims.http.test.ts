import { afterAll, expect, test } from '@jest/globals';
import type { Json } from '../support/factories.ts';
import {
  anyPartner,
  anyVenue,
  bookSlot,
  dateIn,
  expectStatus,
  freeSlotIds,
  operatorOf,
  placeHold,
} from '../support/factories.ts';
import { sharedService } from '../support/service-host.ts';

const service = sharedService();
afterAll(() => service.stop());

const OPERATOR = '/api/v1/operator';
const NONE = { conflict_count: 0, conflicts: [] };

test('what takes something off sale reports the holds and bookings that stand there, until it is back', async () => {
  const venue = await anyVenue(service, [{}, {}], { time_zone: 'UTC' });
  const [first = '', second = ''] = venue.resourceIds;
  const partner = await anyPartner(service, [venue.id]);
  const slotAt = async (resourceId: string, index: number) =>
    (await freeSlotIds(partner, venue.id)).filter((id) => id.startsWith(`${resourceId}_`)).at(index) ?? '';
  const booked = await bookSlot(partner, await slotAt(first, 0));
  const held = await placeHold(partner, await slotAt(second, 0));
  const booking = { booking_id: booked['booking_id'], partner_id: partner.id, slot_id: booked['slot_id'] };
  const hold = { hold_id: held['hold_id'], partner_id: partner.id, slot_id: held['slot_id'] };
  const of = (...conflicts: Json[]) => ({ conflict_count: conflicts.length, conflicts });
  const operator = operatorOf(service);
  const patchVenue = async (change: Json) =>
    expectStatus(await operator.patch(`${OPERATOR}/venues/${venue.id}`, change), 200);
  const patchFirst = async (change: Json) =>
    expectStatus(await operator.patch(`${OPERATOR}/resources/${first}`, change), 200);
  const schedule = async (hours: Json[]) => {
    const body = { weekly: {}, exceptions: [{ date: dateIn(3), hours }] };
    return expectStatus(await operator.put(`${OPERATOR}/resources/${first}/schedule`, body), 200);
  };

  expect(await patchVenue({ name: 'Renamed' })).toMatchObject(NONE);
  expect(await patchVenue({ status: 'inactive' })).toMatchObject(of(booking, hold));
  expect(await patchVenue({ status: 'active' })).toMatchObject(NONE);
  expect(await patchVenue({ time_zone: 'Asia/Kathmandu' })).toMatchObject(of(booking, hold));
  expect(await patchVenue({ time_zone: 'UTC' })).toMatchObject(NONE);
  expect(await patchFirst({ status: 'inactive' })).toMatchObject(of(booking));
  expect(await patchFirst({ status: 'active', duration_minutes: 120 })).toMatchObject(of(booking));
  expect(await patchFirst({ duration_minutes: 60, operating_hours_start: '07:00' })).toMatchObject(of(booking));
  expect(await patchFirst({ operating_hours_start: '06:00' })).toMatchObject(NONE);
  expect(await schedule([])).toMatchObject(of(booking));
  expect(await schedule([{ start: '06:00', end: '08:00' }])).toMatchObject(NONE);

  await partner.api.post(`/api/v1/partner/holds/${String(held['hold_id'])}/cancel`);
  expect(await patchVenue({ status: 'inactive' })).toMatchObject(of(booking));
});

test('a preview reports what the same changes leave off sale, and changes nothing', async () => {
  const venue = await anyVenue(service, [{}, {}], { time_zone: 'UTC' });
  const [first = '', second = ''] = venue.resourceIds;
  const partner = await anyPartner(service, [venue.id]);
  const booked = new Map<string, Json>();
  for (const resourceId of venue.resourceIds) {
    const slotId = (await freeSlotIds(partner, venue.id)).find((id) => id.startsWith(`${resourceId}_`)) ?? '';
    booked.set(resourceId, await bookSlot(partner, slotId));
  }
  const operator = operatorOf(service);
  const preview = async (change: Json) =>
    expectStatus(await operator.post(`${OPERATOR}/venues/${venue.id}/change-preview`, change), 200);
  const of = (...resourceIds: string[]) => ({
    conflict_count: resourceIds.length,
    conflicts: resourceIds.map((id) => ({ slot_id: booked.get(id)?.['slot_id'] })),
  });
  const closed = { weekly: {}, exceptions: [{ date: dateIn(3), hours: [] }] };

  expect(await preview({})).toMatchObject(NONE);
  expect(await preview({ venue: { city: 'Pune' } })).toMatchObject(NONE);
  expect(await preview({ venue: { status: 'inactive' } })).toMatchObject(of(first, second));
  expect(await preview({ resources: [{ resource_id: first, duration_minutes: 120 }] })).toMatchObject(of(first));
  const both = [
    { resource_id: first, schedule: closed },
    { resource_id: second, operating_hours_start: '09:00' },
  ];
  expect(await preview({ resources: both })).toMatchObject(of(first, second));
  expect(await preview({})).toMatchObject(NONE);
  const unknown = { resources: [{ resource_id: 'nowhere', status: 'inactive' }] };
  const refused = await operator.post(`${OPERATOR}/venues/${venue.id}/change-preview`, unknown);
  expect([refused.status, JSON.stringify(refused.body)]).toEqual([400, expect.stringContaining('nowhere')]);
});
