import { expect } from 'expect';
import { bookSlot, type Json, type Partner } from '../support/factories.ts';
import { changeRow } from '../support/rows.ts';
import type { Row } from './row.ts';
import {
  BOOKINGS,
  book,
  end,
  expectSameRefusal,
  expectVerdict,
  held,
  inScene,
  list,
  NOWHERE,
  read,
  readBooking,
  revokeGrant,
} from './steps.ts';

const ONE = `GET ${BOOKINGS}/{bookingId}`;
const LIST = `GET ${BOOKINGS}`;

const idsOf = (bookings: Json[]) => bookings.map((booking) => String(booking['booking_id']));

const listIds = async (partner: Partner, query: string) => idsOf(await list(partner, BOOKINGS + query));

/** Reading and listing bookings. */
export const BOOKING_ROWS: readonly Row[] = [
  {
    rules: ['bookings/fields', 'responses/objects-and-listings'],
    title: 'a read has venue, resource and slot, the given payment_reference and customer, and only documented fields',
    responses: [`${ONE} 200`],
    check: async (world) => {
      const venueFields = { name: 'Arena', city: 'Pune' };
      const { venue, partner, slots } = await world.scene({ venue: venueFields });
      const [slot = {}] = slots;
      const { is_available: _available, ...window } = slot;
      const fields = { payment_reference: 'upi:αβ/7 #1', customer_email: 'asha@example.com' };
      const { hold_id, booking_id, booked_at } = await bookSlot(partner, String(slot['slot_id']), fields);
      expect(await readBooking(partner, { booking_id })).toEqual({
        ...window,
        ...fields,
        booking_id,
        hold_id,
        partner_id: partner.id,
        venue_id: venue.id,
        status: 'BOOKED',
        booked_at,
        customer_name: 'Asha Rao',
        customer_phone: '+919876543210',
        order_reference: null,
        metadata: {},
        venue: { venue_id: venue.id, ...venueFields },
        resource: { resource_id: venue.resourceIds[0], resource_type: 'turf', sport_category: 'football' },
        cancelled_at: null,
        cancellation_reason: null,
        refunded_at: null,
        refund_reason: null,
      });
    },
  },
  {
    rules: ['bookings/not-found', 'bookings/own-only'],
    title: "a missing id and another partner's booking are 404 BOOKING_NOT_FOUND, in the same bytes",
    check: inScene(async (scene) => {
      const { booking_id: id, hold_id: holdId } = await book(scene);
      await expectSameRefusal([NOWHERE, id], '404 BOOKING_NOT_FOUND', (each) =>
        scene.rival.api.get(`${BOOKINGS}/${String(each)}`),
      );
      await expectVerdict(scene.partner.api.get(`${BOOKINGS}/${String(holdId)}`), '404 BOOKING_NOT_FOUND');
    }),
  },
  {
    rules: ['bookings/list', 'bookings/own-only'],
    title: "{success, count, data, next_cursor} of the partner's bookings as reads show them, newest booked_at first",
    check: inScene(async (scene, world) => {
      const { partner, rival, slot } = scene;
      const made = [await book(scene), await book(scene), await book(scene)];
      await bookSlot(rival, slot());
      await held(scene);
      const body = await read(partner, BOOKINGS);
      const data = await Promise.all(made.toReversed().map((booking) => readBooking(partner, booking)));
      expect(body).toEqual({ success: true, count: 3, data, next_cursor: null });
      const none = { success: true, count: 0, data: [], next_cursor: null };
      expect(await read(await world.partner(), BOOKINGS)).toEqual(none);
    }),
  },
  {
    rules: ['bookings/filter-by-venue'],
    title: 'venue_id filters; without a grant the list has only bookings made before the grant was revoked',
    responses: [`${LIST} 200`, `${LIST} 400 VALIDATION_ERROR`],
    check: async (world) => {
      const [scene, other] = [await world.scene(), await world.scene()];
      const partner = await world.partner([scene.venue.id, other.venue.id]);
      const here = await bookSlot(partner, scene.slot());
      const there = await bookSlot(partner, other.slot());
      const query = `?venue_id=${scene.venue.id}`;
      expect(await listIds(partner, query)).toEqual(idsOf([here]));
      await revokeGrant(world, { ...scene, partner });
      expect(await readBooking(partner, here)).toMatchObject({ status: 'BOOKED' });
      expect(await listIds(partner, query)).toEqual(idsOf([here]));
      expect(await listIds(partner, '')).toEqual(idsOf([there, here]));
      expect(await listIds(partner, `?venue_id=${other.venue.id.toUpperCase()}`)).toEqual(idsOf([there]));
      for (const id of [other.venue.id, NOWHERE]) expect(await listIds(scene.partner, `?venue_id=${id}`)).toEqual([]);
      await expectVerdict(partner.api.get(`${BOOKINGS}?venue_id=7`), '400 VALIDATION_ERROR venue_id');
    },
  },
  {
    rules: ['bookings/filter-by-date'],
    title: "from and to are inclusive dates of booked_at in the service's or a given venue's zone; from > to is 400",
    needs: 'internals',
    check: async (world, internals) => {
      const scene = await world.scene({ venue: { time_zone: 'Pacific/Kiritimati' } });
      const { partner, venue } = scene;
      const { booking_id: id, hold_id } = await book(scene);
      // At the venue (UTC+14), 11:00 UTC is the next day; in the service's zone it is not.
      const bookedAt = new Date('2026-03-10T11:00:00.000Z');
      await changeRow(internals.service, 'reservations', hold_id, { $set: { bookedAt } });
      const listDates = (from: string, to: string, more = '') => listIds(partner, `?from=${from}&to=${to}${more}`);
      const atVenue = `&venue_id=${venue.id}`;
      expect(await listDates('2026-03-10', '2026-03-10')).toEqual([id]);
      expect(await listDates('2026-03-11', '2026-03-11')).toEqual([]);
      expect(await listDates('2026-03-11', '2026-03-11', atVenue)).toEqual([id]);
      expect(await listDates('2026-03-10', '2026-03-10', atVenue)).toEqual([]);
      const reversed = await partner.api.get(`${BOOKINGS}?from=2026-03-11&to=2026-03-10`);
      await expectVerdict(reversed, '400 VALIDATION_ERROR from');
    },
  },
  {
    rules: ['bookings/page-size', 'bookings/paging'],
    title: 'limit is 1 to 200, and paging repeats and skips nothing, also with equal booked_at',
    needs: 'internals',
    check: async (world, internals) => {
      const scene = await world.scene();
      const { partner } = scene;
      const made = [];
      for (let count = 0; count < 5; count += 1) made.push(await book(scene));
      await internals.service.context.db
        .collection('reservations')
        .updateMany({ partnerId: partner.id }, { $set: { bookedAt: new Date() } });
      const seen: string[] = [];
      for (let query = '?limit=2'; query !== ''; ) {
        const page = await read(partner, BOOKINGS + query);
        seen.push(...idsOf(page['data'] as Json[]));
        const { next_cursor: cursor } = page;
        query = typeof cursor === 'string' ? `?limit=2&cursor=${cursor}` : '';
      }
      expect(seen.toSorted()).toEqual(idsOf(made).toSorted());
      expect(seen).toHaveLength(5);
      await expectVerdict(partner.api.get(`${BOOKINGS}?limit=200`), '200');
      for (const limit of ['0', '201', '1.5', 'ten']) {
        await expectVerdict(partner.api.get(`${BOOKINGS}?limit=${limit}`), '400 VALIDATION_ERROR limit');
      }
    },
  },
  {
    rules: ['bookings/page-size'],
    title: 'limit is 50 by default',
    check: async (world) => {
      const scene = await world.scene({ resources: [{ duration_minutes: 15 }] });
      const { partner, slot } = scene;
      for (let batch = 0; batch < 3; batch += 1) {
        await Promise.all(Array.from({ length: 17 }, () => bookSlot(partner, slot())));
      }
      const body = await read(partner, BOOKINGS);
      expect(body).toMatchObject({ count: 50, next_cursor: expect.any(String) });
    },
  },
  {
    rules: ['bookings/filter-by-status'],
    title: 'status filters; an unknown status is 400',
    check: inScene(async (scene) => {
      const { partner } = scene;
      const [booked, cancelled, refunded] = [await book(scene), await book(scene), await book(scene)];
      await end(partner, 'cancel', cancelled['booking_id']);
      await end(partner, 'refund', refunded['booking_id']);
      expect(await listIds(partner, '?status=BOOKED')).toEqual(idsOf([booked]));
      expect(await listIds(partner, '?status=CANCELLED')).toEqual(idsOf([cancelled]));
      expect(await listIds(partner, '?status=REFUNDED')).toEqual(idsOf([refunded]));
      expect(await listIds(partner, '')).toEqual(idsOf([refunded, cancelled, booked]));
      await expectVerdict(partner.api.get(`${BOOKINGS}?status=HELD`), '400 VALIDATION_ERROR status');
    }),
  },
  {
    rules: ['bookings/filter-by-customer'],
    title: 'customer_phone matches the number in any format',
    check: inScene(async (scene) => {
      const spoken = await book(scene, { customer_phone: '098765 43210' });
      const dialled = await book(scene, { customer_phone: '+919876543210' });
      await book(scene, { customer_phone: '+919812345678' });
      for (const phone of ['+919876543210', '9876543210', '09876543210', '+91 98765-43210']) {
        const found = await listIds(scene.partner, `?customer_phone=${encodeURIComponent(phone)}`);
        expect(found).toEqual(idsOf([dialled, spoken]));
      }
    }),
  },
  {
    rules: ['bookings/filter-by-customer'],
    title: 'customer_name is a case-insensitive prefix without surrounding blanks, never a pattern',
    check: inScene(async (scene) => {
      const booking = await book(scene, { customer_name: ' Zoë Rao (home) ' });
      await book(scene, { customer_name: 'Rao Zoë' });
      const hindi = await book(scene, { customer_name: 'नितिन' });
      const listNamed = (name: string) => listIds(scene.partner, `?customer_name=${encodeURIComponent(name)}`);
      for (const name of ['zoë', 'ZOE\u0308', 'ZOË RAO (', 'Zoë Rao (home)', ' Zoë Rao '])
        expect(await listNamed(name)).toEqual(idsOf([booking]));
      expect(await listNamed('नि')).toEqual(idsOf([hindi]));
      for (const name of ['.*', 'oë', '^Zoë', '$']) expect(await listNamed(name)).toEqual([]);
    }),
  },
];
