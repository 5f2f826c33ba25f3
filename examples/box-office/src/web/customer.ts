import { randomUUID } from 'node:crypto';
import type { Request, Response } from 'express';
import type { PartnerClient } from 'partner-booking-client';
import { refuse } from '../refusals.ts';

/** The fields of a form. */
export type Form = Record<string, string | undefined>;

const COOKIE_SECONDS = 180 * 86_400;

/** Whose browser it is; from now on it says so itself. Put your own sign-in here. */
export function customerOf(request: Request<never>, response: Response, isSecure: boolean): string {
  const [, known] = /(?:^|; )customer=([0-9a-f-]{36})(?:;|$)/.exec(request.headers.cookie ?? '') ?? [];
  const customer = known ?? randomUUID();
  response.cookie('customer', customer, {
    ...{ httpOnly: true, secure: isSecure, maxAge: COOKIE_SECONDS * 1000 },
    // It is not sent with the form of another site.
    sameSite: 'lax',
  });
  return customer;
}

/** The order, where it is this customer's. @throws RefusedError as if there was none where it is another's */
export function requireOwn<Each extends { customer: string }>(
  order: Each | undefined,
  customer: string,
): Each {
  if (order?.customer !== customer) throw refuse('BOOKING_NOT_FOUND');
  return order;
}

/** An id that a page of ours has made up. @throws RefusedError for any other text */
export function requireOrderId(orderId = ''): string {
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(orderId)) throw refuse('VALIDATION_ERROR');
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
