import { randomUUID } from 'node:crypto';
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { dateAfter } from '../availability/wall-clock.ts';
import { confirm, release, hold as sendHold } from '../conformance/steps.ts';
import type { Json, Venue } from '../support/factories.ts';
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
import { readPages } from '../support/paging.ts';
import { changeRow, rowOf } from '../support/rows.ts';
import { sharedService } from '../support/service-host.ts';
import { outcomeOf, verdict } from '../support/verdict.ts';

/** Slots at 06:00, 07:00, 08:00 and 09:00 UTC. */
const MORNING = { operating_hours_start: '06:00', operating_hours_end: '10:00' };

const service = sharedService();
const operator = operatorOf(service);
afterAll(() => service.stop());

const morningVenue = () => {
  const resources = ['North', 'South', 'Court'].map((name) => ({ ...MORNING, name }));
  return anyVenue(service, resources, { time_zone: 'UTC' });
};

/**
 * A venue with a north half, a south half, a full turf that shares space with both, and a court that shares nothing.
 */
const venue = await morningVenue();
const [north = '', south = '', court = ''] = venue.resourceIds;
const full = await anyResource(service, venue.id, { ...MORNING, name: 'Full', shares_space_with: [north, south] });
const elsewhere = await morningVenue();
const [seller, rival] = [await anyPartner(service, [venue.id]), await anyPartner(service, [venue.id])];
/** Each test uses its own date. */
let day = 4;
let date: string;
beforeEach(() => {
  date = dateIn((day += 1));
});

const time = (hour: string, onDate = date) => `${onDate}T${hour}.000Z`;
const at = (resourceId: string, hour: string) => `${resourceId}_${date.replaceAll('-', '')}T${hour}Z`;
const pathOf = ({ id }: Venue) => `/api/v1/operator/venues/${id}/blackouts`;
/** Posts a blackout of the 07:00 slots, unless `body` changes it. */
const post = (body: Json = {}, where = venue) =>
  operator.post(pathOf(where), {
    starts_at: time('07:00:00'),
    ends_at: time('08:00:00'),
    reason: 'Repairs',
    ...body,
  });
const blackOut = async (body: Json = {}, where = venue) => expectStatus(await post(body, where), 201);
const one = (blackout: Json) => `/api/v1/operator/blackouts/${String(blackout['blackout_id'])}`;
const read = async (blackout: Json) => (await operator.get(one(blackout))).body;
const lift = async (blackout: Json) => verdict(await operator.delete(one(blackout)));

/** The unavailable slots of a resource, such as `0700 blackout`. */
async function closed(resourceId: string): Promise<string[]> {
  return (await slotsOf(seller, venue.id, date))
    .filter((slot) => slot['resource_id'] === resourceId && slot['is_available'] === false)
    .map((slot) => `${String(slot['slot_id']).slice(-5, -1)} ${String(slot['unavailable_reason'])}`);
}

describe('a blackout', () => {
  test('is returned and listed as created, until it is lifted', async () => {
    const otherVenue = await morningVenue();
    const body = { starts_at: time('07:00:00'), ends_at: time('08:00:00'), reason: 'Repairs' };
    const created = await blackOut({ ...body, resource_ids: [otherVenue.resourceIds[0]] }, otherVenue);
    const common = { blackout_id: expect.any(String), venue_id: otherVenue.id, created_at: expect.any(String) };
    const noConflicts = { conflict_count: 0, conflicts: [] };
    expect(created).toEqual({ ...common, ...body, ...noConflicts, resource_ids: [otherVenue.resourceIds[0]] });
    const all = await blackOut({ starts_at: time('06:00:00') }, otherVenue);
    expect(all).toMatchObject({ resource_ids: null });
    const listed = async () => {
      const { data, ...page } = expectStatus(await operator.get(pathOf(otherVenue)), 200);
      return [page['next_cursor'], ...(data as Json[]).map((each) => ({ ...each, ...noConflicts }))];
    };
    expect(await listed()).toEqual([null, all, created]);
    expect(await read(created)).toEqual(created);
    expect([await lift(created), await lift(created)]).toEqual(['204', '404 BLACKOUT_NOT_FOUND']);
    expect(verdict(await operator.get(one(created)))).toBe('404 BLACKOUT_NOT_FOUND');
    expect(await listed()).toEqual([null, all]);
  });

  test('is on exactly one page of the list, even if other blackouts are added and lifted between pages', async () => {
    const otherVenue = await morningVenue();
    const created: Json[] = [];
    for (let index = 0; index < 5; index += 1)
      created.push(await blackOut(index > 2 ? { starts_at: time('06:00:00') } : {}, otherVenue));
    const idsOf = (rows: Json[]) => rows.map((each) => String(each['blackout_id']));
    const pages = await readPages<string>(async (after) => {
      const query = after === null ? '' : `&cursor=${after}`;
      const page = expectStatus(await operator.get(`${pathOf(otherVenue)}?limit=2${query}`), 200);
      await lift(await blackOut({ starts_at: time('06:30:00') }, otherVenue));
      return { ids: idsOf(page['data'] as Json[]), next: page['next_cursor'] as string | null };
    });
    expect(pages.map((page) => page.length)).toEqual([2, 2, 1]);
    expect(pages.flat()).toEqual(idsOf([...created.slice(3), ...created.slice(0, 3)]));
  });

  test('rejects walk-ins and sandbox walk-ins that override holds', async () => {
    await blackOut();
    const slotId = at(court, '0700');
    const body = { override_holds: true };
    const replies = [
      await operator.post('/api/v1/operator/walk-ins', { slot_id: slotId, ...body }),
      await seller.api.post(`/api/v1/sandbox/slots/${slotId}/walk-in`, body),
    ];
    expect(replies.map(outcomeOf)).toEqual(['409 blackout', '409 blackout']);
  });
});

describe('a claim in a blackout', () => {
  const reservations = () => service.context.db.collection<{ _id: string }>('reservations');

  test('is reported by booking or hold and partner until it ends; claims outside are not', async () => {
    const booking = await bookSlot(rival, at(court, '0700'));
    const hold = await placeHold(seller, at(north, '0700'));
    const expired = await placeHold(rival, at(south, '0700'));
    await changeRow(service, 'reservations', expired['hold_id'], [{ $set: { holdExpiresAt: '$$NOW' } }]);
    for (const hour of ['0600', '0800']) await placeHold(seller, at(court, hour));
    const slot = { slot_start: time('07:00:00') };
    const ids = { partner_id: rival.id, booking_id: booking['booking_id'] };
    const expected = [
      { ...slot, ...ids, slot_id: at(court, '0700') },
      { ...slot, hold_id: hold['hold_id'], partner_id: seller.id, slot_id: at(north, '0700') },
    ];
    const created = await blackOut();
    expect(created).toMatchObject({ conflict_count: 2, conflicts: expected });
    expect(await read(created)).toEqual(created);
    // The full turf shares space with the halves, not with the court.
    expect(await blackOut({ resource_ids: [full] })).toMatchObject({ conflicts: expected.slice(1) });
    await release(seller, hold['hold_id']);
    expect(await read(created)).toMatchObject({ conflict_count: 1, conflicts: expected.slice(0, 1) });
  });

  test('is listed if it is among the earliest 1,000; later claims are only counted', async () => {
    const booking = await bookSlot(seller, at(court, '0600'));
    const row = await rowOf(service, 'reservations', { bookingId: booking['booking_id'] });
    const more = Array.from({ length: 1000 }, (_, index) => {
      const slotStart = new Date(Date.parse(time('07:00:00')) + index);
      const otherVenue = { _id: randomUUID(), bookingId: randomUUID(), confirmKey: randomUUID() };
      return { ...row, ...otherVenue, slotStart, slotEnd: new Date(slotStart.getTime() + 1), cells: [otherVenue._id] };
    });
    await reservations().insertMany(more);
    const created = await blackOut({ starts_at: time('06:00:00') });
    const conflicts = created['conflicts'] as Json[];
    expect([created['conflict_count'], conflicts.length]).toEqual([1001, 1000]);
    expect(conflicts[0]).toMatchObject({ booking_id: booking['booking_id'] });
  });

  test('is no longer reported once its slot or the blackout is over', async () => {
    const otherVenue = await morningVenue();
    const partner = await anyPartner(service, [otherVenue.id]);
    const booking = await bookSlot(partner, at(otherVenue.resourceIds[0] ?? '', '0700'));
    const row = await rowOf(service, 'reservations', { bookingId: booking['booking_id'] });
    const ids = { _id: randomUUID(), bookingId: randomUUID(), confirmKey: randomUUID() };
    const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000);
    const ended = { slotStart: minutesAgo(90), slotEnd: minutesAgo(30), cells: [ids._id] };
    await reservations().insertOne({ ...row, ...ids, ...ended });
    const created = await blackOut({ starts_at: minutesAgo(120).toISOString() }, otherVenue);
    expect(created).toMatchObject({ conflict_count: 1, conflicts: [{ booking_id: booking['booking_id'] }] });
    await changeRow(service, 'blackouts', created['blackout_id'], { $set: { endsAt: minutesAgo(20) } });
    expect(await read(created)).toMatchObject({ conflict_count: 0, conflicts: [] });
  });

  test('is not ended: the hold can be confirmed, and only other callers see the blackout', async () => {
    const { hold_id: holdId } = await placeHold(seller, at(court, '0700'));
    await blackOut();
    expect(verdict(await confirm(seller, holdId))).toBe('201');
    expect(await closed(court)).toEqual(['0700 blackout']);
    expect(outcomeOf(await sendHold(rival, at(court, '0700')))).toBe('409 blackout');
  });
});

describe('a blackout is rejected', () => {
  test.each<[string, () => Json, string]>([
    ['that ends when it starts', () => ({ ends_at: time('07:00:00') }), 'ends_at'],
    ['that has ended', () => ({ starts_at: '2024-01-01T00:00:00Z', ends_at: '2024-01-02T00:00:00Z' }), 'ends_at'],
    ['of more than 366 days', () => ({ ends_at: time('07:00:01', dateAfter(date, 366)) }), 'ends_at'],
    [
      'without times and reason',
      () => ({ starts_at: undefined, ends_at: undefined, reason: undefined }),
      'ends_at, reason, starts_at',
    ],
    ['for no resource', () => ({ resource_ids: [] }), 'resource_ids'],
    ['for a missing resource', () => ({ resource_ids: [court, 'nowhere'] }), 'resource_ids'],
    ['for a resource of another venue', () => ({ resource_ids: [court, elsewhere.resourceIds[0]] }), 'resource_ids'],
  ])('%s', async (_name, body, paths) => {
    expect(verdict(await post(body()))).toBe(`400 VALIDATION_ERROR ${paths}`);
    expect(await closed(court)).toEqual([]);
  });

  test('at a venue with 1,000 blackouts that have not ended', async () => {
    const otherVenue = await morningVenue();
    const common = { venueId: otherVenue.id, resourceIds: null, reason: 'r', createdAt: new Date() };
    const rows = Array.from({ length: 1000 }, (_, index) => ({
      ...common,
      _id: randomUUID(),
      startsAt: new Date(time('07:00:00')),
      endsAt: index === 0 ? new Date(Date.now() - 1) : new Date(time('08:00:00')),
    }));
    await service.context.db.collection<{ _id: string }>('blackouts').insertMany(rows);
    expect(verdict(await post({}, otherVenue))).toBe('201');
    expect(verdict(await post({}, otherVenue))).toBe('400 VALIDATION_ERROR venue_id');
  });
});

test('a blackout may last 366 days, and may begin in the past', async () => {
  const longBlackout = { starts_at: time('07:00:00', dateIn(-2)), ends_at: time('07:00:00', dateIn(364)) };
  expect(verdict(await post(longBlackout, elsewhere))).toBe('201');
});
