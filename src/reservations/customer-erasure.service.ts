import type { Db } from '../platform/mongo.ts';
import { countUpcoming, eraseCustomer, findPast } from './customer-erasure.store.ts';
import type { Reservation } from './reservations.model.ts';

/** How many bookings of the customer, of whatever partner and walk-ins included, are still to come. */
export async function countUpcomingOf(deps: { db: Db }, phoneE164: string): Promise<number> {
  return countUpcoming(deps.db, phoneE164);
}

/** Up to `limit` bookings of the customer that are over, cancelled or refunded. */
export async function findPastOf(
  deps: { db: Db },
  phoneE164: string,
  limit: number,
): Promise<Pick<Reservation, '_id' | 'outbox'>[]> {
  return findPast(deps.db, phoneE164, limit);
}

/** Overwrites who the customer of these bookings was, and the reasons given; answers in how many. Ids, keys and payment stay. */
export async function eraseCustomerOf(
  deps: { db: Db },
  reservationIds: readonly string[],
  overwritten: string,
): Promise<number> {
  return eraseCustomer(deps.db, reservationIds, overwritten);
}
