import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type * as Grid from '../../src/booking/availability/day-grid.service.ts';
import { dateAfter } from '../availability/wall-clock.ts';
import {
  anyPartner,
  anyResource,
  anyVenue,
  bookSlot,
  dateIn,
  expectStatus,
  type Json,
  operatorOf,
  type Partner,
  placeHold,
  slotsOf,
  type Venue,
} from '../support/factories.ts';
import { hostedService } from '../support/service-host.ts';

const DATE = dateIn(3);
const MORNING = { operating_hours_start: '06:00', operating_hours_end: '12:00' };

const service = await hostedService({ overrides: { BOOKING_HORIZON_DAYS: '730' }, isAlone: true });
const { readDayGrid } = service.inHost<typeof Grid>('src/booking/availability/day-grid.service.ts');
type DayGrid = Awaited<ReturnType<typeof readDayGrid>>;
type GridCell = DayGrid['columns'][number]['cells'][number];
afterAll(() => service.stop());

const operator = () => operatorOf(service);
const grid = (venueId: string, date = DATE) => readDayGrid(venueId, date);
const cellsOf = (day: DayGrid): GridCell[] => day.columns.flatMap(({ cells }) => cells);
const cellOf = (day: DayGrid, slot: Json | undefined): GridCell => {
  const found = cellsOf(day).find(({ slotId }) => slotId === slot?.['slot_id']);
  if (found === undefined) throw new Error(`${String(slot?.['slot_id'])} is not on the grid`);
  return found;
};
const freeIds = (day: DayGrid) => cellsOf(day).flatMap(({ state, slotId }) => (state === 'free' ? [slotId] : []));
const walkIn = async (slot: Json | undefined, fields: Json = {}) =>
  expectStatus(await operator().post('/api/v1/operator/walk-ins', { slot_id: slot?.['slot_id'], ...fields }), 201);
const blackOut = async (venueId: string, slot: Json | undefined, resourceIds?: string[]) =>
  expectStatus(
    await operator().post(`/api/v1/operator/venues/${venueId}/blackouts`, {
      starts_at: slot?.['slot_start'],
      ends_at: slot?.['slot_end'],
      reason: 'Resurfacing',
      ...(resourceIds === undefined ? {} : { resource_ids: resourceIds }),
    }),
    201,
  );

type Scene = { venue: Venue; seller: Partner; turf: Json[]; north: Json[]; full: Json[] };

/** A turf, and a full ground with two-hour slots that shares space with a half with one-hour slots. */
async function anyScene(): Promise<Scene> {
  const venue = await anyVenue(service, [{ name: 'Turf', ...MORNING }]);
  const north = await anyResource(service, venue.id, { name: 'North', ...MORNING });
  const fields = { name: 'Full', duration_minutes: 120, shares_space_with: [north], ...MORNING };
  const full = await anyResource(service, venue.id, fields);
  const seller = await anyPartner(service, [venue.id]);
  const slots = await slotsOf(seller, venue.id, DATE);
  const ofResource = (resourceId: unknown) => slots.filter((slot) => slot['resource_id'] === resourceId);
  return { venue, seller, turf: ofResource(venue.resourceIds[0]), north: ofResource(north), full: ofResource(full) };
}

describe('a slot is free on the grid if and only if availability says so', () => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await anyScene();
    const { venue, seller, turf, north, full } = scene;
    await bookSlot(seller, String(turf[0]?.['slot_id']));
    await placeHold(seller, String(turf[1]?.['slot_id']));
    await walkIn(turf[2]);
    await blackOut(venue.id, turf[3], venue.resourceIds);
    await placeHold(seller, String(full[0]?.['slot_id']));
    await bookSlot(seller, String(north[2]?.['slot_id']));
  });

  /** The slots on which the grid and the listing disagree, or that only one of them has. */
  const disagreements = (listed: Json[], day: DayGrid): unknown[] => {
    const onGrid = new Map(cellsOf(day).map(({ slotId, state }) => [slotId as unknown, state === 'free']));
    const differing = listed.filter((slot) => onGrid.get(slot['slot_id']) !== slot['is_available']);
    const ids = new Set(listed.map((slot) => slot['slot_id']));
    return [...differing.map((slot) => slot['slot_id']), ...[...onGrid.keys()].filter((id) => !ids.has(id))];
  };
  const expectAgreement = async (venueId: string, seller: Partner, date: string) => {
    const listed = await slotsOf(seller, venueId, date);
    const day = await grid(venueId, date);
    expect(disagreements(listed, day)).toEqual([]);
    return { listed, day };
  };

  test('on a day with claims, shared space and a blackout', async () => {
    const { listed, day } = await expectAgreement(scene.venue.id, scene.seller, DATE);
    expect(freeIds(day).length).toBeGreaterThan(0);
    expect(freeIds(day).length).toBeLessThan(listed.length);
    const priced = cellsOf(day).map(({ pricePaise }) => pricePaise / 100);
    expect(priced).toEqual(listed.map((slot) => slot['price_rupees']));
  });

  test('today, when some of it is past, yesterday, and beyond the horizon', async () => {
    const allDay = { operating_hours_start: '00:00', operating_hours_end: '00:00', duration_minutes: 30 };
    const venue = await anyVenue(service, [allDay], { time_zone: 'UTC' });
    const seller = await anyPartner(service, [venue.id]);
    for (const date of [dateIn(-1), dateIn(0), dateIn(1), dateIn(730), dateIn(732)]) {
      await expectAgreement(venue.id, seller, date);
    }
    const states = async (date: string) => new Set(cellsOf(await grid(venue.id, date)).map(({ state }) => state));
    expect([await states(dateIn(-1)), await states(dateIn(732))]).toEqual([
      new Set(['past']),
      new Set(['beyond_horizon']),
    ]);
  });

  test('at an inactive venue', async () => {
    const venue = await anyVenue(service, [MORNING], { status: 'inactive' });
    const { day } = await expectAgreement(venue.id, await anyPartner(service, [venue.id]), DATE);
    expect(cellsOf(day).map(({ state }) => state)).toEqual(Array.from({ length: 6 }, () => 'inactive'));
  });

  test('on the day when the clocks go back, and for hours past midnight', async () => {
    const october = new Date(Date.UTC(new Date().getUTCFullYear() + 1, 9, 31));
    october.setUTCDate(31 - october.getUTCDay());
    const date = october.toISOString().slice(0, 10);
    const london = await anyVenue(service, [{ operating_hours_start: '00:00', operating_hours_end: '00:00' }], {
      time_zone: 'Europe/London',
    });
    const { day } = await expectAgreement(london.id, await anyPartner(service, [london.id]), date);
    expect(cellsOf(day)).toHaveLength(25);

    const late = await anyVenue(service, [{ operating_hours_start: '18:00', operating_hours_end: '02:00' }]);
    const seller = await anyPartner(service, [late.id]);
    const last = (await slotsOf(seller, late.id, DATE)).at(-1);
    await placeHold(seller, String(last?.['slot_id']));
    const { day: evening } = await expectAgreement(late.id, seller, DATE);
    expect(cellOf(evening, last).state).toBe('held');
    const { day: next } = await expectAgreement(late.id, seller, dateAfter(DATE, 1));
    expect([freeIds(next), next.offSchedule]).toEqual([cellsOf(next).map(({ slotId }) => slotId), []]);
  });
});

describe('a cell shows its claim', () => {
  test('a booking, a hold with its remaining time, a walk-in', async () => {
    const { venue, seller, turf } = await anyScene();
    const booking = await bookSlot(seller, String(turf[0]?.['slot_id']));
    const hold = await placeHold(seller, String(turf[1]?.['slot_id']));
    await walkIn(turf[2], { customer_name: 'Vikram' });
    const day = await grid(venue.id);
    expect(cellOf(day, turf[0])).toMatchObject({
      state: 'booked',
      occupants: [{ bookingId: booking['booking_id'], partnerId: seller.id, customerName: 'Asha Rao' }],
      takesWalkIn: false,
    });
    const held = cellOf(day, turf[1]);
    expect(held).toMatchObject({ state: 'held', occupants: [{ holdId: hold['hold_id'] }], takesWalkIn: true });
    const [left = 0] = held.occupants.map(({ secondsLeft }) => secondsLeft ?? 0);
    expect(left).toBeGreaterThan(590);
    expect(left).toBeLessThanOrEqual(600);
    expect(cellOf(day, turf[2])).toMatchObject({
      state: 'walk-in',
      occupants: [{ customerName: 'Vikram', secondsLeft: null }],
    });
    expect(cellOf(day, turf[3])).toMatchObject({ state: 'free', occupants: [], takesWalkIn: true });
  });

  test('a claim on shared space, in exactly the slots of other resources that it overlaps', async () => {
    const { venue, seller, full, north, turf } = await anyScene();
    await bookSlot(seller, String(full[0]?.['slot_id']));
    await placeHold(seller, String(north[3]?.['slot_id']));
    const day = await grid(venue.id);
    const shared = [cellOf(day, north[0]), cellOf(day, north[1]), cellOf(day, full[1])];
    expect(shared.map(({ state }) => state)).toEqual(['shared', 'shared', 'shared']);
    expect(shared.map(({ occupants }) => occupants[0]?.slotId)).toEqual([
      full[0]?.['slot_id'],
      full[0]?.['slot_id'],
      north[3]?.['slot_id'],
    ]);
    expect(shared.map(({ takesWalkIn }) => takesWalkIn)).toEqual([false, false, true]);
    expect([cellOf(day, north[2]).state, cellOf(day, turf[0]).state]).toEqual(['free', 'free']);
    const names = day.columns.map(({ resource, sharesWith }) => [resource.name, sharesWith.map(({ name }) => name)]);
    expect(Object.fromEntries(names)).toEqual({ Turf: [], North: ['Full'], Full: ['North'] });
  });

  test('a blackout with its reason, and an earlier booking as booked', async () => {
    const { venue, seller, turf } = await anyScene();
    await bookSlot(seller, String(turf[1]?.['slot_id']));
    await blackOut(venue.id, { slot_start: turf[0]?.['slot_start'], slot_end: turf[1]?.['slot_end'] });
    const day = await grid(venue.id);
    const reasons = { blackouts: [{ reason: 'Resurfacing' }] };
    expect(cellOf(day, turf[0])).toMatchObject({ state: 'blackout', takesWalkIn: false, ...reasons });
    expect(cellOf(day, turf[1])).toMatchObject({ state: 'booked', ...reasons });
    expect(cellOf(day, turf[2])).toMatchObject({ state: 'free', blackouts: [] });
  });

  test('nothing once a hold has expired, even before a worker has noticed', async () => {
    const { venue, seller, turf } = await anyScene();
    const { hold_id: id } = await placeHold(seller, String(turf[0]?.['slot_id']));
    const expiry = { $set: { holdExpiresAt: new Date(Date.now() - 1) } };
    await service.context.db.collection('reservations').updateOne({ _id: id as never }, expiry);
    expect(cellOf(await grid(venue.id), turf[0])).toMatchObject({ state: 'free', occupants: [] });
  });
});

describe('a booking that no longer fits the schedule', () => {
  test('is listed beside the grid on its date, and blocks the overlapping slots of the new schedule', async () => {
    const { venue, seller, turf } = await anyScene();
    const [resourceId = ''] = venue.resourceIds;
    const booking = await bookSlot(seller, String(turf[1]?.['slot_id']));
    expect((await grid(venue.id)).offSchedule).toEqual([]);
    const path = `/api/v1/operator/resources/${resourceId}`;
    const hours = { operating_hours_start: '06:30', duration_minutes: 90 };
    expectStatus(await operator().patch(path, hours), 200);
    const day = await grid(venue.id);
    expect(day.offSchedule).toMatchObject([
      { bookingId: booking['booking_id'], kind: 'booked', resource: { name: 'Turf' } },
    ]);
    const column = day.columns.find(({ resource }) => resource._id === resourceId);
    expect(column?.cells.map(({ state }) => state)).toEqual(['booked', 'free', 'free']);
    expect((await grid(venue.id, dateAfter(DATE, 1))).offSchedule).toEqual([]);
    expect((await grid(venue.id, dateAfter(DATE, -1))).offSchedule).toEqual([]);
  });

  test('is also listed on a closed day', async () => {
    const { venue, seller, turf } = await anyScene();
    await bookSlot(seller, String(turf[0]?.['slot_id']));
    for (const { resource } of (await grid(venue.id)).columns) {
      const closed = { weekly: {}, exceptions: [{ date: DATE, hours: [] }] };
      const path = `/api/v1/operator/resources/${resource._id}/schedule`;
      expectStatus(await operator().put(path, closed), 200);
    }
    const day = await grid(venue.id);
    expect([cellsOf(day), day.offSchedule.length]).toEqual([[], 1]);
  });
});
