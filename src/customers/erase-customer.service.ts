import type { DispatchDeps } from '../events/event-dispatch.service.ts';
import { dispatchEvents } from '../events/event-dispatch.service.ts';
import { eraseReasonsOf } from '../events/events.service.ts';
import { countUsable, eraseCustomerOfPurchases } from '../packages/packages.service.ts';
import { DomainError } from '../platform/errors.ts';
import { requireCustomerPhone } from '../platform/phone.ts';
import { countUpcomingOf, eraseCustomerOf, findPastOf } from '../reservations/customer-erasure.service.ts';
import { eraseExcerptsOf } from '../webhooks/deliveries.service.ts';

export type EraseDeps = DispatchDeps & { config: { defaultRegion: string } };

/** What stands in the place of what was erased, where something must stand. */
const ERASED = '[erased]';

const BATCH = 500;

/**
 * Overwrites name, phone and email of a customer, and the free text of the reasons given, in everything that is past: the
 * bookings and package purchases of every partner, walk-ins, and the events of those bookings. Answers how many of both.
 * A customer with something to come is refused: a booking that stands and is not over, or credit that can be used.
 *
 * It can be repeated, after a crash too: a booking's phone, by which it is found, goes last. What the customer books while the
 * call runs is new and stays (operator interface, "customers/erase").
 * @throws DomainError VALIDATION_ERROR for what is no phone; CUSTOMER_HAS_UPCOMING_BOOKINGS
 */
export async function eraseCustomer(
  deps: EraseDeps,
  customerPhone: string,
): Promise<{ bookings: number; purchases: number }> {
  const phoneE164 = requireCustomerPhone(customerPhone, deps.config.defaultRegion);
  await requireNothingToCome(deps, phoneE164);
  const purchases = await eraseCustomerOfPurchases(deps, phoneE164, ERASED);
  for (let bookings = 0; ; ) {
    const past = await findPastOf(deps, phoneE164, BATCH);
    if (past.length === 0) return { bookings, purchases };
    const ids = past.map((row) => row._id);
    // Into the log first: a dispatcher that has read the old reason then finds the event there, and leaves it.
    for (const row of past) if (row.outbox.length > 0) await dispatchEvents(deps, row._id);
    await eraseExcerptsOf(deps, await eraseReasonsOf(deps, ids, ERASED));
    bookings += await eraseCustomerOf(deps, ids, ERASED);
  }
}

async function requireNothingToCome(deps: EraseDeps, phoneE164: string): Promise<void> {
  const bookings = await countUpcomingOf(deps, phoneE164);
  const purchases = await countUsable(deps, phoneE164);
  if (bookings + purchases === 0) return;
  throw new DomainError(
    'CUSTOMER_HAS_UPCOMING_BOOKINGS',
    `The customer has ${bookings} bookings to come and ${purchases} packages with credit. Cancel the bookings, or wait until they are over and the packages have expired.`,
  );
}
