import { eraseCustomerOfPurchases } from '../../booking/packages/packages.service.ts';
import { findUsablePurchases } from '../../booking/packages/packages.store.ts';
import type { Erasure } from '../../domain/erasure.ts';
import { DomainError } from '../../domain/errors.ts';
import { nationalDigitsOf, requireCustomerPhone } from '../../domain/phone.ts';
import { eraseTextsOf } from '../../events/events.service.ts';
import type { Db } from '../../platform/mongo.ts';
import type { CustomerOf, Past } from '../../reservations/customer-erasure.store.ts';
import {
  eraseBookings,
  eraseHolds,
  findEndedHolds,
  findIdentities,
  findPast,
  findPhone,
  findUpcoming,
} from '../../reservations/customer-erasure.store.ts';
import type { ReservationDeps } from '../../reservations/reservations.service.ts';
import { expireHolds } from '../../reservations/reservations.service.ts';
import type { DispatchDeps } from '../../webhooks/deliveries/dispatch-events.service.ts';
import { dispatchEvents } from '../../webhooks/deliveries/dispatch-events.service.ts';
import {
  eraseExcerptsIdentifying,
  eraseExcerptsOf,
} from '../../webhooks/deliveries/erase-excerpts.service.ts';
import { createCustomerMatcher } from './customer-matcher.rules.ts';

export type EraseDeps = DispatchDeps & ReservationDeps & { config: { defaultRegion: string } };

/** What replaces what was erased, where a field must have a value. */
const ERASED = '[erased]';

const BATCH = 500;

/** In how many of each a customer was overwritten. */
export type Erased = { bookings: number; holds: number; purchases: number };

/**
 * Overwrites name, phone and email of a customer, and the free text of the reasons given, in everything that is past: the
 * bookings and package purchases of every partner, walk-ins, and the events of those bookings. Where a partner put phone,
 * name or email into a key, a payment reference or a method of payment, that is overwritten too, and so are holds that never
 * became a booking and the responses of receivers that identify the customer; a call that repeats such a key is a new call.
 * A customer with something upcoming is rejected: a booking that is not over, or credit that can be used.
 *
 * A booking id means its customer: all with its phone, or, where it has none, that booking alone.
 *
 * It can be repeated, after a crash too: a booking's phone and name, by which the rest is found, go last, and do not go while the
 * booking has been ended since it was read. What the customer books while the call runs is new and stays.
 * @throws DomainError VALIDATION_ERROR for what is no phone; BOOKING_NOT_FOUND; CUSTOMER_HAS_UPCOMING_BOOKINGS
 */
export async function eraseCustomer(
  deps: EraseDeps,
  given: { customerPhone: string } | { bookingId: string },
): Promise<Erased> {
  const customer =
    'bookingId' in given
      ? await customerOfBooking(deps, given.bookingId)
      : { phoneE164: requireCustomerPhone(given.customerPhone, deps.config.defaultRegion) };
  await requireNothingUpcoming(deps, customer);
  const phones = 'phoneE164' in customer ? [nationalDigitsOf(customer.phoneE164)] : [];
  const identities = (await findIdentities(deps.db, customer)).filter(({ name }) => name !== ERASED);
  const erasure: Erasure = {
    replacement: ERASED,
    identifiesCustomer: createCustomerMatcher(phones, identities),
  };
  const purchases =
    'phoneE164' in customer ? await eraseCustomerOfPurchases(deps.db, customer.phoneE164, erasure) : 0;
  let holds = 0;
  for await (const found of holdsIdentifying(deps, erasure)) {
    await expireThoseThatLapsed(deps, found);
    await eraseEventsOf(deps, found);
    holds += await eraseHolds(deps.db, found, erasure);
  }
  await eraseExcerptsIdentifying(deps, erasure, BATCH);
  for (let bookings = 0; ; ) {
    const past = await findPast(deps.db, customer, ERASED, BATCH);
    if (past.length === 0) return { bookings, holds, purchases };
    await eraseEventsOf(deps, past);
    bookings += await eraseBookings(deps.db, past, erasure);
  }
}

/** Expires lapsed holds before their events are erased: an event that came later would have what was attached once more. */
async function expireThoseThatLapsed(deps: EraseDeps, holds: readonly Past[]): Promise<void> {
  const lapsed = holds.filter(({ status }) => status === 'ACTIVE');
  await expireHolds(
    deps,
    lapsed.map(({ _id }) => _id),
  );
}

/** Overwrites the reasons in the events of these reservations, and all responses of receivers to them. */
async function eraseEventsOf(deps: EraseDeps, reservations: readonly Past[]): Promise<void> {
  // Into the log first: a worker that has read the old reason then finds the event there, and leaves it. A hold that was
  // read as ACTIVE has been settled since, so its outbox has an event that was not read.
  const waiting = reservations.filter(({ status, outbox }) => status === 'ACTIVE' || outbox.length > 0);
  const dispatched = await dispatchEvents(
    deps,
    waiting.map((row) => row._id),
  );
  for (const err of dispatched.failures.values()) throw err;
  const ids = reservations.map((row) => row._id);
  await eraseExcerptsOf(deps, await eraseTextsOf(deps, ids, ERASED));
}

async function requireNothingUpcoming(deps: EraseDeps, customer: CustomerOf): Promise<void> {
  const bookings = await findUpcoming(deps.db, customer);
  const purchases =
    'phoneE164' in customer
      ? await findUsablePurchases(deps.db, customer.phoneE164)
      : { count: 0, until: null };
  if (bookings.count + purchases.count === 0) return;
  const until = new Date(Math.max(bookings.until?.getTime() ?? 0, purchases.until?.getTime() ?? 0));
  throw new DomainError(
    'CUSTOMER_HAS_UPCOMING_BOOKINGS',
    `The customer has ${bookings.count} bookings to come and ${purchases.count} packages with credit. Bookings can be cancelled; a purchase can be ended (POST /api/v1/operator/purchases/{id}/end), once what is left of it is settled with the customer. At ${until.toISOString()} all of it will be over: ask again then, or once nothing of it is left.`,
  );
}

/**
 * Who the customer of a booking is: whoever has its phone, else, where it has none, of this one booking alone.
 * @throws DomainError BOOKING_NOT_FOUND
 */
async function customerOfBooking(deps: { db: Db }, bookingId: string): Promise<CustomerOf> {
  const phoneE164 = await findPhone(deps.db, bookingId);
  if (phoneE164 === undefined) {
    throw new DomainError(
      'BOOKING_NOT_FOUND',
      'There is no booking with that id. Use booking_id as it is listed.',
    );
  }
  return phoneE164 === null ? { bookingId } : { phoneE164 };
}

/** The holds that ended without a booking and whose key or reason identifies the customer, BATCH at a time. */
async function* holdsIdentifying(deps: { db: Db }, { identifiesCustomer }: Erasure): AsyncGenerator<Past[]> {
  let found: Past[] = [];
  for await (const hold of findEndedHolds(deps.db)) {
    const { holdKey = '', releaseReason = '', orderReference = '', metadata = {} } = hold;
    const sent = [
      holdKey,
      releaseReason,
      orderReference,
      ...Object.keys(metadata),
      ...Object.values(metadata),
    ];
    if (sent.some(identifiesCustomer)) found.push(hold);
    if (found.length < BATCH) continue;
    yield found;
    found = [];
  }
  if (found.length > 0) yield found;
}
