import type { PartnerClient, Schemas } from 'partner-booking-client';
import type { Availability } from './availability.ts';
import type { Operations } from './operations.ts';
import type { Answers, Order, Requests } from './order-types.ts';
import { refuse } from './refusals.ts';
import type { Store } from './store.ts';

export type CustomerData = { name: string; phone: string; email?: string };
type OrderRef = Pick<Order, 'orderId' | 'customer'>;

/** A customer's actions. Repeated clicks are safe: an order has one hold and one booking. */
export type Orders = {
  place(order: OrderRef, request: Requests['hold']): Promise<Answers['hold']>;
  release(orderId: string, holdId: string): Promise<Answers['release']>;
  confirm(orderId: string, request: ConfirmRequest): Promise<Answers['confirm']>;
  cancel(orderId: string, bookingId: string, reason: string): Promise<Answers['cancel']>;
  refund(orderId: string, bookingId: string, reason: string): Promise<Answers['refund']>;
  buyPackage(order: OrderRef, packageId: string, customerPhone: string): Promise<Answers['purchase']>;
};
export type ConfirmRequest = {
  holdId: string;
  customer: CustomerData;
  paymentReference: string;
  usesCredit?: boolean;
};

export function createOrders(store: Store, operations: Operations, availability: Availability): Orders {
  const requireOrder = (orderId: string): Order => {
    const order = store.order(orderId);
    if (order === undefined) throw refuse('ORDER_NOT_FOUND');
    return order;
  };
  /** Makes the venue's cached days stale: customers must see this shop's own changes at once. */
  const thenHint = async <Result>(order: OrderRef, result: Promise<Result>): Promise<Result> => {
    try {
      return await result;
    } finally {
      const hold = store.order(order.orderId)?.operations.hold;
      availability.hint({ venue_id: hold?.answer?.venue_id ?? hold?.request.venue_id });
    }
  };

  return {
    place: (order, request) => thenHint(order, operations.perform(order, 'hold', request)),
    release: async (orderId, holdId) => {
      const order = requireOrder(orderId);
      return thenHint(order, operations.perform(order, 'release', { hold_id: holdId }));
    },
    confirm: async (orderId, { holdId, customer, paymentReference, usesCredit }) => {
      const order = requireOrder(orderId);
      const request: Requests['confirm'] = {
        hold_id: holdId,
        payment_reference: paymentReference,
        customer_name: customer.name,
        customer_phone: customer.phone,
        ...(customer.email === undefined ? {} : { customer_email: customer.email }),
        ...(usesCredit === undefined ? {} : { use_package_credit: usesCredit }),
      };
      return thenHint(order, operations.perform(order, 'confirm', request));
    },
    cancel: async (orderId, bookingId, reason) => {
      const order = requireOrder(orderId);
      return thenHint(order, operations.perform(order, 'cancel', { booking_id: bookingId, reason }));
    },
    refund: async (orderId, bookingId, reason) => {
      const order = requireOrder(orderId);
      return thenHint(order, operations.perform(order, 'refund', { booking_id: bookingId, reason }));
    },
    buyPackage: (order, packageId, customerPhone) =>
      operations.perform(order, 'purchase', { package_id: packageId, customer_phone: customerPhone }),
  };
}

/** The current state of an order, or its last known state if the service does not answer. */
export type OrderNow = {
  order: Order;
  hold?: Schemas['Hold'];
  /** Whole seconds by the service's clock; undefined if it does not answer. */
  secondsLeft?: number;
  booking?: Schemas['Booking'];
  purchase?: Schemas['Purchase'];
};

export async function orderNow(client: PartnerClient, order: Order): Promise<OrderNow> {
  const { hold: holdCall, confirm, purchase: purchaseCall } = order.operations;
  if (purchaseCall?.answer !== undefined) {
    const stored = purchaseCall.answer;
    const path = { purchaseId: stored.id };
    const { purchase } = await client.getPurchase({ path }).catch(() => ({ purchase: stored }));
    return { order, purchase };
  }
  const placed = holdCall?.answer;
  if (confirm?.answer !== undefined) {
    const path = { bookingId: confirm.answer.booking_id };
    const booking = await client.getBooking({ path }).catch(() => undefined);
    return { order, ...(placed && { hold: placed }), ...(booking && { booking }) };
  }
  if (placed === undefined) return { order };
  try {
    const hold = await client.getHold({ path: { holdId: placed.hold_id } });
    return { order, hold, secondsLeft: client.secondsLeft(hold) };
  } catch {
    return { order, hold: placed };
  }
}
