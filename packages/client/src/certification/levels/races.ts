import { PartnerApiError } from '../../errors.ts';
import { isRefusal, resultOf } from '../actions.ts';
import { dayAfter } from '../canned-days.ts';
import { isLostToOthers, LostToOthers, retrying, withFreeSlot } from '../lost-slots.ts';
import type { Scenario } from '../scenario.ts';
import { expectThat, Finding } from '../scenario.ts';
import { bookSlot, catchUp, confirmInput, endingInput, holdSlot } from '../trial.ts';

/** Level 4: concurrent calls, and changes between calls. */
export const RACES: readonly Scenario[] = [
  {
    id: 'two-holds-of-one-order',
    level: 4,
    title: 'A double click places one hold, and both clicks see it',
    remedy: 'Choose the key of an order before its first call: two requests for one order are then one call.',
    run: async (trial) => {
      const [one, other] = await withFreeSlot(trial, ({ slot: { slot_id } }) => {
        const input = { order_id: trial.newOrder(), slot_id };
        return Promise.all([0, 1].map(() => trial.integration.do('place_hold', input)));
      });
      expectThat(one?.hold_id === other?.hold_id, `Two holds were reported: ${one?.hold_id} and ${other?.hold_id}.`);
    },
  },
  {
    id: 'two-confirms-of-one-order',
    level: 4,
    title: 'Two concurrent confirms of an order make one booking, and both report it',
    remedy: 'Choose the key of an order before its first call: concurrent calls with one key get the same response.',
    run: async (trial) => {
      const input = confirmInput(await holdSlot(trial));
      const [one, other] = await Promise.all([0, 1].map(() => trial.integration.do('confirm_booking', input)));
      expectThat(
        one?.booking_id === other?.booking_id,
        `Two bookings were reported: ${one?.booking_id} and ${other?.booking_id}.`,
      );
    },
  },
  {
    id: 'two-orders-for-one-slot',
    level: 4,
    title: 'Of two orders for one slot, one gets the hold and the other is rejected',
    remedy: 'Store a hold with its order. Another order for the same slot is another call with another key.',
    run: async (trial) => {
      const outcomes = await withFreeSlot(trial, async ({ slot: { slot_id } }) => {
        const place = () => trial.integration.try('place_hold', { order_id: trial.newOrder(), slot_id });
        const both = await Promise.all([place(), place()]);
        expectThat(!both.every(isRefusal), 'Both orders were rejected, but the slot was free.');
        return both;
      });
      const refused = outcomes.filter(isRefusal);
      expectThat(refused.length > 0, 'Both orders were promised the slot.');
      const other = refused.find(({ error }) => error.code !== 'SLOT_NOT_AVAILABLE');
      expectThat(
        other === undefined,
        `place_hold reported ${other?.error.code}, where the service had said SLOT_NOT_AVAILABLE.`,
      );
    },
  },
  {
    id: 'slot-lost-before-hold',
    level: 4,
    title: 'An order for a slot that was just sold at the desk is rejected, with free alternatives',
    remedy: 'Report SLOT_NOT_AVAILABLE and offer error.conflict.alternatives of the response.',
    run: async (trial) => {
      const { sandbox, integration } = trial;
      const offer = await sandbox.takenSlot();
      const conflicting = sandbox.client.placeHold({ body: { slot_id: offer.slot.slot_id } });
      const offered = await conflicting.then(
        (): string[] => [],
        (error: unknown) =>
          error instanceof PartnerApiError ? (error.conflict?.alternatives ?? []).map(({ slot_id }) => slot_id) : [],
      );
      const input = { order_id: trial.newOrder(), slot_id: offer.slot.slot_id };
      const { alternatives = [] } = await integration.refuse('place_hold', input, 'SLOT_NOT_AVAILABLE');
      expectThat(
        offered.length === 0 || alternatives.length > 0,
        `No alternatives were offered; the service has ${offered.join(', ')}.`,
      );
      const { days } = await sandbox.client.getAvailabilityRange({
        query: {
          venue_id: offer.venue.venue_id,
          from: dayAfter(offer.date, -7),
          to: dayAfter(offer.date, 7),
        },
      });
      const known = days.flatMap(({ slots }) => slots.map(({ slot_id }) => slot_id));
      const invented = alternatives.find((id) => !offered.includes(id) && !known.includes(id));
      expectThat(invented === undefined, `The service has no slot ${invented}, which was offered as an alternative.`);
    },
  },
  {
    id: 'slot-lost-while-held',
    level: 4,
    title: 'A hold that lost its slot to the desk is reported, and no booking is promised',
    remedy: 'Report 409 DOUBLE_BOOKING_ATTEMPT: it is final. Return the money and offer another slot.',
    run: async (trial) => {
      const held = await holdSlot(trial);
      await trial.sandbox.takeByOther(held.offer, { overridesHolds: true });
      await trial.integration.refuse('confirm_booking', confirmInput(held), 'DOUBLE_BOOKING_ATTEMPT');
    },
  },
  {
    id: 'two-cancels-at-once',
    level: 4,
    title: 'Two concurrent cancels of a booking both report it as cancelled',
    remedy:
      'Choose the key of the cancel before its first call: with two keys the second call is 409 INVALID_HOLD_STATE.',
    run: async (trial) => {
      const input = endingInput(await bookSlot(trial));
      const outcomes = await Promise.all([0, 1].map(() => trial.integration.try('cancel_booking', input)));
      for (const outcome of outcomes) {
        const { status } = resultOf('cancel_booking', outcome);
        expectThat(status === 'CANCELLED', `cancel_booking reported ${status} instead of CANCELLED.`);
      }
    },
  },
  {
    id: 'freed-slot-sold-again',
    level: 4,
    title: 'A slot that another channel gave back can be sold',
    remedy: 'Do not remember that a slot was not available: ask the service, and let events mark your cache as stale.',
    run: async (trial) => {
      await retrying(async () => {
        const offer = await trial.sandbox.takenSlot();
        const refused = { order_id: trial.newOrder(), slot_id: offer.slot.slot_id };
        await trial.integration.refuse('place_hold', refused, 'SLOT_NOT_AVAILABLE');
        await trial.sandbox.releaseByOther(offer);
        await catchUp(trial, offer, 'booking_cancelled');
        const fromCall = trial.proxy.calls.length;
        const again = { order_id: trial.newOrder(), slot_id: offer.slot.slot_id };
        const outcome = await trial.integration.try('place_hold', again);
        if (!isRefusal(outcome)) return;
        if (isLostToOthers(trial, offer, fromCall)) throw new LostToOthers();
        throw new Finding(`The slot is free again, and place_hold reported ${outcome.error.code}.`);
      });
    },
  },
];
