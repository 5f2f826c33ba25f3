import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { dateAfter } from '../availability/wall-clock.ts';
import type { Json, Partner } from '../support/factories.ts';
import {
  anyPartner,
  anyResource,
  anyVenue,
  bookSlot,
  confirmBody,
  dateIn,
  expectStatus,
  operatorOf,
  placeHold,
  slotsOf,
} from '../support/factories.ts';
import { rowOf } from '../support/rows.ts';
import type { SharedService } from '../support/service-host.ts';
import { sharedService } from '../support/service-host.ts';
import { errorOf, verdict } from '../support/verdict.ts';

const HOLDS = '/api/v1/partner/holds';
const DATE = dateIn(5);
/** Slots at 06:00, 07:00, 08:00 and 09:00 UTC. */
const MORNING = { operating_hours_start: '06:00', operating_hours_end: '10:00' };
const time = (hour: string, date = DATE) => `${date}T${hour}.000Z`;

let service: SharedService;
beforeAll(async () => {
  service = sharedService();
});
afterAll(() => service.stop());

/** A venue with a north and a south half, a full turf over both, and a court that shares nothing. */
async function ground() {
  const named = ['North', 'South', 'Court'].map((name) => ({ ...MORNING, name }));
  const venue = await anyVenue(service, named, { time_zone: 'UTC' });
  const [north = '', south = '', court = ''] = venue.resourceIds;
  const full = await anyResource(service, venue.id, {
    ...MORNING,
    name: 'Full',
    shares_space_with: [north, south],
  });
  const [seller, rival] = [await anyPartner(service, [venue.id]), await anyPartner(service, [venue.id])];
  return { venueId: venue.id, north, south, court, full, seller, rival };
}
type Ground = Awaited<ReturnType<typeof ground>>;

const at = (resourceId: string, hour: string) => `${resourceId}_${DATE.replaceAll('-', '')}T${hour}Z`;
const post = ({ venueId }: { venueId: string }, body: Json) =>
  operatorOf(service).post(`/api/v1/operator/venues/${venueId}/blackouts`, {
    starts_at: time('07:00:00'),
    ends_at: time('08:00:00'),
    reason: 'Repairs',
    ...body,
  });
const blackOut = async (place: { venueId: string }, body: Json = {}) =>
  expectStatus(await post(place, body), 201);
const listOf = ({ venueId }: { venueId: string }) => `/api/v1/operator/venues/${venueId}/blackouts`;
const inList = (blackout: Json) =>
  Object.fromEntries(Object.entries(blackout).filter(([name]) => !name.startsWith('conflict')));
const read = (blackout: Json) =>
  operatorOf(service).get(`/api/v1/operator/blackouts/${String(blackout['blackout_id'])}`);
const lift = (blackout: Json) =>
  operatorOf(service).delete(`/api/v1/operator/blackouts/${String(blackout['blackout_id'])}`);

/** The slots that are not available, `0700 blackout`. */
async function closed({ seller, venueId }: Ground, resourceId: string): Promise<string[]> {
  return (await slotsOf(seller, venueId, DATE))
    .filter((slot) => slot['resource_id'] === resourceId && slot['is_available'] === false)
    .map((slot) => `${String(slot['slot_id']).slice(-5, -1)} ${String(slot['unavailable_reason'])}`);
}

/** What a hold answers: `201`, or the reason of the conflict. */
async function answer(by: Partner, slotId: string): Promise<string> {
  const reply = await by.api.post(HOLDS, { slot_id: slotId });
  return reply.status === 409 ? String(errorOf(reply).conflict?.['reason']) : verdict(reply);
}

describe('a blackout', () => {
  test('is answered and listed as it was made, until it ends or is lifted', async () => {
    const place = await ground();
    const given = {
      starts_at: time('07:00:00'),
      ends_at: time('08:00:00'),
      resource_ids: [place.north],
      reason: 'Repairs',
    };
    const made = await blackOut(place, given);
    const common = {
      blackout_id: expect.any(String),
      venue_id: place.venueId,
      created_at: expect.any(String),
    };
    expect(made).toEqual({ ...common, ...given, conflict_count: 0, conflicts: [] });
    const all = await blackOut(place, { starts_at: time('06:00:00') });
    expect(all).toMatchObject({ resource_ids: null });
    const listed = async () => (await operatorOf(service).get(listOf(place))).body;
    const page = { success: true, next_cursor: null };
    expect(await listed()).toEqual({ ...page, count: 2, data: [inList(all), inList(made)] });
    expect((await read(made)).body).toEqual(made);
    expect([verdict(await lift(made)), verdict(await lift(made))]).toEqual(['204', '404 BLACKOUT_NOT_FOUND']);
    expect(verdict(await read(made))).toBe('404 BLACKOUT_NOT_FOUND');
    expect(await listed()).toEqual({ ...page, count: 1, data: [inList(all)] });
  });

  test('is in a page of the list once, those that begin together too, whatever is added and lifted meanwhile', async () => {
    const place = await ground();
    const made: Json[] = [];
    for (let index = 0; index < 7; index += 1)
      made.push(await blackOut(place, index > 4 ? { starts_at: time('06:00:00') } : {}));
    const ids = (of: Json[]) => of.map((each) => String(each['blackout_id']));
    const pages: Json[][] = [];
    for (let cursor: string | null = null; ; ) {
      const query: string = cursor === null ? '' : `&cursor=${cursor}`;
      const page = expectStatus(await operatorOf(service).get(`${listOf(place)}?limit=3${query}`), 200);
      pages.push(page['data'] as Json[]);
      cursor = page['next_cursor'] as string | null;
      if (cursor === null) break;
      await lift(await blackOut(place, { starts_at: time('06:30:00') }));
    }
    expect(pages.map((page) => page.length)).toEqual([3, 3, 1]);
    expect(ids(pages.flat())).toEqual(ids([...made.slice(5), ...made.slice(0, 5)]));
  });

  test('closes every slot that it overlaps, by a minute or whole, of all resources or those named', async () => {
    const place = await ground();
    await blackOut(place, {
      starts_at: time('06:59:00'),
      ends_at: time('08:00:00'),
      resource_ids: [place.court],
    });
    expect(await closed(place, place.court)).toEqual(['0600 blackout', '0700 blackout']);
    expect(await closed(place, place.north)).toEqual([]);
    await blackOut(place, { starts_at: time('09:00:00'), ends_at: time('09:00:01') });
    for (const id of [place.north, place.south, place.full])
      expect(await closed(place, id)).toEqual(['0900 blackout']);
    expect(await closed(place, place.court)).toEqual(['0600 blackout', '0700 blackout', '0900 blackout']);
  });

  test('is what holds by id and by window, walk-ins and the sandbox are refused for, and no alternative lies in it', async () => {
    const place = await ground();
    await blackOut(place);
    const slotId = at(place.court, '0700');
    const window = { venue_id: place.venueId, resource_id: place.court, slot_start: time('07:00:00') };
    const replies = [
      await place.seller.api.post(HOLDS, { slot_id: slotId }),
      await place.seller.api.post(HOLDS, window),
      await operatorOf(service).post('/api/v1/operator/walk-ins', { slot_id: slotId, override_holds: true }),
      await place.seller.api.post(`/api/v1/sandbox/slots/${slotId}/walk-in`, { override_holds: true }),
    ];
    expect(replies.map(verdict)).toEqual(Array.from({ length: 4 }, () => '409 SLOT_NOT_AVAILABLE'));
    expect(replies.map((reply) => errorOf(reply).conflict?.['reason'])).toEqual(
      Array.from({ length: 4 }, () => 'blackout'),
    );
    const [first] = replies;
    const { alternatives } = (first && errorOf(first).conflict) as { alternatives: Json[] };
    expect(alternatives).toHaveLength(3);
    for (const slot of alternatives) expect(slot['slot_start']).not.toBe(time('07:00:00'));
  });

  test('goes for resources that are added later, unless it names some', async () => {
    const place = await ground();
    await blackOut(place);
    const later = await anyResource(service, place.venueId, { ...MORNING, name: 'Later' });
    expect(await closed(place, later)).toEqual(['0700 blackout']);
  });

  test('that is lifted frees the slots, unless another closes them', async () => {
    const place = await ground();
    const [one, two] = [await blackOut(place), await blackOut(place, { ends_at: time('07:30:00') })];
    await lift(one);
    expect(await answer(place.seller, at(place.court, '0700'))).toBe('blackout');
    await lift(two);
    expect(await closed(place, place.court)).toEqual([]);
    expect(await answer(place.seller, at(place.court, '0700'))).toBe('201');
  });
});

describe('what stands in a blackout', () => {
  test('is reported also on resources with which those that it names share space', async () => {
    const place = await ground();
    await bookSlot(place.seller, at(place.north, '0700'));
    await bookSlot(place.seller, at(place.court, '0700'));
    const { conflicts } = await blackOut(place, { resource_ids: [place.full] });
    expect((conflicts as Json[]).map((each) => each['slot_id'])).toEqual([at(place.north, '0700')]);
  });

  test('is reported, by booking or by hold, with whose it is; nothing else is', async () => {
    const place = await ground();
    const booking = await bookSlot(place.rival, at(place.court, '0700'));
    const hold = await placeHold(place.seller, at(place.north, '0700'));
    await placeHold(place.seller, at(place.court, '0600'));
    await placeHold(place.seller, at(place.court, '0800'));
    const released = await placeHold(place.rival, at(place.south, '0700'));
    await place.rival.api.post(`${HOLDS}/${String(released['hold_id'])}/cancel`);
    const slot = { slot_start: time('07:00:00') };
    const wanted = [
      {
        ...slot,
        booking_id: booking['booking_id'],
        partner_id: place.rival.id,
        slot_id: at(place.court, '0700'),
      },
      { ...slot, hold_id: hold['hold_id'], partner_id: place.seller.id, slot_id: at(place.north, '0700') },
    ];
    const made = await blackOut(place);
    expect(made).toMatchObject({ conflict_count: 2, conflicts: wanted });
    expect((await read(made)).body).toEqual(made);
    await place.seller.api.post(`${HOLDS}/${String(hold['hold_id'])}/cancel`);
    expect((await read(made)).body).toMatchObject({ conflict_count: 1, conflicts: wanted.slice(0, 1) });
  });

  test('is named up to 1,000 times in a response, the earliest first, and counted beyond', async () => {
    const place = await ground();
    const booking = await bookSlot(place.seller, at(place.court, '0600'));
    const row = await rowOf(service, 'reservations', {
      bookingId: booking['booking_id'],
    });
    const more = Array.from({ length: 1000 }, (_, index) => {
      const slotStart = new Date(Date.parse(time('07:00:00')) + index);
      const own = { _id: randomUUID(), bookingId: randomUUID(), confirmKey: randomUUID() };
      return { ...row, ...own, slotStart, slotEnd: new Date(slotStart.getTime() + 1), cells: [own._id] };
    });
    await service.context.db.collection('reservations').insertMany(more as never);
    const made = await blackOut(place, { starts_at: time('06:00:00') });
    const conflicts = made['conflicts'] as Json[];
    expect([made['conflict_count'], conflicts.length]).toEqual([1001, 1000]);
    expect(conflicts[0]).toMatchObject({ booking_id: booking['booking_id'] });
    expect((await read(made)).body).toEqual(made);
  });

  test('no more when it is over', async () => {
    const place = await ground();
    const booking = await bookSlot(place.seller, at(place.court, '0700'));
    const row = await rowOf(service, 'reservations', { bookingId: booking['booking_id'] });
    const own = { _id: randomUUID(), bookingId: randomUUID(), confirmKey: randomUUID() };
    const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000);
    const over = { ...row, ...own, slotStart: minutesAgo(90), slotEnd: minutesAgo(30), cells: [own._id] };
    await service.context.db.collection('reservations').insertOne(over as never);
    const made = await blackOut(place, { starts_at: minutesAgo(120).toISOString() });
    expect(made).toMatchObject({ conflict_count: 1, conflicts: [{ booking_id: booking['booking_id'] }] });
    expect((await read(made)).body).toEqual(made);
    await service.context.db
      .collection('blackouts')
      .updateOne({ _id: made['blackout_id'] as never }, { $set: { endsAt: minutesAgo(20) } });
    expect((await read(made)).body).toMatchObject({ conflict_count: 0, conflicts: [] });
  });

  test('no more when the hold has lapsed, settled or not', async () => {
    const place = await ground();
    const hold = await placeHold(place.seller, at(place.court, '0700'));
    await service.context.db
      .collection('reservations')
      .updateOne({ _id: hold['hold_id'] as never }, { $set: { holdExpiresAt: new Date(Date.now() - 1) } });
    expect((await blackOut(place))['conflicts']).toEqual([]);
  });

  test('is left alone: a hold is confirmed and a booking kept, and the slot then says blackout to others', async () => {
    const place = await ground();
    const hold = await placeHold(place.seller, at(place.court, '0700'));
    await blackOut(place);
    const booking = expectStatus(
      await place.seller.api.post('/api/v1/bookings/confirm', confirmBody(hold['hold_id'])),
      201,
    );
    const path = `/api/v1/bookings/${String(booking['booking_id'])}`;
    expect(expectStatus(await place.seller.api.get(path), 200)).toMatchObject({ status: 'BOOKED' });
    expect(await closed(place, place.court)).toEqual(['0700 blackout']);
    expect(await answer(place.rival, at(place.court, '0700'))).toBe('blackout');
  });
});

describe('a blackout is refused', () => {
  test.each<[string, Json, string]>([
    ['that ends before it starts', { ends_at: time('06:00:00') }, 'ends_at'],
    ['that ends when it starts', { ends_at: time('07:00:00') }, 'ends_at'],
    ['that is over', { starts_at: '2024-01-01T00:00:00Z', ends_at: '2024-01-02T00:00:00Z' }, 'ends_at'],
    ['that lasts more than 366 days', { ends_at: time('07:00:01', dateAfter(DATE, 366)) }, 'ends_at'],
    [
      'without times and reason',
      { starts_at: undefined, ends_at: undefined, reason: undefined },
      'ends_at, reason, starts_at',
    ],
    ['for no resource', { resource_ids: [] }, 'resource_ids'],
    ['for a resource that does not exist', { resource_ids: ['nowhere'] }, 'resource_ids'],
  ])('%s', async (_name, body, paths) => {
    const place = await ground();
    expect(verdict(await post(place, body))).toBe(`400 VALIDATION_ERROR ${paths}`);
    expect(await closed(place, place.court)).toEqual([]);
  });

  test('for a resource of another venue', async () => {
    const [place, other] = [await ground(), await ground()];
    expect(verdict(await post(place, { resource_ids: [place.court, other.court] }))).toBe(
      '400 VALIDATION_ERROR resource_ids',
    );
  });

  test('at a venue that has 1,000 which have not ended; past ones do not count', async () => {
    const place = await ground();
    const common = { venueId: place.venueId, resourceIds: null, reason: 'r', createdAt: new Date() };
    const rows = Array.from({ length: 1000 }, (_, index) => ({
      ...{ ...common, _id: randomUUID(), startsAt: new Date(time('07:00:00')) },
      endsAt: index === 0 ? new Date(Date.now() - 1) : new Date(time('08:00:00')),
    }));
    await service.context.db.collection('blackouts').insertMany(rows as never);
    expect(verdict(await post(place, {}))).toBe('201');
    const reply = await post(place, {});
    expect(verdict(reply)).toBe('400 VALIDATION_ERROR venue_id');
    expect(errorOf(reply).message).toContain('1000');
  });

  test('but 366 days are taken, and so is a start that has passed', async () => {
    const place = await ground();
    const end = time('07:00:00', dateAfter(DATE, 366));
    expect(verdict(await post(place, { ends_at: end }))).toBe('201');
    expect(verdict(await post(place, { starts_at: time('07:00:00', dateIn(-2)) }))).toBe('201');
  });
});
