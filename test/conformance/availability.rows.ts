import { expect } from 'expect';
import { bookSlot, dateIn, expectStatus, type Json, type Partner, placeHold } from '../support/factories.ts';
import type { Row } from './row.ts';
import {
  confirm,
  expectSameRefusal,
  expectVerdict,
  hold,
  INSTANT,
  inScene,
  NOWHERE,
  oneRequest,
  read,
  readBooking,
  slotNow,
} from './steps.ts';
import type { World } from './world.ts';

const PATH = '/api/v1/slots/availability';
const DAY = `GET ${PATH}`;
const RANGE = `GET ${PATH}/range`;
const SEARCH_PATH = '/api/v1/slots/search';
const FIND = `GET ${SEARCH_PATH}`;

const dayOf = (venueId: string, date = dateIn(3), rest = '') => `${PATH}?venue_id=${venueId}&date=${date}${rest}`;
const rangeOf = (venueId: string, from: string, to: string, rest = '') =>
  `${PATH}/range?venue_id=${venueId}&from=${from}&to=${to}${rest}`;
const slotsAt = async (partner: Partner, path: string) => (await read(partner, path))['slots'] as Json[];

/** Start and end of every slot of a date, in UTC: `21T00:30 to 21T01:30`. */
async function hoursOf(world: World, resource: Json, timeZone: string, date: string): Promise<string[]> {
  const scene = { resources: [resource], venue: { time_zone: timeZone } };
  const { venue, partner } = await world.scene(scene);
  const slots = await slotsAt(partner, dayOf(venue.id, date));
  return slots.map((slot) => ['slot_start', 'slot_end'].map((name) => String(slot[name]).slice(8, 16)).join(' to '));
}

const hours = (start: string, end: string, duration = 60): Json => ({
  operating_hours_start: start,
  operating_hours_end: end,
  duration_minutes: duration,
});

const DAYS: readonly Row[] = [
  {
    rules: ['availability/query'],
    title: 'venue_id and date are required, resource_id limits the slots to one resource',
    check: async (world) => {
      const { venue, partner } = await world.scene({ resources: [{}, {}] });
      const [, second = ''] = venue.resourceIds;
      const slots = await slotsAt(partner, dayOf(venue.id, dateIn(3), `&resource_id=${second}`));
      expect(new Set(slots.map((slot) => slot['resource_id']))).toEqual(new Set([second]));
      await expectVerdict(partner.api.get(PATH), '400 VALIDATION_ERROR date, venue_id');
      const malformed = `${PATH}?venue_id=7&date=2026-02-30`;
      await expectVerdict(partner.api.get(malformed), '400 VALIDATION_ERROR date, venue_id');
    },
  },
  {
    rules: ['availability/fields', 'responses/ids', 'responses/timestamps'],
    title: 'the body is {venue_id, date, slots}; a slot has the documented fields, and a slot_id of resource and start',
    check: async (world) => {
      const { venue, partner } = await world.scene({ venue: { time_zone: 'UTC' } });
      const date = dateIn(3);
      const body = await read(partner, dayOf(venue.id, date));
      expect(Object.keys(body)).toEqual(['venue_id', 'date', 'slots']);
      expect(body).toMatchObject({ venue_id: venue.id, date });
      const [first] = body['slots'] as Json[];
      expect(first).toEqual({
        slot_id: `${venue.resourceIds[0]}_${date.replaceAll('-', '')}T0600Z`,
        resource_id: venue.resourceIds[0],
        slot_start: `${date}T06:00:00.000Z`,
        slot_end: INSTANT,
        price_rupees: 1200,
        is_available: true,
      });
    },
  },
  {
    rules: ['availability/venue-not-authorized', 'authentication/venue-grants'],
    title: 'a venue that is not granted, or does not exist, is 403 VENUE_NOT_AUTHORIZED, in the same bytes',
    responses: [`${DAY} 403 VENUE_NOT_AUTHORIZED`, `${RANGE} 403 VENUE_NOT_AUTHORIZED`],
    check: async (world) => {
      const [{ partner }, foreign] = [await world.scene(), await world.scene()];
      const resource = `&resource_id=${foreign.venue.resourceIds[0]}`;
      const pathsOf = (id: string) => [dayOf(id), dayOf(id, dateIn(3), resource), rangeOf(id, dateIn(1), dateIn(2))];
      const paths = [foreign.venue.id, NOWHERE].flatMap(pathsOf);
      await expectSameRefusal(paths, '403 VENUE_NOT_AUTHORIZED', (path) => partner.api.get(path));
    },
  },
  {
    rules: ['availability/reserves-nothing'],
    title: 'a slot that was seen available can be lost to another partner before it is held',
    check: inScene(async ({ venue, partner, rival, slot }) => {
      const slotId = slot();
      expect(await slotNow(partner, venue, slotId)).toMatchObject({ is_available: true });
      await placeHold(rival, slotId);
      await expectVerdict(hold(partner, slotId), '409 SLOT_NOT_AVAILABLE');
    }),
  },
  ...['', '/range'].map((path) =>
    oneRequest({
      rules: ['availability/resource-not-found'],
      title: `a resource that the venue does not have, on ${PATH}${path}`,
      response: `GET ${PATH}${path} 404 RESOURCE_NOT_FOUND`,
      ask: ({ partner, venue }) => {
        const dates = path === '' ? `date=${dateIn(3)}` : `from=${dateIn(3)}&to=${dateIn(4)}`;
        return partner.api.get(`${PATH}${path}?venue_id=${venue.id}&${dates}&resource_id=nothing`);
      },
    }),
  ),
  {
    rules: ['responses/conditional-reads'],
    title: 'If-None-Match with the ETag of the last response is 304 until something changes',
    responses: [`${DAY} 200`, `${DAY} 304`, `${RANGE} 200`, `${RANGE} 304`],
    check: inScene(async ({ venue, partner, slot }) => {
      for (const path of [dayOf(venue.id), rangeOf(venue.id, dateIn(3), dateIn(4))]) {
        const headers = { 'if-none-match': (await partner.api.get(path)).headers.get('etag') ?? '' };
        expect(headers['if-none-match']).not.toBe('');
        const unchanged = await partner.api.get(path, headers);
        expect(unchanged).toMatchObject({ status: 304, text: '' });
        expect(unchanged.headers.get('etag')).toBe(headers['if-none-match']);
        await placeHold(partner, slot());
        const changed = await partner.api.get(path, headers);
        expect(changed).toMatchObject({ status: 200 });
        expect(changed.headers.get('etag')).not.toBe(headers['if-none-match']);
      }
    }),
  },
];

const SCHEDULE: readonly Row[] = [
  {
    rules: ['availability/operating-date', 'service/selling-flow'],
    title: "date is a date in the venue's zone, and a slot belongs to the date on which its operating day begins",
    check: async (world) => {
      expect(await hoursOf(world, hours('06:00', '08:00'), 'Asia/Kolkata', '2026-11-21')).toEqual([
        '21T00:30 to 21T01:30',
        '21T01:30 to 21T02:30',
      ]);
      expect(await hoursOf(world, hours('22:00', '02:00', 120), 'Asia/Kolkata', '2026-11-21')).toEqual([
        '21T16:30 to 21T18:30',
        '21T18:30 to 21T20:30',
      ]);
    },
  },
  {
    rules: ['availability/hours-past-midnight'],
    title: '18:00–02:00 ends the day after, and 00:00–00:00 is the whole day, as is 00:00–24:00',
    check: async (world) => {
      const late = await hoursOf(world, hours('18:00', '02:00'), 'UTC', '2026-11-21');
      expect([late.length, late.at(-1)]).toEqual([8, '22T01:00 to 22T02:00']);
      const all = await hoursOf(world, hours('00:00', '00:00'), 'UTC', '2026-11-21');
      expect([all.length, all[0], all.at(-1)]).toEqual([24, '21T00:00 to 21T01:00', '21T23:00 to 22T00:00']);
      expect(await hoursOf(world, hours('00:00', '24:00'), 'UTC', '2026-11-21')).toEqual(all);
    },
  },
  {
    rules: ['availability/slots-back-to-back'],
    title: 'slots run from opening, one after the other, and never past closing',
    check: async (world) => {
      expect(await hoursOf(world, hours('06:00', '08:00', 45), 'UTC', '2026-11-21')).toEqual([
        '21T06:00 to 21T06:45',
        '21T06:45 to 21T07:30',
      ]);
    },
  },
  {
    rules: ['availability/daylight-saving'],
    title: 'a slot keeps its real length when the clocks change; a slot as long as the opening hours fills them',
    check: async (world) => {
      const spring = await hoursOf(world, hours('00:00', '03:00'), 'Europe/London', '2027-03-28');
      expect(spring).toEqual(['28T00:00 to 28T01:00', '28T01:00 to 28T02:00']);
      const autumn = await hoursOf(world, hours('00:00', '03:00'), 'Europe/London', '2026-10-25');
      expect(autumn).toEqual([
        '24T23:00 to 25T00:00',
        '25T00:00 to 25T01:00',
        '25T01:00 to 25T02:00',
        '25T02:00 to 25T03:00',
      ]);
      const day = await hoursOf(world, hours('00:00', '00:00', 1440), 'Europe/London', '2027-03-28');
      expect(day).toEqual(['28T00:00 to 28T23:00']);
    },
  },
  {
    rules: ['availability/order'],
    title: 'slots are listed by resource_id, then slot_start',
    check: async (world) => {
      const { slots } = await world.scene({ resources: [{ name: 'B' }, { name: 'A' }] });
      const keys = slots.map((slot) => `${String(slot['resource_id'])} ${String(slot['slot_start'])}`);
      expect(keys).toEqual(keys.toSorted());
      expect(keys).toHaveLength(34);
    },
  },
  {
    rules: ['availability/unavailable-reason', 'availability/reserves-nothing'],
    title: 'a slot that is held, booked, past, beyond 90 days or at an inactive venue is listed with only that reason',
    check: inScene(async ({ venue, partner, rival, slot }, world) => {
      const [heldId, bookedId] = [slot(), slot()];
      await placeHold(rival, heldId);
      await bookSlot(rival, bookedId);
      const listed = await slotsAt(partner, dayOf(venue.id));
      expect(await slotsAt(rival, dayOf(venue.id))).toEqual(listed);
      const [heldSlot, bookedSlot, free] = listed;
      expect(heldSlot).toMatchObject({ is_available: false, unavailable_reason: 'held' });
      expect(bookedSlot).toMatchObject({ is_available: false, unavailable_reason: 'booked' });
      expect(JSON.stringify([heldSlot, bookedSlot])).not.toContain(rival.id);
      expect(free).not.toHaveProperty('unavailable_reason');
      const reasonOn = async (date: string) =>
        (await slotsAt(partner, dayOf(venue.id, date)))[0]?.['unavailable_reason'];
      expect([await reasonOn(dateIn(-2)), await reasonOn(dateIn(89)), await reasonOn(dateIn(92))]).toEqual([
        'past',
        undefined,
        'beyond_horizon',
      ]);
      await world.operator.patch(`/api/v1/operator/venues/${venue.id}`, { status: 'inactive' });
      expect(await reasonOn(dateIn(4))).toBe('inactive');
      await world.operator.patch(`/api/v1/operator/venues/${venue.id}`, { status: 'active' });
      expect(await reasonOn(dateIn(4))).toBeUndefined();
    }),
  },
  {
    rules: ['availability/price-fixed-by-hold'],
    title: 'hold and booking keep the price at the time of the hold',
    check: inScene(async ({ venue, partner, slot }, world) => {
      const placed = await placeHold(partner, slot());
      const path = `/api/v1/operator/resources/${venue.resourceIds[0]}`;
      expectStatus(await world.operator.patch(path, { price_rupees: 5000 }), 200);
      const booking = expectStatus(await confirm(partner, placed['hold_id']), 201);
      expect([placed['price_rupees'], booking['price_rupees']]).toEqual([1200, 1200]);
      expect(await readBooking(partner, booking)).toMatchObject({ price_rupees: 1200 });
      expect(await slotNow(partner, venue, slot())).toMatchObject({ price_rupees: 5000 });
    }),
  },
];

const RANGES: readonly Row[] = [
  {
    rules: ['availability/range'],
    title: 'the body is {venue_id, from, to, days: [{date, slots}]} with both ends; each day equals a query of the day',
    check: async (world) => {
      const { venue, partner, slot } = await world.scene({ resources: [{}, hours('18:00', '02:00')] });
      await placeHold(partner, slot());
      const [from, to] = [dateIn(3), dateIn(4)];
      for (const rest of ['', `&resource_id=${venue.resourceIds[1]}`]) {
        const days = await Promise.all(
          [from, to].map(async (date) => ({ date, slots: await slotsAt(partner, dayOf(venue.id, date, rest)) })),
        );
        const body = await read(partner, rangeOf(venue.id, from, to, rest));
        expect(body).toEqual({ venue_id: venue.id, from, to, days });
      }
    },
  },
  {
    rules: ['availability/range'],
    title: '31 days are 200; more days, or a range that ends before it begins, are 400',
    responses: [`${RANGE} 200`, `${RANGE} 400 VALIDATION_ERROR`],
    check: inScene(async ({ venue, partner }) => {
      const ask = (from: number, to: number) => partner.api.get(rangeOf(venue.id, dateIn(from), dateIn(to)));
      await expectVerdict(ask(1, 31), '200');
      const all = await partner.api.get(rangeOf(venue.id, '0001-01-01', '9999-12-31'));
      for (const reply of [await ask(1, 32), await ask(3, 2), all]) expect(reply.status).toBe(400);
      await expectVerdict(ask(3, 2), '400 VALIDATION_ERROR from');
    }),
  },
];

/** Prices and closures set by the operator. */
const OPERATOR_RULES: readonly Row[] = [
  {
    rules: ['availability/price-rules'],
    title: 'the matching rule with the highest priority sets the price of a slot, else the base price applies',
    check: async (world) => {
      const { venue, partner } = await world.scene({ venue: { time_zone: 'UTC' } });
      const path = `/api/v1/operator/resources/${venue.resourceIds[0]}/price-rules`;
      const evening = { name: 'Evening', price_rupees: 1500, start_time: '18:00', end_time: '22:00', priority: 1 };
      const peak = { name: 'Peak', multiplier: 2, start_time: '20:00', end_time: '22:00', priority: 2 };
      for (const rule of [peak, evening]) expectStatus(await world.operator.post(path, rule), 201);
      const slots = await slotsAt(partner, dayOf(venue.id));
      const priceAt = (hour: number) =>
        slots.find((slot) => String(slot['slot_start']).includes(`T${hour}:00`))?.['price_rupees'];
      expect([priceAt(17), priceAt(18), priceAt(20), priceAt(22)]).toEqual([1200, 1500, 2400, 1200]);
    },
  },
  {
    rules: ['availability/blackouts'],
    title: 'a slot in a blackout is listed as unavailable with that reason and cannot be held',
    check: inScene(async ({ venue, partner, slots }, world) => {
      const [first, second] = slots;
      const body = { starts_at: first?.['slot_start'], ends_at: first?.['slot_end'], reason: 'Repairs' };
      expectStatus(await world.operator.post(`/api/v1/operator/venues/${venue.id}/blackouts`, body), 201);
      const closed = { is_available: false, unavailable_reason: 'blackout' };
      expect(await slotNow(partner, venue, first?.['slot_id'])).toMatchObject(closed);
      expect(await slotNow(partner, venue, second?.['slot_id'])).toMatchObject({ is_available: true });
      await expectVerdict(hold(partner, String(first?.['slot_id'])), '409 SLOT_NOT_AVAILABLE');
    }),
  },
];

const SEARCH: readonly Row[] = [
  {
    rules: ['availability/search'],
    title: 'a search lists the free slots that match, as availability lists them',
    responses: [`${FIND} 200`],
    check: async (world) => {
      const { venue, partner, slots } = await world.scene({ resources: [{}, { sport_category: 'tennis' }] });
      const [taken] = slots;
      await placeHold(partner, String(taken?.['slot_id']));
      const free = (await slotsAt(partner, dayOf(venue.id))).filter((slot) => slot['is_available'] === true);
      const found = await read(partner, `${SEARCH_PATH}?date=${dateIn(3)}`);
      expect(found['data']).toEqual(free.map((slot) => ({ venue_id: venue.id, ...slot })));
      const tennis = await read(partner, `${SEARCH_PATH}?date=${dateIn(3)}&sport=Tennis&venue_ids=${venue.id}`);
      const [, second = ''] = venue.resourceIds;
      expect(tennis['data']).toEqual((found['data'] as Json[]).filter((slot) => slot['resource_id'] === second));
    },
  },
  {
    rules: ['availability/search'],
    title: 'a sport that none of the venues has is 400, a venue that is not granted 403',
    responses: [`${FIND} 400 VALIDATION_ERROR`, `${FIND} 403 VENUE_NOT_AUTHORIZED`],
    check: inScene(async ({ partner }) => {
      const search = (rest: string) => partner.api.get(`${SEARCH_PATH}?date=${dateIn(3)}${rest}`);
      await expectVerdict(search('&sport=chess'), '400 VALIDATION_ERROR sport');
      const many = Array.from({ length: 21 }, () => NOWHERE).join(',');
      await expectVerdict(search(`&venue_ids=${many}`), '400 VALIDATION_ERROR venue_ids');
      await expectVerdict(search(`&venue_ids=${NOWHERE}`), '403 VENUE_NOT_AUTHORIZED');
    }),
  },
];

/** Slots of a day, of a range, and of a search in several venues. */
export const AVAILABILITY_ROWS: readonly Row[] = [...DAYS, ...SCHEDULE, ...OPERATOR_RULES, ...RANGES, ...SEARCH];
