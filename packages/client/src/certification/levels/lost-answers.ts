import { doThroughFault, errorBody, requireWait } from '../lost-calls.ts';
import { withFreeSlot } from '../lost-slots.ts';
import type { Fault } from '../proxied-calls.ts';
import { callsOf } from '../proxied-calls.ts';
import type { Scenario } from '../scenario.ts';
import { expectThat } from '../scenario.ts';
import type { Trial } from '../trial.ts';
import { anyCustomer, bookSlot, confirmInput, endingInput, expectEnded, holdSlot } from '../trial.ts';

const LOST: Fault = { kind: 'lost answer' };
const REMEDY =
  'Derive the idempotency key from the order, store it before the first attempt, and repeat the call with it: after a lost response the outcome is unknown.';
/** Too long for an impatient client, but far below the 15 s that a call may take. */
const SLOW_MS = 3000;

const respondsWith = (status: number, reaches: boolean, code: string): Fault => ({
  kind: 'answer',
  reaches,
  status,
  headers: { 'retry-after': '1' },
  body: errorBody(code, 'Repeat the call after the seconds in Retry-After.'),
});

/** Holds a free slot while the first call fails. The reported hold must be the one at the service. */
const holdThrough = (trial: Trial, fault: Fault): Promise<void> =>
  withFreeSlot(trial, async ({ slot: { slot_id } }) => {
    const input = { order_id: trial.newOrder(), slot_id };
    const hold = await doThroughFault(trial, 'placeHold', fault, 'place_hold', input);
    const stored = await trial.sandbox.client.getHold({ path: { holdId: hold.hold_id } });
    expectThat(
      stored.status === 'ACTIVE' && stored.slot_id === slot_id,
      `The hold ${hold.hold_id} that was reported is ${stored.status} on ${stored.slot_id}.`,
    );
  });

/** Ends a booking while the first response is lost. The booking must be ended, and be reported as ended. */
async function endThrough(
  trial: Trial,
  operation: 'cancelBooking' | 'refundBooking',
  action: 'cancel_booking' | 'refund_booking',
  ended: 'CANCELLED' | 'REFUNDED',
): Promise<void> {
  const booked = await bookSlot(trial);
  const { status } = await doThroughFault(trial, operation, LOST, action, endingInput(booked));
  await expectEnded(trial, booked, ended, status);
}

/** Confirms a hold while the first call fails. The reported booking must be the one that the hold became. */
async function confirmThrough(trial: Trial, fault: Fault): Promise<void> {
  const held = await holdSlot(trial);
  const booking = await doThroughFault(trial, 'confirmBooking', fault, 'confirm_booking', confirmInput(held));
  const stored = await trial.sandbox.client.getHold({ path: { holdId: held.hold.hold_id } });
  expectThat(
    stored.booking_id === booking.booking_id,
    `The booking ${booking.booking_id} was reported; the hold became ${stored.booking_id ?? 'none'}.`,
  );
}

/** Level 3: faults of the network and of a busy service. */
export const LOST_ANSWERS: readonly Scenario[] = [
  {
    id: 'hold-answer-lost',
    level: 3,
    title: 'The response to a hold is lost: the hold is found again with its key',
    remedy: `Give every hold a key, though it is optional. ${REMEDY}`,
    run: (trial) => holdThrough(trial, LOST),
  },
  {
    id: 'confirm-answer-lost',
    level: 3,
    title: 'The response to a confirm is lost: there is one booking, and it is reported',
    remedy: REMEDY,
    run: (trial) => confirmThrough(trial, LOST),
  },
  {
    id: 'cancel-answer-lost',
    level: 3,
    title: 'The response to a cancel is lost: the booking is reported as cancelled',
    remedy: REMEDY,
    run: (trial) => endThrough(trial, 'cancelBooking', 'cancel_booking', 'CANCELLED'),
  },
  {
    id: 'refund-answer-lost',
    level: 3,
    title: 'The response to a refund is lost: the booking is reported as refunded',
    remedy: `${REMEDY} Repeat the same body, the reason included.`,
    run: (trial) => endThrough(trial, 'refundBooking', 'refund_booking', 'REFUNDED'),
  },
  {
    id: 'purchase-answer-lost',
    level: 3,
    title: 'The response to a purchase is lost: the customer has one package',
    remedy: REMEDY,
    run: async (trial) => {
      const { package_id, venue_ids } = await trial.sandbox.anyPackage();
      const { phone: customer_phone } = anyCustomer();
      const input = { order_id: trial.newOrder(), package_id, customer_phone };
      const { purchase_id: reported } = await doThroughFault(trial, 'buyPackage', LOST, 'buy_package', input);
      const query = { customer_phone, venue_id: venue_ids[0] ?? '' };
      const { data } = await trial.sandbox.client.listActivePurchases({ query });
      expectThat(data.length === 1, `The customer has ${data.length} packages instead of 1.`);
      expectThat(data[0]?.id === reported, `The purchase ${reported} was reported; the service has ${data[0]?.id}.`);
    },
  },
  {
    id: 'unavailable-waited-for',
    level: 3,
    title: 'After 503 the integration waits for Retry-After before it repeats the confirm with its key',
    remedy: `${REMEDY} After 503 the outcome is unknown, too: wait for the seconds in Retry-After before you repeat the call.`,
    run: async (trial) => {
      await confirmThrough(trial, respondsWith(503, true, 'SERVICE_UNAVAILABLE'));
      requireWait(trial, 'confirmBooking', 1);
    },
  },
  {
    id: 'rate-limit-waited-for',
    level: 3,
    title: 'After 429 the integration waits for Retry-After before it repeats the call',
    remedy:
      'After 429 wait for the seconds in Retry-After, then repeat the call with its key: a call that got 429 took no effect.',
    run: async (trial) => {
      await holdThrough(trial, respondsWith(429, false, 'RATE_LIMITED'));
      requireWait(trial, 'placeHold', 1);
    },
  },
  {
    id: 'connection-reset',
    level: 3,
    title: 'A connection that is reset does not end an order',
    remedy: REMEDY,
    run: (trial) => holdThrough(trial, { kind: 'reset' }),
  },
  {
    id: 'gateway-page-survived',
    level: 3,
    title: 'An HTML page with 502, for example of a proxy, does not end an order',
    remedy:
      'Decide by the status before you parse a body. After 502 and 504 the outcome is unknown: repeat the call with its key.',
    run: (trial) =>
      confirmThrough(trial, {
        kind: 'answer',
        reaches: true,
        status: 502,
        body: '<html><body><h1>502 Bad Gateway</h1></body></html>',
      }),
  },
  {
    id: 'slow-answer',
    level: 3,
    title: `The integration waits for a response that takes ${SLOW_MS / 1000} s`,
    remedy: 'Wait up to 15 s for a response before you repeat the call with its key.',
    run: async (trial) => {
      const held = await holdSlot(trial);
      trial.proxy.arm({
        isFor: callsOf('confirmBooking'),
        times: 1,
        fault: { kind: 'slow answer', ms: SLOW_MS },
      });
      const { booking_id: bookingId } = await trial.integration.do('confirm_booking', confirmInput(held));
      const { booking_id: stored } = await trial.sandbox.client.getHold({
        path: { holdId: held.hold.hold_id },
      });
      expectThat(stored === bookingId, `The booking ${bookingId} was reported; the hold became ${stored ?? 'none'}.`);
    },
  },
];
