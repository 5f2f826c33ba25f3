import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { NextFunction, Request, Response } from 'express';
import express from 'express';
import type { PartnerClient } from 'partner-booking-client';
import type { Kind, Order } from '../order-types.ts';
import { refuse } from '../refusals.ts';
import type { Store } from '../store.ts';

/** The fields of a form. */
export type Form = Record<string, string | undefined>;

const COOKIE_SECONDS = 180 * 86_400;

/**
 * Knows whose browser it is, by a cookie that each gets from its first page on. A form that a page of another site has sent is refused
 * before that: it comes without the cookie, and would be given another. Put your own sign-in here.
 */
export function knowCustomer(publicUrl: string | undefined) {
  const isSecure = publicUrl?.startsWith('https:') ?? false;
  // With this prefix a neighbour below the same domain cannot set it.
  const name = isSecure ? '__Host-customer' : 'customer';
  const known = new RegExp(`(?:^|; )${name}=([0-9a-f-]{36})(?:;|$)`);
  return (request: Request, response: Response, next: NextFunction): void => {
    if (request.method !== 'GET' && request.method !== 'HEAD' && !isOwnForm(request.headers, publicUrl))
      throw refuse('FOREIGN_FORM');
    const customer = known.exec(request.headers.cookie ?? '')?.[1] ?? randomUUID();
    response.locals['customer'] = customer;
    response.cookie(name, customer, {
      httpOnly: true,
      secure: isSecure,
      sameSite: 'lax',
      maxAge: COOKIE_SECONDS * 1000,
    });
    next();
  };
}

/** Whether a page of this shop has sent it, or no browser at all. Browsers that do not say from where say at least which origin. */
function isOwnForm(
  { 'sec-fetch-site': site, origin, host }: IncomingHttpHeaders,
  publicUrl: string | undefined,
): boolean {
  if (site !== undefined) return site === 'same-origin' || site === 'none';
  if (origin === undefined) return true;
  const own = [`http://${host}`, `https://${host}`, ...(publicUrl === undefined ? [] : [new URL(publicUrl).origin])];
  return own.includes(origin);
}

/** Of whom the request is. */
export const customerOf = ({ locals }: Response): string => String(locals['customer']);

/** Reads a form. A field that comes twice is what it was the last time. */
export const readForm = [
  express.urlencoded({ extended: false, limit: '10kb' }),
  (request: Request, _response: Response, next: NextFunction): void => {
    const fields = Object.entries((request.body ?? {}) as Record<string, string | string[]>);
    request.body = Object.fromEntries(fields.map(([name, value]) => [name, [value].flat().at(-1)]));
    next();
  },
];

/** The order, where it is this customer's. @throws RefusedError as if there was none where it is another's */
export function requireOwn(order: Order | undefined, customer: string): Order {
  if (order?.customer !== customer) throw refuse('BOOKING_NOT_FOUND');
  return order;
}

/**
 * The id of the order that a form begins, as a page of ours has made it up, or goes on with. @throws RefusedError for any other text, and
 * where the order is another's or has `other` already: one order is for one thing
 */
export function requireOrderId({ order_id: orderId = '' }: Form, store: Store, customer: string, other: Kind): string {
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(orderId)) throw refuse('BAD_REQUEST');
  const known = store.order(orderId);
  if (known !== undefined) requireOwn(known, customer);
  if (known?.operations[other] !== undefined) throw refuse('IDEMPOTENCY_KEY_MISMATCH');
  return orderId;
}

/** The zone of a venue; UTC where the service does not say. */
export async function zoneOf(client: PartnerClient, venueId: string | undefined): Promise<string> {
  if (venueId === undefined) return 'UTC';
  return client.getVenue({ path: { venueId } }).then(
    ({ time_zone }) => time_zone,
    () => 'UTC',
  );
}
