import { MADE_UP_VENUES } from '../made-up-venues.ts';
import { callsOf } from '../proxied-calls.ts';
import type { Scenario } from '../scenario.ts';
import { expectThat } from '../scenario.ts';
import { anyCustomer, bookSlot, confirmInput, holdSlot } from '../trial.ts';

/** Level 2: listing bookings, and paying with credits of a package. */
export const BOOKINGS: readonly Scenario[] = [
  {
    id: 'bookings-paged',
    level: 2,
    title: 'Every booking is listed, however many pages there are',
    remedy:
      'Call GET /api/v1/bookings with next_cursor as cursor until it is null. A page may be shorter than its limit.',
    run: async (trial) => {
      const { proxy, sandbox, integration } = trial;
      for (let count = 0; count < 3; count += 1) await bookSlot(trial);
      proxy.arm({
        isFor: callsOf('listBookings'),
        times: 2,
        fault: { kind: 'query', query: () => ({ limit: '1' }) },
      });
      const expected: string[] = [];
      for await (const { data } of sandbox.client.pages('listBookings', { query: { limit: 200 } }))
        expected.push(...data.map(({ booking_id }) => booking_id));
      const { booking_ids: listed } = await integration.do('list_bookings', {});
      const missing = expected.find((id) => !listed.includes(id));
      expectThat(
        missing === undefined,
        `list_bookings has ${listed.length} of ${expected.length} bookings, and lacks ${missing}.`,
      );
      expectThat(new Set(listed).size === listed.length, 'list_bookings lists a booking twice.');
    },
  },
  {
    id: 'bookings-of-one-venue',
    level: 2,
    title: 'The bookings of one venue are listed without those of other venues',
    remedy: 'For one venue, send venue_id to GET /api/v1/bookings with each page.',
    run: async (trial) => {
      const { bookingId, offer } = await bookSlot(trial);
      const list = async (venue_id: string) => (await trial.integration.do('list_bookings', { venue_id })).booking_ids;
      expectThat(
        (await list(offer.venue.venue_id)).includes(bookingId),
        `list_bookings of ${offer.venue.name} lacks ${bookingId}, which is there.`,
      );
      for (const { venue_id, name } of MADE_UP_VENUES)
        expectThat(
          !(await list(venue_id)).includes(bookingId),
          `list_bookings of ${name} has ${bookingId}, which is at ${offer.venue.name}.`,
        );
    },
  },
  {
    id: 'credit-consumed',
    level: 2,
    title: 'A customer with credits pays with one of them',
    remedy: 'Send use_package_credit: true, and the phone number with which the package was bought.',
    run: async (trial) => {
      const { integration, sandbox } = trial;
      const sold = await sandbox.anyPackage();
      const customer = anyCustomer();
      const purchase = {
        order_id: trial.newOrder(),
        package_id: sold.package_id,
        customer_phone: customer.phone,
      };
      const { purchase_id: purchaseId } = await integration.do('buy_package', purchase);
      const held = await holdSlot(trial, sold.venue_ids);
      const input = { ...confirmInput(held, customer), use_package_credit: true };
      const { package_credit_consumed: isReported } = await integration.do('confirm_booking', input);
      const { purchase: stored } = await sandbox.client.getPurchase({ path: { purchaseId } });
      const spent = stored.credits_total - stored.credits_remaining;
      expectThat(spent === 1, `${spent} credits were consumed instead of 1.`);
      expectThat(isReported === true, 'A credit was consumed, and package_credit_consumed was not reported.');
    },
  },
  {
    id: 'no-credit-left',
    level: 2,
    title: 'Without a credit the booking stands, and is not reported as paid with one',
    remedy: 'Treat a booking as paid with a credit only if the response has package_credit_consumed: true.',
    run: async (trial) => {
      const held = await holdSlot(trial);
      const input = { ...confirmInput(held), use_package_credit: true };
      const { booking_id: bookingId, package_credit_consumed: isReported } = await trial.integration.do(
        'confirm_booking',
        input,
      );
      const { status } = await trial.sandbox.client.getBooking({ path: { bookingId } });
      expectThat(status === 'BOOKED', `The booking is ${status} instead of BOOKED.`);
      expectThat(isReported !== true, 'package_credit_consumed was reported, but the customer has no credit.');
    },
  },
];
