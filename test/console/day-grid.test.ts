import { afterAll, describe, expect, test } from '@jest/globals';
import type * as Grid from '../../src/booking/availability/day-grid.service.ts';
import { dateAfter } from '../availability/wall-clock.ts';
import {
  anyPartner,
  anyResource,
  anyVenue,
  bookSlot,
  dateIn,
  expectStatus,
  freeSlotIds,
  type Json,
  operatorOf,
  type Partner,
  placeHold,
  slotsOf,
} from '../support/factories.ts';
import { hostedService } from '../support/service-host.ts';

const DATE = dateIn(3);
const MORNING = { operating_hours_start: '06:00', operating_hours_end: '12:00' };

const service = await hostedService({ overrides: { BOOKING_HORIZON_DAYS: '730' }, isAlone: true });
const { readDayGrid } = service.inHost<typeof Grid>('src/booking/availability/day-grid.service.ts');
type DayGrid = Awaited<ReturnType<typeof readDayGrid>>;
type GridCell = DayGrid['columns'][number]['cells'][number];
afterAll(() => service.stop());

const operator = operatorOf(service);
const grid = (venueId: string, date = DATE) => readDayGrid(venueId, date);
const cellsOf = (day: DayGrid): GridCell[] => day.columns.flatMap(({ cells }) => cells);
const freeIds = (day: DayGrid) => cellsOf(day).flatMap(({ state, slotId }) => (state === 'free' ? [slotId] : []));

type Slot = { slot_id: string; slot_start: string; slot_end: string };

const cellOf = (day: DayGrid, slot: Slot) => cellsOf(day).find(({ slotId }) => slotId === slot.slot_id) as GridCell;

// A turf, and a full ground with two-hour slots that shares space with a half with one-hour slots.
const venue = await anyVenue(service, [{ name: 'Turf', ...MORNING }]);
const northId = await anyResource(service, venue.id, { name: 'North', ...MORNING });
const fullFields = { name: 'Full', duration_minutes: 120, shares_space_with: [northId], ...MORNING };
const fullId = await anyResource(service, venue.id, fullFields);
const seller = await anyPartner(service, [venue.id]);
const slots = await slotsOf(seller, venue.id, DATE);
const slotAt = (resourceId: string | undefined, index: number) =>
  slots.filter((slot) => slot['resource_id'] === resourceId)[index] as Slot;
const turf = (index: number) => slotAt(venue.resourceIds[0], index);
const north = (index: number) => slotAt(northId, index);
const full = (index: number) => slotAt(fullId, index);

const { hold_id: expiredId } = await placeHold(seller, turf(5).slot_id);
const expiry = { $set: { holdExpiresAt: new Date(Date.now() - 1) } };
await service.context.db.collection('reservations').updateOne({ _id: expiredId as never }, expiry);
const booking = await bookSlot(seller, turf(0).slot_id);
const hold = await placeHold(seller, turf(1).slot_id);
const walkIn = { slot_id: turf(2).slot_id, customer_name: 'Vikram' };
expectStatus(await operator.post('/api/v1/operator/walk-ins', walkIn), 201);
await bookSlot(seller, turf(4).slot_id);
const blackout = {
  starts_at: turf(3).slot_start,
  ends_at: turf(4).slot_end,
  reason: 'Resurfacing',
  resource_ids: venue.resourceIds,
};
expectStatus(await operator.post(`/api/v1/operator/venues/${venue.id}/blackouts`, blackout), 201);
await bookSlot(seller, full(0).slot_id);
await placeHold(seller, north(3).slot_id);

describe('a slot is free on the grid if and only if availability says so', () => {
  /** The slots on which the grid and the listing disagree, or that only one of them has. */
  const disagreements = (listed: Json[], day: DayGrid): unknown[] => {
    const onGrid = new Map(cellsOf(day).map(({ slotId, state }) => [slotId as unknown, state === 'free']));
    const differing = listed.filter((slot) => onGrid.get(slot['slot_id']) !== slot['is_available']);
    const ids = new Set(listed.map((slot) => slot['slot_id']));
    return [...differing.map((slot) => slot['slot_id']), ...[...onGrid.keys()].filter((id) => !ids.has(id))];
  };
  const expectAgreement = async (venueId: string, caller: Partner, date: string) => {
    const listed = await slotsOf(caller, venueId, date);
    const day = await grid(venueId, date);
    expect(disagreements(listed, day)).toEqual([]);
    return { listed, day };
  };

  test('on a day with claims, shared space and a blackout', async () => {
    const { listed, day } = await expectAgreement(venue.id, seller, DATE);
    expect(freeIds(day).length).toBeGreaterThan(0);
    expect(freeIds(day).length).toBeLessThan(listed.length);
    const priced = cellsOf(day).map(({ pricePaise }) => pricePaise / 100);
    expect(priced).toEqual(listed.map((slot) => slot['price_rupees']));
  });

  test('today, when some of it is past, yesterday, and beyond the horizon', async () => {
    const allDay = { operating_hours_start: '00:00', operating_hours_end: '00:00', duration_minutes: 30 };
    const open = await anyVenue(service, [allDay], { time_zone: 'UTC' });
    const caller = await anyPartner(service, [open.id]);
    for (const date of [dateIn(-1), dateIn(0), dateIn(1), dateIn(730), dateIn(732)]) {
      await expectAgreement(open.id, caller, date);
    }
    const states = async (date: string) => new Set(cellsOf(await grid(open.id, date)).map(({ state }) => state));
    expect([await states(dateIn(-1)), await states(dateIn(732))]).toEqual([
      new Set(['past']),
      new Set(['beyond_horizon']),
    ]);
  });

  test('at an inactive venue', async () => {
    const inactive = await anyVenue(service, [MORNING], { status: 'inactive' });
    const { day } = await expectAgreement(inactive.id, await anyPartner(service, [inactive.id]), DATE);
    expect(cellsOf(day).map(({ state }) => state)).toEqual(Array.from({ length: 6 }, () => 'inactive'));
  });

  test('for hours past midnight', async () => {
    const late = await anyVenue(service, [{ operating_hours_start: '18:00', operating_hours_end: '02:00' }]);
    const caller = await anyPartner(service, [late.id]);
    const last = (await slotsOf(caller, late.id, DATE)).at(-1) as Slot;
    await placeHold(caller, last.slot_id);
    const { day: evening } = await expectAgreement(late.id, caller, DATE);
    expect(cellOf(evening, last).state).toBe('held');
    const { day: next } = await expectAgreement(late.id, caller, dateAfter(DATE, 1));
    expect([freeIds(next), next.offSchedule]).toEqual([cellsOf(next).map(({ slotId }) => slotId), []]);
  });
});

describe('a cell shows its claim', () => {
  test('a booking, a hold with its remaining time, a walk-in; nothing once a hold has expired', async () => {
    const day = await grid(venue.id);
    expect(cellOf(day, turf(0))).toMatchObject({
      state: 'booked',
      occupants: [{ bookingId: booking['booking_id'], partnerId: seller.id, customerName: 'Asha Rao' }],
      takesWalkIn: false,
      blackouts: [],
    });
    const held = cellOf(day, turf(1));
    expect(held).toMatchObject({ state: 'held', occupants: [{ holdId: hold['hold_id'] }], takesWalkIn: true });
    const [left = 0] = held.occupants.map(({ secondsLeft }) => secondsLeft ?? 0);
    expect(left).toBeGreaterThan(500);
    expect(left).toBeLessThanOrEqual(600);
    expect(cellOf(day, turf(2))).toMatchObject({
      state: 'walk-in',
      occupants: [{ customerName: 'Vikram', secondsLeft: null }],
    });
    expect(cellOf(day, turf(5))).toMatchObject({ state: 'free', occupants: [], takesWalkIn: true, blackouts: [] });
  });

  test('a blackout with its reason, and an earlier booking as booked', async () => {
    const day = await grid(venue.id);
    const reasons = { blackouts: [{ reason: 'Resurfacing' }], takesWalkIn: false };
    expect(cellOf(day, turf(3))).toMatchObject({ state: 'blackout', ...reasons });
    expect(cellOf(day, turf(4))).toMatchObject({ state: 'booked', ...reasons });
  });

  test('a claim on shared space, in exactly the slots of other resources that it overlaps', async () => {
    const day = await grid(venue.id);
    const shared = [north(0), north(1), full(1)].map((slot) => cellOf(day, slot));
    expect(shared.map(({ state, occupants, takesWalkIn }) => [state, occupants[0]?.slotId, takesWalkIn])).toEqual([
      ['shared', full(0).slot_id, false],
      ['shared', full(0).slot_id, false],
      ['shared', north(3).slot_id, true],
    ]);
    expect([cellOf(day, north(2)).state, cellOf(day, full(2)).state]).toEqual(['free', 'free']);
    const names = day.columns.map(({ resource, sharesWith }) => [resource.name, sharesWith.map(({ name }) => name)]);
    expect(Object.fromEntries(names)).toEqual({ Turf: [], North: ['Full'], Full: ['North'] });
  });
});

test('a booking that no longer fits the schedule is listed on its date, and blocks overlapping slots', async () => {
  const { id, resourceIds } = await anyVenue(service, [MORNING]);
  const [resourceId = ''] = resourceIds;
  const caller = await anyPartner(service, [id]);
  const [, slotId = ''] = await freeSlotIds(caller, id, DATE);
  const booked = await bookSlot(caller, slotId);
  expect((await grid(id)).offSchedule).toEqual([]);
  const path = `/api/v1/operator/resources/${resourceId}`;
  expectStatus(await operator.patch(path, { operating_hours_start: '06:30', duration_minutes: 90 }), 200);
  const day = await grid(id);
  expect(day.offSchedule).toMatchObject([
    { bookingId: booked['booking_id'], kind: 'booked', resource: { _id: resourceId } },
  ]);
  expect(cellsOf(day).map(({ state }) => state)).toEqual(['booked', 'free', 'free']);
  for (const days of [-1, 1]) expect((await grid(id, dateAfter(DATE, days))).offSchedule).toEqual([]);
  const closed = { weekly: {}, exceptions: [{ date: DATE, hours: [] }] };
  expectStatus(await operator.put(`${path}/schedule`, closed), 200);
  const closedDay = await grid(id);
  expect([cellsOf(closedDay), closedDay.offSchedule.length]).toEqual([[], 1]);
});
