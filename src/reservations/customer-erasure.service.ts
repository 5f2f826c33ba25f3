import type { Erasure, ToCome } from '../platform/erasure.ts';
import type { Db } from '../platform/mongo.ts';
import type { PastBooking } from './customer-erasure.store.ts';
import { eraseCustomer, findIdentities, findPast, findUpcoming } from './customer-erasure.store.ts';

export type { PastBooking } from './customer-erasure.store.ts';

/** The bookings of the customer, of whatever partner and walk-ins included, that are still to come. */
export async function findUpcomingOf(deps: { db: Db }, phoneE164: string): Promise<ToCome> {
  return findUpcoming(deps.db, phoneE164);
}

/** Every name and address that the bookings of the customer have. */
export async function findIdentitiesOf(
  deps: { db: Db },
  phoneE164: string,
): Promise<{ name: string | null; email: string | null }[]> {
  return findIdentities(deps.db, phoneE164);
}

/** Up to `limit` bookings of the customer that are over, cancelled or refunded. */
export async function findPastOf(deps: { db: Db }, phoneE164: string, limit: number): Promise<PastBooking[]> {
  return findPast(deps.db, phoneE164, limit);
}

/**
 * Overwrites who the customer of these bookings was, the reasons given, and the keys and payment references that tell of the
 * customer; answers in how many. A booking that was ended since it was read is left as it is, to be read again: its new
 * reason has not been erased where else it went. Ids stay, and so do all other keys and references.
 */
export async function eraseCustomerOf(
  deps: { db: Db },
  bookings: readonly PastBooking[],
  erasure: Erasure,
): Promise<number> {
  return eraseCustomer(deps.db, bookings, erasure);
}
