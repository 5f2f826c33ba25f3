import { randomUUID } from 'node:crypto';
import type { PartnerClient } from '../../client.ts';
import { PartnerApiError, PartnerConnectionError } from '../../errors.ts';
import type { Schemas } from '../../operation-types.ts';
import type { ActionInputs, Outcome, Refusal, Result } from '../actions.ts';
import type { Has } from './defects.ts';
import type { CallWithKey } from './keys.ts';

type SellingAction =
  | 'place_hold'
  | 'release_hold'
  | 'confirm_booking'
  | 'cancel_booking'
  | 'refund_booking'
  | 'list_bookings'
  | 'buy_package';

export type Orders = { [Name in SellingAction]: (input: ActionInputs[Name]) => Promise<Outcome<Name>> };

export function createOrders(client: PartnerClient, callWithKey: CallWithKey, has: Has): Orders {
  const refusedSlots = new Set<string>();
  const runningHolds = new Map<string, Promise<Schemas['Hold']>>();
  const failedOrders = new Set<string>();
  const refundedOrders = new Set<string>();

  /** Turns a rejection into a result with its code. */
  const reporting = async <Answer>(orderId: string, work: () => Promise<Answer>): Promise<Answer | Refusal> => {
    if (failedOrders.has(orderId)) return { error: { code: 'ORDER_FAILED' } };
    try {
      return await work();
    } catch (error) {
      if (has('order-dies-with-its-connection') && error instanceof PartnerConnectionError) failedOrders.add(orderId);
      if (!(error instanceof PartnerApiError)) throw error;
      if (has('order-dies-of-html') && error.code === 'HTTP_502') failedOrders.add(orderId);
      const alternatives = error.conflict?.alternatives.map(({ slot_id }) => slot_id);
      const isSilent = alternatives === undefined || has('no-alternatives');
      return { error: { code: error.code }, ...(isSilent ? {} : { alternatives }) };
    }
  };

  const hold = (order_id: string, slot_id: string) =>
    callWithKey({ what: 'hold', orderId: order_id }, (api, idempotency_key) =>
      api.placeHold({ body: { slot_id, idempotency_key } }),
    );
  const sharedHold = (order_id: string, slot_id: string) => {
    const running = runningHolds.get(slot_id) ?? hold(order_id, slot_id);
    runningHolds.set(slot_id, running);
    return running.finally(() => runningHolds.delete(slot_id));
  };

  const end = (
    what: 'cancel' | 'refund',
    { order_id, booking_id, reason }: ActionInputs['cancel_booking'],
  ): Promise<unknown> =>
    callWithKey<unknown>({ what, orderId: order_id }, (api, idempotency_key) => {
      const isReasonForgotten =
        what === 'refund' && refundedOrders.has(order_id) && has('refund-repeated-without-reason');
      if (what === 'refund') refundedOrders.add(order_id);
      const body = { reason: isReasonForgotten ? '' : reason, idempotency_key };
      const input = { path: { bookingId: booking_id }, body };
      return what === 'cancel' || has('refunds-by-cancel') ? api.cancelBooking(input) : api.refundBooking(input);
    });

  return {
    place_hold: async ({ order_id, slot_id }) => {
      if (has('remembers-refusals') && refusedSlots.has(slot_id)) return { error: { code: 'SLOT_NOT_AVAILABLE' } };
      const outcome = await reporting(order_id, async () => {
        const placed = await (has('hold-shared-by-orders') ? sharedHold : hold)(order_id, slot_id);
        if (has('strict-fields') && 'added_later' in placed) throw new Error('Unknown field of a hold');
        const price = has('price-of-the-listing') ? await listedPrice(client, placed) : placed.price_rupees;
        return heldResult(placed, has, price);
      });
      if ('error' in outcome) refusedSlots.add(slot_id);
      return promiseInstead(outcome, 'SLOT_NOT_AVAILABLE', has('promises-taken-slots'), inventedHold);
    },
    release_hold: ({ order_id, hold_id }) =>
      reporting(order_id, async () => {
        if (has('keeps-released-holds')) return { status: 'RELEASED' };
        const { status } = await client.releaseHold({ path: { holdId: hold_id } });
        return { status };
      }),
    confirm_booking: async (input) => {
      const outcome = await reporting(input.order_id, () => confirm(callWithKey, input, has));
      const invented = () => ({ booking_id: input.hold_id, status: 'BOOKED' });
      const reported = promiseInstead(outcome, 'DOUBLE_BOOKING_ATTEMPT', has('promises-lost-slots'), invented);
      return promiseInstead(reported, 'HOLD_EXPIRED', has('promises-expired-holds'), invented);
    },
    cancel_booking: (input) =>
      reporting(input.order_id, async () => {
        if (!has('cancels-in-its-own-books-only')) await end('cancel', input);
        return { status: 'CANCELLED' };
      }),
    refund_booking: (input) =>
      reporting(input.order_id, async () => {
        await end('refund', has('own-refund-reason') ? { ...input, reason: 'Refund' } : input);
        return { status: 'REFUNDED' };
      }),
    list_bookings: ({ venue_id }) => listBookings(client, venue_id, has),
    buy_package: ({ order_id, package_id, customer_phone }) =>
      reporting(order_id, async () => {
        const { purchase } = await callWithKey({ what: 'purchase', orderId: order_id }, (api, idempotency_key) =>
          api.buyPackage({
            path: { packageId: package_id },
            body: { customer_phone, payment_method: 'upi', idempotency_key },
          }),
        );
        return { purchase_id: purchase.id, credits_remaining: purchase.credits_remaining };
      }),
  };
}

async function listBookings(client: PartnerClient, venue_id: string | undefined, has: Has) {
  const booking_ids: string[] = [];
  const query = venue_id === undefined || has('lists-bookings-of-all-venues') ? {} : { venue_id };
  for await (const { data } of client.pages('listBookings', { query: { ...query, limit: 200 } })) {
    booking_ids.push(...data.map(({ booking_id }) => booking_id));
    if (has('first-page-only')) break;
  }
  return { booking_ids };
}

async function confirm(callWithKey: CallWithKey, input: ActionInputs['confirm_booking'], has: Has) {
  const { order_id, hold_id, customer, payment_reference, use_package_credit: asksForCredit = false } = input;
  const { booking_id, status, package_credit_consumed } = await callWithKey(
    { what: 'confirm', orderId: order_id },
    (api, idempotency_key) =>
      api.confirmBooking({
        body: {
          hold_id,
          idempotency_key,
          payment_reference: has('own-payment-reference') ? `order ${order_id}` : payment_reference,
          customer_name: customer.name,
          customer_phone: customer.phone,
          ...(customer.email === undefined || has('drops-the-email') ? {} : { customer_email: customer.email }),
          ...(asksForCredit && !has('never-asks-for-credit') ? { use_package_credit: true } : {}),
        },
      }),
  );
  const isConsumed = package_credit_consumed === true || (asksForCredit && has('takes-asked-credit-for-consumed'));
  return { booking_id, status, ...(isConsumed ? { package_credit_consumed: true } : {}) };
}

/** The outcome, or if `isPromised`, an invented result instead of a rejection with `code`. */
function promiseInstead<Answer extends object>(
  outcome: Answer | Refusal,
  code: string,
  isPromised: boolean,
  invent: () => Answer,
): Answer | Refusal {
  return isPromised && 'error' in outcome && outcome.error.code === code ? invent() : outcome;
}

const inventedHold = (): Result<'place_hold'> => ({
  hold_id: randomUUID(),
  hold_expiry_at: new Date(Date.now() + 600_000).toISOString(),
  price_rupees: 0,
});

function heldResult(placed: Schemas['Hold'], has: Has, price_rupees: number): Result<'place_hold'> {
  const { hold_id, hold_expiry_at: expiry } = placed;
  const hold_expiry_at = has('made-up-expiry') ? new Date(Date.now() + 900_000).toISOString() : expiry;
  return { hold_id, hold_expiry_at, price_rupees };
}

/** The slot's price in the listing of its day. */
async function listedPrice(client: PartnerClient, { venue_id, slot_id, slot_start, price_rupees }: Schemas['Hold']) {
  const query = { venue_id, date: slot_start.slice(0, 10) };
  const { slots } = await client.getAvailability({ query });
  return slots.find((slot) => slot.slot_id === slot_id)?.price_rupees ?? price_rupees;
}
