import type { Erasure, ToCome } from '../domain/erasure.ts';
import { DomainError } from '../domain/errors.ts';
import type { Db } from '../platform/mongo.ts';
import type { CustomerOf, EndedHold, PastBooking } from './customer-erasure.store.ts';
import {
  eraseCustomer,
  eraseHolds,
  findEndedHolds,
  findIdentities,
  findPast,
  findPhone,
  findUpcoming,
} from './customer-erasure.store.ts';

export type { CustomerOf, PastBooking } from './customer-erasure.store.ts';

/**
 * Who the customer of a booking is: whoever has its phone, else, where it has none, of this one booking alone.
 * @throws DomainError BOOKING_NOT_FOUND
 */
export async function customerOfBooking(deps: { db: Db }, bookingId: string): Promise<CustomerOf> {
  const phoneE164 = await findPhone(deps.db, bookingId);
  if (phoneE164 === undefined)
    throw new DomainError(
      'BOOKING_NOT_FOUND',
      'There is no booking with that id. Use booking_id as it is listed.',
    );
  return phoneE164 === null ? { bookingId } : { phoneE164 };
}

/** The bookings of the customer, of whatever partner and walk-ins included, that are still to come. */
export async function findUpcomingOf(deps: { db: Db }, customer: CustomerOf): Promise<ToCome> {
  return findUpcoming(deps.db, customer);
}

/** Every name and address that the bookings of the customer have. */
export async function findIdentitiesOf(
  deps: { db: Db },
  customer: CustomerOf,
): Promise<{ name: string | null; email: string | null }[]> {
  return findIdentities(deps.db, customer);
}

/** Up to `limit` bookings of the customer that are over, cancelled or refunded, and not `overwritten` yet. */
export async function findPastOf(
  deps: { db: Db },
  customer: CustomerOf,
  overwritten: string,
  limit: number,
): Promise<PastBooking[]> {
  return findPast(deps.db, customer, overwritten, limit);
}

/** Up to `limit` at a time, the holds that ended without a booking and whose key or reason tells of the customer. */
export async function* findTracedHolds(
  deps: { db: Db },
  { isTrace }: Erasure,
  limit: number,
): AsyncGenerator<EndedHold[]> {
  let traced: EndedHold[] = [];
  for await (const hold of findEndedHolds(deps.db)) {
    if (isTrace(hold.holdKey ?? '') || isTrace(hold.releaseReason ?? '')) traced.push(hold);
    if (traced.length < limit) continue;
    yield traced;
    traced = [];
  }
  if (traced.length > 0) yield traced;
}

/** Overwrites the reasons of these holds, and the keys that tell of the customer; returns in how many. */
export async function eraseCustomerOfHolds(
  deps: { db: Db },
  holds: readonly EndedHold[],
  erasure: Erasure,
): Promise<number> {
  return eraseHolds(deps.db, holds, erasure);
}

/**
 * Overwrites who the customer of these bookings was, the reasons given, and the keys and payment references that tell of the
 * customer; returns in how many. A booking that was ended since it was read is left as it is, to be read again: its new
 * reason has not been erased where else it went. Ids stay, and so do all other keys and references.
 */
export async function eraseCustomerOf(
  deps: { db: Db },
  bookings: readonly PastBooking[],
  erasure: Erasure,
): Promise<number> {
  return eraseCustomer(deps.db, bookings, erasure);
}
