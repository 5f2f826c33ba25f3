import { isRefusal } from '../actions.ts';
import { callsMade, errorBody } from '../lost-calls.ts';
import { callsOf } from '../proxied-calls.ts';
import type { Scenario } from '../scenario.ts';
import { expectThat } from '../scenario.ts';
import { bookSlot, confirmInput, holdSlot } from '../trial.ts';

/** One retry is allowed: an integration may read its API key again. */
const MAX_CALLS_WITH_INVALID_KEY = 2;

/** Level 3: rejections, which must not be retried, and repeated orders. */
export const REFUSALS: readonly Scenario[] = [
  {
    id: 'refusal-not-repeated',
    level: 3,
    title: 'A call that was rejected with 409 or 400 is not repeated',
    remedy: 'Repeat calls after 429, 5xx and lost connections only. After 400 and 409, change the call.',
    run: async (trial) => {
      const { sandbox, integration, proxy } = trial;
      const taken = await sandbox.takenSlot();
      const input = { order_id: trial.newOrder(), slot_id: taken.slot.slot_id };
      await integration.refuse('place_hold', input, 'SLOT_NOT_AVAILABLE');
      const holds = callsMade(trial, 'placeHold').length;
      expectThat(holds <= 1, `The hold that was rejected with 409 was sent ${holds} times.`);
      const held = await holdSlot(trial);
      const body = errorBody('VALIDATION_ERROR', 'customer_phone is not a valid number.');
      proxy.arm({
        isFor: callsOf('confirmBooking'),
        fault: { kind: 'answer', reaches: false, status: 400, body },
      });
      await integration.refuse('confirm_booking', confirmInput(held), 'VALIDATION_ERROR');
      const confirms = callsMade(trial, 'confirmBooking').length;
      expectThat(confirms <= 1, `The confirm that was rejected with 400 was sent ${confirms} times.`);
    },
  },
  {
    id: 'same-order-same-hold',
    level: 3,
    title: 'An order that is placed again gets the hold that it has',
    remedy: 'Derive the key of the hold from the order, so that the same order is the same call.',
    run: async (trial) => {
      const { orderId, offer, hold } = await holdSlot(trial);
      const input = { order_id: orderId, slot_id: offer.slot.slot_id };
      const again = await trial.integration.do('place_hold', input);
      expectThat(
        again.hold_id === hold.hold_id,
        `The order has the hold ${hold.hold_id}; placed again it got ${again.hold_id}.`,
      );
    },
  },
  {
    id: 'same-order-same-booking',
    level: 3,
    title: 'An order that is confirmed again gets the booking that it has',
    remedy: 'Derive the key of the confirm from the order, so that the same order is the same call.',
    run: async (trial) => {
      const booked = await bookSlot(trial);
      const again = await trial.integration.do('confirm_booking', confirmInput(booked));
      expectThat(
        again.booking_id === booked.bookingId,
        `The order has the booking ${booked.bookingId}; confirmed again it got ${again.booking_id}.`,
      );
    },
  },
  {
    id: 'key-mismatch-reported',
    level: 3,
    title: 'A key that was used for something else is reported, never replaced',
    remedy: 'Report IDEMPOTENCY_KEY_MISMATCH and find the cause: two orders share a key. A new key could book twice.',
    run: async (trial) => {
      const held = await holdSlot(trial);
      const body = errorBody('IDEMPOTENCY_KEY_MISMATCH', 'The key was used for another hold.');
      trial.proxy.arm({
        isFor: callsOf('confirmBooking'),
        times: 1,
        fault: { kind: 'answer', reaches: false, status: 409, body },
      });
      await trial.integration.refuse('confirm_booking', confirmInput(held), 'IDEMPOTENCY_KEY_MISMATCH');
      const sent = callsMade(trial, 'confirmBooking').length;
      expectThat(sent === 1, `After the mismatch the confirm was sent again: ${sent} calls.`);
    },
  },
  {
    id: 'wrong-key-reported',
    level: 3,
    title: 'An API key that is no longer valid is reported, without a loop',
    remedy:
      'Report 401 INVALID_API_KEY and alert a person. Do not repeat the call: many invalid keys from an address get 429.',
    run: async (trial) => {
      const offer = await trial.sandbox.freeSlot();
      const body = errorBody('INVALID_API_KEY', 'The API key was revoked.');
      trial.proxy.arm({
        isFor: callsOf('placeHold'),
        fault: { kind: 'answer', reaches: false, status: 401, body },
      });
      const input = { order_id: trial.newOrder(), slot_id: offer.slot.slot_id };
      const outcome = await trial.integration.try('place_hold', input);
      const sent = callsMade(trial, 'placeHold').length;
      expectThat(isRefusal(outcome), 'place_hold reported a hold, though its API key was not accepted.');
      expectThat(sent <= MAX_CALLS_WITH_INVALID_KEY, `The call was sent ${sent} times with a key that is not valid.`);
      const { code } = outcome.error;
      expectThat(
        code === 'INVALID_API_KEY',
        `place_hold reported ${code}, where the service had said INVALID_API_KEY.`,
      );
    },
  },
];
