// The actions that the certification calls. Each calls only functions that the pages call too.

import type { Express, NextFunction, Request, Response } from 'express';
import express from 'express';
import { outcomeOf, RefusedError, refuse } from './refusals.ts';
import type { Shop } from './shop.ts';
import { localTime } from './venue-time.ts';

type Input = Record<
  | 'venue_id'
  | 'date'
  | 'order_id'
  | 'slot_id'
  | 'hold_id'
  | 'booking_id'
  | 'reason'
  | 'payment_reference'
  | 'package_id'
  | 'customer_phone'
  | 'secret_key',
  string
> & {
  customer: { name: string; phone: string; email?: string };
  use_package_credit?: boolean;
};
type Action = (input: Input) => Promise<object>;

function actionsOf({ client, store, availability, events, orders }: Shop): Record<string, Action> {
  const orderOf = ({ order_id: orderId }: Input) => {
    if (typeof orderId !== 'string') throw refuse('BAD_REQUEST');
    return { orderId, customer: 'certification' };
  };
  return {
    list_venues: async () => {
      const { data } = await client.listVenues();
      return { venues: data.map(({ venue_id, name }) => ({ venue_id, name })) };
    },
    list_resources: async ({ venue_id: venueId }) => {
      const { data } = await client.listResources({ path: { venueId } });
      return { resources: data.map(({ resource_id }) => ({ resource_id })) };
    },
    list_slots: async ({ venue_id, date }) => {
      const { venue, slots } = await availability.day(venue_id, date);
      return {
        slots: slots.map(({ slot_id, resource_id, slot_start, price_rupees, is_available }) => ({
          slot_id,
          resource_id,
          local_time: localTime(slot_start, venue.time_zone),
          price_rupees,
          is_available,
        })),
      };
    },
    place_hold: async (input) => {
      const hold = await orders.place(orderOf(input), { slot_id: input.slot_id });
      const { hold_id, hold_expiry_at, price_rupees } = hold;
      return { hold_id, hold_expiry_at, price_rupees };
    },
    release_hold: async ({ order_id, hold_id }) => {
      const { status } = await orders.release(order_id, hold_id);
      return { status };
    },
    confirm_booking: async ({ order_id, hold_id, customer, payment_reference, use_package_credit }) => {
      const { booking_id, status, package_credit_consumed } = await orders.confirm(order_id, {
        holdId: hold_id,
        customer,
        paymentReference: payment_reference,
        ...(use_package_credit === undefined ? {} : { usesCredit: use_package_credit }),
      });
      return { booking_id, status, ...(package_credit_consumed && { package_credit_consumed }) };
    },
    cancel_booking: async ({ order_id, booking_id, reason }) => {
      const { status } = await orders.cancel(order_id, booking_id, reason);
      return { status };
    },
    refund_booking: async ({ order_id, booking_id, reason }) => {
      const { status } = await orders.refund(order_id, booking_id, reason);
      return { status };
    },
    list_bookings: async ({ venue_id }) => {
      const ids: string[] = [];
      const query = { limit: 200, ...(venue_id !== undefined && { venue_id }) };
      for await (const { data } of client.pages('listBookings', { query }))
        ids.push(...data.map(({ booking_id }) => booking_id));
      return { booking_ids: ids };
    },
    buy_package: async (input) => {
      const purchase = await orders.buyPackage(orderOf(input), input.package_id, input.customer_phone);
      return { purchase_id: purchase.id, credits_remaining: purchase.credits_remaining };
    },
    set_webhook_secret: async ({ secret_key: secretKey }) => {
      await store.changeSecret({ secretKey });
      return {};
    },
    list_handled_events: async () => ({ event_ids: store.handledEvents() }),
    reconcile: async () => {
      await events.catchUp();
      return {};
    },
  };
}

/**
 * Serves only `POST /<action>`. Listen on loopback, on a separate port that the proxy in front of the pages does not
 * reach.
 */
export function createCertification(shop: Shop): Express {
  const actions = actionsOf(shop);
  const app = express();
  app.disable('x-powered-by');
  app.use(requireOwnCaller, express.json());
  app.post('/:action', async (request: Request<{ action: string }>, response: Response) => {
    const { action } = request.params;
    const perform = Object.hasOwn(actions, action) ? actions[action] : undefined;
    if (perform === undefined) {
      response.status(404).json({ error: { code: 'UNKNOWN_ACTION' } });
      return;
    }
    try {
      response.json(await perform((request.body ?? {}) as Input));
    } catch (error) {
      response.json(errorResult(error));
    }
  });
  app.use((error: unknown, _request: Request, response: Response, _next: NextFunction) => {
    response.status(400).json({ error: { code: 'INVALID_JSON', message: String(error) } });
  });
  return app;
}

function errorResult(error: unknown): object {
  const outcome = outcomeOf(error);
  if (!(outcome instanceof RefusedError)) return { error: { code: outcome.code } };
  const { code, alternatives } = outcome.refusal;
  return {
    error: { code },
    ...(code === 'SLOT_NOT_AVAILABLE' && { alternatives: alternatives.map(({ slot_id }) => slot_id) }),
  };
}

/** Accepted host names. Other names may be DNS rebinding: a web page whose host name resolves to this machine. */
const OWN_NAMES: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost']);

/** Rejects calls of web pages in a browser on this machine: a page cannot send JSON without a preflight. */
function requireOwnCaller(request: Request, response: Response, next: NextFunction): void {
  if (OWN_NAMES.has(request.hostname) && request.is('application/json') === 'application/json') next();
  else response.status(404).end();
}
