import { callsOf } from '../proxied-calls.ts';
import type { Scenario } from '../scenario.ts';
import { expectThat } from '../scenario.ts';
import { bookSlot, confirmInput, endingInput, expectEnded, holdSlot } from '../trial.ts';

/** Level 2: hold, confirm, cancel and refund without faults. */
export const SELLING: readonly Scenario[] = [
  {
    id: 'hold-placed',
    level: 2,
    title: 'A hold is reported with its id, expiry and price',
    remedy: 'Return hold_id, hold_expiry_at and price_rupees of the response to POST /api/v1/partner/holds.',
    run: async (trial) => {
      const { hold, offer } = await holdSlot(trial);
      const stored = await trial.sandbox.client.getHold({ path: { holdId: hold.hold_id } });
      expectThat(stored.status === 'ACTIVE', `The hold ${hold.hold_id} is ${stored.status} at the service.`);
      expectThat(
        stored.slot_id === offer.slot.slot_id,
        `The hold is for ${stored.slot_id}, not ${offer.slot.slot_id}.`,
      );
      expectThat(
        Date.parse(hold.hold_expiry_at) === Date.parse(stored.hold_expiry_at),
        `hold_expiry_at was reported as ${hold.hold_expiry_at}; the service says ${stored.hold_expiry_at}.`,
      );
      expectThat(
        hold.price_rupees === stored.price_rupees,
        `The hold costs ${stored.price_rupees}, not ${hold.price_rupees}.`,
      );
    },
  },
  {
    id: 'price-of-the-hold',
    level: 2,
    title: 'The customer pays the price that the hold fixed',
    remedy: 'Charge price_rupees of the hold: the price may have changed since the day was listed.',
    run: async (trial) => {
      let heldPrice = 0;
      trial.proxy.arm({
        isFor: callsOf('placeHold'),
        fault: {
          kind: 'rewrite',
          body: (body) => {
            heldPrice = Number(body['price_rupees']) + 75.25;
            return { ...body, price_rupees: heldPrice };
          },
        },
      });
      const { hold } = await holdSlot(trial);
      expectThat(
        hold.price_rupees === heldPrice,
        `The hold fixed ${heldPrice} rupees, and ${hold.price_rupees} were reported.`,
      );
    },
  },
  {
    id: 'taken-slot-reported',
    level: 2,
    title: 'An order for a taken slot is rejected',
    remedy:
      'Report 409 SLOT_NOT_AVAILABLE to the customer; a slot is theirs only when POST /api/v1/partner/holds responded 201.',
    run: async (trial) => {
      const taken = await trial.sandbox.takenSlot();
      const input = { order_id: trial.newOrder(), slot_id: taken.slot.slot_id };
      await trial.integration.refuse('place_hold', input, 'SLOT_NOT_AVAILABLE');
    },
  },
  {
    id: 'booking-confirmed',
    level: 2,
    title: 'A hold becomes a booking with the customer and payment that were given',
    remedy:
      'Send payment_reference and the customer as they are to POST /api/v1/bookings/confirm, and return its booking_id and status.',
    run: async (trial) => {
      const held = await holdSlot(trial);
      const input = confirmInput(held);
      const { booking_id: bookingId, status } = await trial.integration.do('confirm_booking', input);
      const stored = await trial.sandbox.client.getBooking({ path: { bookingId } });
      expectThat(
        status === 'BOOKED' && stored.status === 'BOOKED',
        `The booking is ${stored.status} at the service, and ${status} was reported.`,
      );
      const { name, phone, email } = input.customer;
      const actual = [
        stored.hold_id,
        stored.payment_reference,
        stored.customer_name,
        stored.customer_phone,
        stored.customer_email,
      ];
      const expected = [held.hold.hold_id, input.payment_reference, name, phone, email];
      const wrong = actual.findIndex((value, index) => value !== expected[index]);
      expectThat(wrong === -1, `The booking has ${actual[wrong] ?? 'nothing'} where ${expected[wrong]} was given.`);
    },
  },
  {
    id: 'hold-released',
    level: 2,
    title: 'A hold that is given up frees its slot',
    remedy: 'Call POST /api/v1/partner/holds/{holdId}/cancel when a customer leaves, and report its status.',
    run: async (trial) => {
      const { orderId, hold, offer } = await holdSlot(trial);
      const { status } = await trial.integration.do('release_hold', {
        order_id: orderId,
        hold_id: hold.hold_id,
      });
      const stored = await trial.sandbox.client.getHold({ path: { holdId: hold.hold_id } });
      expectThat(
        status === 'RELEASED' && stored.status === 'RELEASED',
        `The hold on ${offer.slot.slot_id} is ${stored.status} at the service, and ${status} was reported.`,
      );
    },
  },
  {
    id: 'expired-hold-reported',
    level: 2,
    title: 'A confirm after the expiry is reported, and no booking is promised',
    remedy: 'Report 409 HOLD_EXPIRED: nothing was booked. Return the money, or hold the slot again with a new key.',
    run: async (trial) => {
      const held = await holdSlot(trial);
      await trial.sandbox.client.expireHold({ path: { holdId: held.hold.hold_id } });
      await trial.integration.refuse('confirm_booking', confirmInput(held), 'HOLD_EXPIRED');
    },
  },
  {
    id: 'booking-cancelled',
    level: 2,
    title: 'A cancelled booking is cancelled at the service, with the reason',
    remedy: 'Call POST /api/v1/bookings/{bookingId}/cancel with the reason and a key, and report its status.',
    run: async (trial) => {
      const booked = await bookSlot(trial);
      const { status } = await trial.integration.do('cancel_booking', endingInput(booked));
      const stored = await expectEnded(trial, booked, 'CANCELLED', status);
      expectThat(stored.cancellation_reason === 'Rain', `The reason is ${stored.cancellation_reason}, not Rain.`);
    },
  },
  {
    id: 'booking-refunded',
    level: 2,
    title: 'A refunded booking is refunded at the service, with the reason',
    remedy:
      'Call POST /api/v1/bookings/{bookingId}/refund with the reason and a key, also if the booking is not cancelled.',
    run: async (trial) => {
      const booked = await bookSlot(trial);
      const { status } = await trial.integration.do('refund_booking', endingInput(booked));
      const stored = await expectEnded(trial, booked, 'REFUNDED', status);
      expectThat(stored.refund_reason === 'Rain', `The reason is ${stored.refund_reason}, not Rain.`);
    },
  },
  {
    id: 'refunded-after-cancel',
    level: 2,
    title: 'A cancelled booking can be refunded afterwards',
    remedy: 'Use different idempotency keys for cancel and refund: they share a namespace.',
    run: async (trial) => {
      const booked = await bookSlot(trial);
      await trial.integration.do('cancel_booking', endingInput(booked));
      const { status } = await trial.integration.do('refund_booking', endingInput(booked));
      await expectEnded(trial, booked, 'REFUNDED', status);
    },
  },
];
