import { afterAll, expect, test } from '@jest/globals';
import { release } from '../conformance/steps.ts';
import { bookSlot, dateIn, expectStatus, type Json, operatorOf, placeHold } from '../support/factories.ts';
import { startScene } from '../support/scene.ts';
import { sharedService } from '../support/service-host.ts';

const service = sharedService();
afterAll(() => service.stop());

const OPERATOR = '/api/v1/operator';
const NONE = { conflict_count: 0, conflicts: [] };
const operator = operatorOf(service);

/** A venue of two resources, and the first slot of each. */
async function twoResources() {
  const scene = await startScene(service, { resources: [{}, {}], venue: { time_zone: 'UTC' } });
  const [first = '', second = ''] = scene.venue.resourceIds;
  const slotAt = (resourceId: string) => scene.slots.find((id) => id.startsWith(`${resourceId}_`)) ?? '';
  return { ...scene, first, second, slotAt };
}

test('taking something off sale reports its holds and bookings until it is on sale again', async () => {
  const { venue, partner, first, second, slotAt } = await twoResources();
  const booked = await bookSlot(partner, slotAt(first));
  const held = await placeHold(partner, slotAt(second));
  const booking = { booking_id: booked['booking_id'], partner_id: partner.id, slot_id: booked['slot_id'] };
  const hold = { hold_id: held['hold_id'], partner_id: partner.id, slot_id: held['slot_id'] };
  const conflictsOf = (...conflicts: Json[]) => ({ conflict_count: conflicts.length, conflicts });
  const patchVenue = async (change: Json) =>
    expectStatus(await operator.patch(`${OPERATOR}/venues/${venue.id}`, change), 200);
  const patchFirst = async (change: Json) =>
    expectStatus(await operator.patch(`${OPERATOR}/resources/${first}`, change), 200);
  const schedule = async (hours: Json[]) => {
    const body = { weekly: {}, exceptions: [{ date: dateIn(3), hours }] };
    return expectStatus(await operator.put(`${OPERATOR}/resources/${first}/schedule`, body), 200);
  };

  expect(await patchVenue({ name: 'Renamed' })).toMatchObject(NONE);
  expect(await patchVenue({ status: 'inactive' })).toMatchObject(conflictsOf(booking, hold));
  expect(await patchVenue({ status: 'active' })).toMatchObject(NONE);
  expect(await patchVenue({ time_zone: 'Asia/Kathmandu' })).toMatchObject(conflictsOf(booking, hold));
  expect(await patchVenue({ time_zone: 'UTC' })).toMatchObject(NONE);
  expect(await patchFirst({ status: 'inactive' })).toMatchObject(conflictsOf(booking));
  expect(await patchFirst({ status: 'active', duration_minutes: 120 })).toMatchObject(conflictsOf(booking));
  expect(await patchFirst({ duration_minutes: 60, operating_hours_start: '07:00' })).toMatchObject(
    conflictsOf(booking),
  );
  expect(await patchFirst({ operating_hours_start: '06:00' })).toMatchObject(NONE);
  expect(await schedule([])).toMatchObject(conflictsOf(booking));
  expect(await schedule([{ start: '06:00', end: '08:00' }])).toMatchObject(NONE);

  await release(partner, held['hold_id']);
  expect(await patchVenue({ status: 'inactive' })).toMatchObject(conflictsOf(booking));
});

test('a preview reports the bookings that the changes would take off sale, and changes nothing', async () => {
  const { venue, partner, first, second, slotAt } = await twoResources();
  for (const resourceId of venue.resourceIds) await bookSlot(partner, slotAt(resourceId));
  const preview = async (change: Json) =>
    expectStatus(await operator.post(`${OPERATOR}/venues/${venue.id}/change-preview`, change), 200);
  const previewOf = (...resourceIds: string[]) => ({
    conflict_count: resourceIds.length,
    conflicts: resourceIds.map((id) => ({ slot_id: slotAt(id) })),
  });
  const closed = { weekly: {}, exceptions: [{ date: dateIn(3), hours: [] }] };

  expect(await preview({})).toMatchObject(NONE);
  expect(await preview({ venue: { city: 'Pune' } })).toMatchObject(NONE);
  expect(await preview({ venue: { status: 'inactive' } })).toMatchObject(previewOf(first, second));
  expect(await preview({ resources: [{ resource_id: first, duration_minutes: 120 }] })).toMatchObject(previewOf(first));
  const both = [
    { resource_id: first, schedule: closed },
    { resource_id: second, operating_hours_start: '09:00' },
  ];
  expect(await preview({ resources: both })).toMatchObject(previewOf(first, second));
  expect(await preview({})).toMatchObject(NONE);
  const unknown = { resources: [{ resource_id: 'nowhere', status: 'inactive' }] };
  const refused = await operator.post(`${OPERATOR}/venues/${venue.id}/change-preview`, unknown);
  expect([refused.status, JSON.stringify(refused.body)]).toEqual([400, expect.stringContaining('nowhere')]);
});
