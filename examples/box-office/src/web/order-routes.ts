import type { Request, Response, Router } from 'express';
import express from 'express';
import type { Order } from '../order-types.ts';
import { orderNow } from '../orders.ts';
import { authorisePayment } from '../payments.ts';
import { RefusedError, refuse, UnansweredError } from '../refusals.ts';
import type { Shop } from '../shop.ts';
import { isDate } from '../venue-time.ts';
import type { Form } from './customer.ts';
import { customerOf, requireOrderId, requireOwn, zoneOf } from './customer.ts';
import type { Typed } from './order-pages.ts';
import { bookingsPage, orderPage, refusedPage } from './order-pages.ts';

type OrderRequest = Request<{ orderId: string }, unknown, Form | undefined>;
type OrderHandler = (order: Order, form: Form, response: Response) => Promise<void>;

/** The list asks the service about each order that it shows. */
const MOST_ORDERS = 30;

export function orderRoutes(shop: Shop, isSecure: boolean): Router {
  const { client, store, orders, operations } = shop;
  const router = express.Router();
  const form = express.urlencoded({ extended: false, limit: '10kb' });

  /** Of an order that is this customer's. Where the service does not answer, the page of the order says so. */
  const ownOrder = (handle: OrderHandler) => async (request: OrderRequest, response: Response) => {
    const customer = customerOf(request as Request<never>, response, isSecure);
    const order = requireOwn(store.order(request.params.orderId), customer);
    try {
      await handle(order, request.body ?? {}, response);
    } catch (error) {
      if (error instanceof RefusedError) await show(order, response.status(409));
      else if (error instanceof UnansweredError) response.redirect(303, pathOf(order));
      else throw error;
    }
  };
  const show = async (order: Order, response: Response, typed: Typed = {}): Promise<void> => {
    const now = await orderNow(client, order);
    response.send(orderPage(now, await zoneOf(client, now.hold?.venue_id), typed));
  };

  router.post('/orders', form, async (request: Request<never, unknown, Form | undefined>, response) => {
    const { order_id, slot_id = '', venue_id = '', date = '' } = request.body ?? {};
    const orderId = requireOrderId(order_id);
    if (!isDate(date)) throw refuse('VALIDATION_ERROR');
    const customer = customerOf(request, response, isSecure);
    requireOwn(store.order(orderId) ?? { customer }, customer);
    try {
      await orders.place({ orderId, customer }, { slot_id, venue_id, date });
    } catch (error) {
      if (error instanceof RefusedError) {
        const timeZone = await zoneOf(client, venue_id);
        response.status(409).send(refusedPage(error.refusal, { venueId: venue_id, date, timeZone }));
        return;
      }
      if (!(error instanceof UnansweredError)) throw error;
    }
    response.redirect(303, `/orders/${orderId}`);
  });

  router.get('/orders/:orderId', async (request: OrderRequest, response) => {
    const customer = customerOf(request as Request<never>, response, isSecure);
    const order = requireOwn(store.order(request.params.orderId), customer);
    await operations.settle(order.orderId);
    await show(order, response);
  });

  const confirm: OrderHandler = async (order, typed, response) => {
    const { customer_name: name = '', customer_phone: phone = '', customer_email: email = '' } = typed;
    const customer = { name, phone, ...(email !== '' && { email }) };
    const paymentReference = await authorisePayment(order.orderId);
    const usesCredit = typed['use_package_credit'] === '1';
    const payment = { paymentReference, ...(usesCredit && { usesCredit }) };
    try {
      await orders.confirm(order.orderId, { holdId: holdIdOf(order), customer, ...payment });
    } catch (error) {
      if (!(error instanceof RefusedError)) throw error;
      return show(order, response.status(409), { name, phone, email });
    }
    return response.redirect(303, pathOf(order));
  };
  router.post('/orders/:orderId/confirm', form, ownOrder(confirm));

  const release: OrderHandler = async (order, _typed, response) => {
    await orders.release(order.orderId, holdIdOf(order));
    response.redirect(303, pathOf(order));
  };
  router.post('/orders/:orderId/release', ownOrder(release));

  const cancel: OrderHandler = async (order, { reason = '' }, response) => {
    await orders.cancel(order.orderId, bookingIdOf(order), reason);
    response.redirect(303, pathOf(order));
  };
  router.post('/orders/:orderId/cancel', form, ownOrder(cancel));

  router.get('/bookings', async (request: Request<never>, response) => {
    const own = store.ordersOf(customerOf(request, response, isSecure));
    const booked = own.filter((order) => order.operations.confirm?.answer !== undefined);
    const shown = booked.slice(0, MOST_ORDERS).map(async (order) => {
      const now = await orderNow(client, order);
      return { now, timeZone: await zoneOf(client, now.hold?.venue_id) };
    });
    response.send(bookingsPage(await Promise.all(shown)));
  });
  return router;
}

const pathOf = ({ orderId }: Order): string => `/orders/${orderId}`;

function holdIdOf({ operations: { hold } }: Order): string {
  if (hold?.answer === undefined) throw refuse('HOLD_NOT_FOUND');
  return hold.answer.hold_id;
}

function bookingIdOf({ operations: { confirm } }: Order): string {
  if (confirm?.answer === undefined) throw refuse('BOOKING_NOT_FOUND');
  return confirm.answer.booking_id;
}
