import type { DispatchDeps } from '../events/event-dispatch.service.ts';
import { dispatchEvents } from '../events/event-dispatch.service.ts';
import { eraseReasonsOf } from '../events/events.service.ts';
import { eraseCustomerOfPurchases, findUsable } from '../packages/packages.service.ts';
import type { Erasure } from '../platform/erasure.ts';
import { DomainError } from '../platform/errors.ts';
import { nationalDigitsOf, requireCustomerPhone } from '../platform/phone.ts';
import {
  eraseCustomerOf,
  findIdentitiesOf,
  findPastOf,
  findUpcomingOf,
} from '../reservations/customer-erasure.service.ts';
import { eraseExcerptsOf } from '../webhooks/deliveries.service.ts';
import { createTraceFinder } from './customer-traces.rules.ts';

export type EraseDeps = DispatchDeps & { config: { defaultRegion: string } };

/** What stands in the place of what was erased, where something must stand. */
const ERASED = '[erased]';

const BATCH = 500;

/**
 * Overwrites name, phone and email of a customer, and the free text of the reasons given, in everything that is past: the
 * bookings and package purchases of every partner, walk-ins, and the events of those bookings. Where a partner put phone,
 * name or email into a key, a payment reference or a method of payment, that is overwritten too; a call that repeats such a
 * key is a new call. Answers how many of both.
 * A customer with something to come is refused: a booking that stands and is not over, or credit that can be used.
 *
 * It can be repeated, after a crash too: a booking's phone, by which it is found, goes last, and does not go while the booking
 * has been ended since it was read. What the customer books while the call runs is new and stays (operator interface, "customers/erase").
 * @throws DomainError VALIDATION_ERROR for what is no phone; CUSTOMER_HAS_UPCOMING_BOOKINGS
 */
export async function eraseCustomer(
  deps: EraseDeps,
  customerPhone: string,
): Promise<{ bookings: number; purchases: number }> {
  const phoneE164 = requireCustomerPhone(customerPhone, deps.config.defaultRegion);
  await requireNothingToCome(deps, phoneE164);
  const erasure: Erasure = {
    overwritten: ERASED,
    isTrace: createTraceFinder([nationalDigitsOf(phoneE164)], await findIdentitiesOf(deps, phoneE164)),
  };
  const purchases = await eraseCustomerOfPurchases(deps, phoneE164, erasure);
  for (let bookings = 0; ; ) {
    const past = await findPastOf(deps, phoneE164, BATCH);
    if (past.length === 0) return { bookings, purchases };
    const ids = past.map((row) => row._id);
    // Into the log first: a dispatcher that has read the old reason then finds the event there, and leaves it.
    for (const row of past) if (row.outbox.length > 0) await dispatchEvents(deps, row._id);
    await eraseExcerptsOf(deps, await eraseReasonsOf(deps, ids, ERASED));
    bookings += await eraseCustomerOf(deps, past, erasure);
  }
}

async function requireNothingToCome(deps: EraseDeps, phoneE164: string): Promise<void> {
  const bookings = await findUpcomingOf(deps, phoneE164);
  const purchases = await findUsable(deps, phoneE164);
  if (bookings.count + purchases.count === 0) return;
  const until = new Date(Math.max(bookings.until?.getTime() ?? 0, purchases.until?.getTime() ?? 0));
  throw new DomainError(
    'CUSTOMER_HAS_UPCOMING_BOOKINGS',
    `The customer has ${bookings.count} bookings to come and ${purchases.count} packages with credit. Bookings can be cancelled; credit has to be used up or expire. At ${until.toISOString()} all of it will be over: ask again then, or once nothing of it is left.`,
  );
}
