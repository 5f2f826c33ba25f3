import type { Scenario } from '../scenario.ts';
import { expectThat } from '../scenario.ts';
import { anyCustomer, confirmInput, holdSlot } from '../trial.ts';

/** Level 2, where bookings are paid with credits of a package. */
export const CREDIT: readonly Scenario[] = [
  {
    id: 'credit-consumed',
    level: 2,
    title: 'A customer with credits books with one of them',
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
    title: 'Where there is no credit the booking stands, and is not taken for paid',
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
      expectThat(
        isReported !== true,
        'package_credit_consumed was reported, and the customer has no credit.',
      );
    },
  },
];
