import type { Request, Response, Router } from 'express';
import express from 'express';
import type { Order } from '../order-types.ts';
import { orderNow } from '../orders.ts';
import { authorisePayment } from '../payments.ts';
import type { Refusal } from '../refusals.ts';
import { RefusedError, refuse, statusFor, UnansweredError } from '../refusals.ts';
import type { Shop } from '../shop.ts';
import { isDate } from '../venue-time.ts';
import type { Form } from './customer.ts';
import { customerOf, readForm, requireOrderId, requireOwn, zoneOf } from './customer.ts';
import type { FormInput } from './order-pages.ts';
import { bookingsPage, orderPage, refusedPage } from './order-pages.ts';

type OrderRequest = Request<{ orderId: string }, unknown, Form | undefined>;
type OrderHandler = (order: Order, form: Form, response: Response) => Promise<unknown>;

/** Limits the list, which calls the service for each order. */
const MAX_ORDERS = 30;

export function orderRoutes(shop: Shop): Router {
  const { client, store, orders, operations } = shop;
  const router = express.Router();

  /** Handles a form or page of the customer's own order. The order's page also shows rejections and missing answers. */
  const ownOrder = (handle: OrderHandler) => async (request: OrderRequest, response: Response) => {
    const form = request.body ?? {};
    const order = requireOwn(store.order(request.params.orderId), customerOf(response));
    try {
      await handle(order, form, response);
    } catch (error) {
      if (error instanceof RefusedError) {
        const { refusal } = error;
        await show(order, response.status(statusFor(refusal)), { input: inputOf(form), refusal });
        return;
      }
      if (!(error instanceof UnansweredError)) throw error;
    }
    if (!response.headersSent) response.redirect(303, pathOf(order));
  };
  const show = async (order: Order, response: Response, attempt: { input?: FormInput; refusal?: Refusal } = {}) => {
    const now = await orderNow(client, order);
    const zone = await zoneOf(client, now.hold?.venue_id ?? now.purchase?.venue_ids[0]);
    response.send(orderPage(now, zone, { packages: packagesOf(order.customer), ...attempt }));
  };
  const packagesOf = (customer: string) =>
    store.ordersOf(customer).flatMap(({ orderId, operations: { purchase } }) => {
      const phone = purchase?.answer?.customer_phone;
      return phone === undefined ? [] : [{ orderId, phone }];
    });
  /** The order of another tab that already has the slot for this customer. */
  const orderThatHas = async (slotId: string, customer: string): Promise<Order | undefined> => {
    const [own] = store.ordersOf(customer).filter(({ operations: { hold } }) => hold?.answer?.slot_id === slotId);
    if (own === undefined) return undefined;
    const { hold, booking } = await orderNow(client, own);
    return booking?.status === 'BOOKED' || hold?.status === 'ACTIVE' ? own : undefined;
  };

  router.post('/orders', readForm, async (request: Request<never, unknown, Form>, response: Response) => {
    const { slot_id = '', venue_id = '', date = '' } = request.body;
    const customer = customerOf(response);
    const orderId = requireOrderId(request.body, store, customer, 'purchase');
    if (slot_id === '' || !isDate(date)) throw refuse('BAD_REQUEST');
    try {
      await orders.place({ orderId, customer }, { slot_id, venue_id, date });
    } catch (error) {
      if (error instanceof RefusedError) {
        const { refusal } = error;
        const own = refusal.code === 'SLOT_NOT_AVAILABLE' && (await orderThatHas(slot_id, customer));
        if (own) return response.redirect(303, pathOf(own));
        const timeZone = await zoneOf(client, venue_id);
        const place = { venueId: venue_id, date, timeZone };
        return response.status(statusFor(refusal)).send(refusedPage(refusal, place));
      }
      if (!(error instanceof UnansweredError)) throw error;
    }
    return response.redirect(303, `/orders/${orderId}`);
  });

  router.get(
    '/orders/:orderId',
    ownOrder(async (order, _form, response) => {
      await operations.settle(order.orderId);
      await show(order, response);
    }),
  );

  const confirm: OrderHandler = async (order, form) => {
    const { name = '', phone = '', email = '', packageOrder = '' } = inputOf(form);
    // The phone number does not prove who bought the package: others could type it.
    const ownPackage = packagesOf(order.customer).find(({ orderId }) => orderId === packageOrder);
    if (packageOrder !== '' && ownPackage === undefined) throw refuseField('package_order');
    const customer = { name, phone: ownPackage?.phone ?? phone, ...(email !== '' && { email }) };
    const payment = { paymentReference: await authorisePayment(order.orderId) };
    const usesCredit = ownPackage !== undefined;
    await orders.confirm(order.orderId, {
      holdId: holdIdOf(order),
      customer,
      ...payment,
      ...(usesCredit && { usesCredit }),
    });
  };
  router.post('/orders/:orderId/confirm', readForm, ownOrder(confirm));
  router.post(
    '/orders/:orderId/release',
    ownOrder((order) => orders.release(order.orderId, holdIdOf(order))),
  );
  const cancel: OrderHandler = (order, { reason = '' }) => orders.cancel(order.orderId, bookingIdOf(order), reason);
  router.post('/orders/:orderId/cancel', readForm, ownOrder(cancel));

  router.get('/bookings', async (_request, response: Response) => {
    const own = store.ordersOf(customerOf(response)).filter(isBookingOrPackage);
    const entries = own.slice(0, MAX_ORDERS).map(async (order) => {
      const now = await orderNow(client, order);
      return { now, timeZone: await zoneOf(client, now.hold?.venue_id) };
    });
    response.send(bookingsPage(await Promise.all(entries)));
  });
  return router;
}

const pathOf = ({ orderId }: Order): string => `/orders/${orderId}`;

const inputOf = ({
  customer_name: name,
  customer_phone: phone,
  customer_email: email,
  package_order: packageOrder,
}: Form): FormInput => ({
  ...(name !== undefined && { name }),
  ...(phone !== undefined && { phone }),
  ...(email !== undefined && { email }),
  ...(packageOrder !== undefined && { packageOrder }),
});

/** Whether the order is a booking or package, completed or pending. */
const isBookingOrPackage = ({ operations: { confirm, purchase } }: Order): boolean =>
  [confirm, purchase].some((call) => call !== undefined && call.refusal === undefined);

const refuseField = (name: string): RefusedError =>
  new RefusedError({ code: 'VALIDATION_ERROR', faults: { [name]: 'is not yours' }, alternatives: [] });

function holdIdOf({ operations: { hold } }: Order): string {
  if (hold?.answer === undefined) throw refuse('HOLD_NOT_FOUND');
  return hold.answer.hold_id;
}

function bookingIdOf({ operations: { confirm } }: Order): string {
  if (confirm?.answer === undefined) throw refuse('BOOKING_NOT_FOUND');
  return confirm.answer.booking_id;
}
