import { expect } from 'expect';
import { dateIn, expectStatus, slotsOf } from '../support/factories.ts';
import type { Row } from './row.ts';
import { BOOKINGS, confirm, end, hold, inScene, list, PARTNER, readBooking, release, slotNow } from './steps.ts';

/** The calls of a partner, from the first to the last. */
export const STORY_ROWS: readonly Row[] = [
  {
    rules: ['service/selling-flow', 'service/moves-no-money'],
    title: 'venues, resources, slots, hold, booking, read, list, cancel and refund work in sequence',
    responses: [
      `GET ${PARTNER}/venues 200`,
      `GET ${PARTNER}/venues/{venueId}/resources 200`,
      'GET /api/v1/slots/availability 200',
      `POST ${PARTNER}/holds 201`,
      'POST /api/v1/bookings/confirm 201',
      'GET /api/v1/bookings/{bookingId} 200',
      'GET /api/v1/bookings 200',
      'POST /api/v1/bookings/{bookingId}/cancel 200',
      'POST /api/v1/bookings/{bookingId}/refund 200',
    ],
    check: inScene(async ({ partner, venue }) => {
      const [shown] = await list(partner, `${PARTNER}/venues`);
      const venueId = String(shown?.['venue_id']);
      const [resource] = await list(partner, `${PARTNER}/venues/${venueId}/resources`);
      const slots = await slotsOf(partner, venueId, dateIn(4));
      const slot = slots.find((each) => each['resource_id'] === resource?.['resource_id']);
      const placed = expectStatus(await hold(partner, String(slot?.['slot_id'])), 201);
      // Any text is a payment reference: the service neither charges nor checks it.
      const reference = { payment_reference: 'not-a-payment-at-all' };
      const booking = expectStatus(await confirm(partner, placed['hold_id'], reference), 201);
      const read = await readBooking(partner, booking);
      expect(read).toMatchObject({ ...reference, venue_id: venue.id, slot_id: slot?.['slot_id'] });
      expect(await list(partner, BOOKINGS)).toEqual([read]);
      for (const operation of ['cancel', 'refund']) {
        expectStatus(await end(partner, operation, booking['booking_id']), 200);
      }
      expect(await readBooking(partner, booking)).toMatchObject({ status: 'REFUNDED', ...reference });
    }),
  },
  {
    rules: ['holds/cancel'],
    title: 'a released hold frees its slot completely for the next partner',
    responses: [`POST ${PARTNER}/holds/{holdId}/cancel 200`, `POST ${PARTNER}/holds 201`],
    check: inScene(async ({ partner, rival, venue, slots }) => {
      const [slot = {}] = slots;
      const { hold_id: id } = expectStatus(await hold(partner, String(slot['slot_id'])), 201);
      expectStatus(await release(partner, id), 200);
      expect(await slotNow(rival, venue, slot['slot_id'])).toEqual(slot);
      const theirs = expectStatus(await hold(rival, String(slot['slot_id'])), 201);
      expectStatus(await release(partner, id), 200);
      expectStatus(await confirm(rival, theirs['hold_id']), 201);
    }),
  },
];
