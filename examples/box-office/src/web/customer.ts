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
 * Identifies the customer by a cookie, set with the first page. Put your own sign-in here. Rejects forms of other sites
 * first: browsers send them without the cookie, and a new cookie would replace the customer's.
 */
export function identifyCustomer(publicUrl: string | undefined) {
  const isSecure = publicUrl?.startsWith('https:') ?? false;
  // With this prefix, other hosts of the domain cannot set the cookie.
  const name = isSecure ? '__Host-customer' : 'customer';
  const cookiePattern = new RegExp(`(?:^|; )${name}=([0-9a-f-]{36})(?:;|$)`);
  return (request: Request, response: Response, next: NextFunction): void => {
    if (request.method !== 'GET' && request.method !== 'HEAD' && !isOwnForm(request.headers, publicUrl))
      throw refuse('FOREIGN_FORM');
    const customer = cookiePattern.exec(request.headers.cookie ?? '')?.[1] ?? randomUUID();
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

/** Whether a page of this shop, or no browser, sent the request. Browsers without Sec-Fetch-Site send Origin. */
function isOwnForm(
  { 'sec-fetch-site': site, origin, host }: IncomingHttpHeaders,
  publicUrl: string | undefined,
): boolean {
  if (site !== undefined) return site === 'same-origin' || site === 'none';
  if (origin === undefined) return true;
  const ownOrigins = [
    `http://${host}`,
    `https://${host}`,
    ...(publicUrl === undefined ? [] : [new URL(publicUrl).origin]),
  ];
  return ownOrigins.includes(origin);
}

/** The customer who sent the request. */
export const customerOf = ({ locals }: Response): string => String(locals['customer']);

/** Reads a form. If a field comes twice, its last value counts. */
export const readForm = [
  express.urlencoded({ extended: false, limit: '10kb' }),
  (request: Request, _response: Response, next: NextFunction): void => {
    const fields = Object.entries((request.body ?? {}) as Record<string, string | string[]>);
    request.body = Object.fromEntries(fields.map(([name, value]) => [name, [value].flat().at(-1)]));
    next();
  },
];

/** The order of this customer. @throws RefusedError if the order is missing or another customer's */
export function requireOwn(order: Order | undefined, customer: string): Order {
  if (order?.customer !== customer) throw refuse('BOOKING_NOT_FOUND');
  return order;
}

/**
 * The order id of a form: a new id, which the page generated, or the id of one of the customer's orders.
 *
 * @throws RefusedError if it is not an id, or the order is another customer's or already has an `other` operation
 */
export function requireOrderId({ order_id: orderId = '' }: Form, store: Store, customer: string, other: Kind): string {
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(orderId)) throw refuse('BAD_REQUEST');
  const order = store.order(orderId);
  if (order !== undefined) requireOwn(order, customer);
  if (order?.operations[other] !== undefined) throw refuse('IDEMPOTENCY_KEY_MISMATCH');
  return orderId;
}

/** The time zone of a venue, or UTC if it cannot be read. */
export async function zoneOf(client: PartnerClient, venueId: string | undefined): Promise<string> {
  if (venueId === undefined) return 'UTC';
  return client.getVenue({ path: { venueId } }).then(
    ({ time_zone }) => time_zone,
    () => 'UTC',
  );
}
