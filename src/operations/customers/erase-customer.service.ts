import { eraseCustomerOfPurchases } from '../../booking/packages/packages.service.ts';
import { findUsablePurchases } from '../../booking/packages/packages.store.ts';
import type { Erasure } from '../../domain/data-removal.ts';
import { DomainError } from '../../domain/errors.ts';
import { nationalDigitsOf, requireCustomerPhone } from '../../domain/phone.ts';
import { eraseTextsOfEvents } from '../../events/log-events.service.ts';
import type { Db } from '../../platform/mongo.ts';
import * as reservations from '../../reservations/customer-erasure.store.ts';
import { expireHolds, type ReservationDeps } from '../../reservations/reservations.service.ts';
import type { CreateDeliveriesDeps } from '../../webhooks/deliveries/create-deliveries.service.ts';
import { dispatchEvents } from '../../webhooks/deliveries/dispatch-events.service.ts';
import { eraseExcerpts, eraseExcerptsIdentifying } from '../../webhooks/deliveries/erase-excerpts.service.ts';
import { createCustomerMatcher } from './customer-matcher.rules.ts';

export type EraseDeps = CreateDeliveriesDeps & ReservationDeps & { config: { defaultRegion: string } };

/** The replacement of erased values in required fields. */
const ERASED = '[erased]';

const BATCH = 500;

type Erased = { bookings: number; holds: number; purchases: number };

/**
 * Overwrites name, phone and email of a customer, and the reasons given, in past bookings, purchases, walk-ins and
 * events of every partner. Also overwrites idempotency keys, references, unconfirmed holds and receivers' responses
 * that contain the name, phone or email; a call that repeats an erased key is a new call. Rejected while the customer
 * has an upcoming booking or usable credit. A booking id means all bookings with its phone, or only that booking if it
 * has no phone.
 *
 * Safe to repeat, also after a crash: a booking's phone and name, by which the other data is found, are erased last.
 * A booking whose status has changed since it was read is read again. Bookings that the customer makes meanwhile stay.
 * @throws DomainError VALIDATION_ERROR for an invalid phone; BOOKING_NOT_FOUND; CUSTOMER_HAS_UPCOMING_BOOKINGS
 */
export async function eraseCustomer(
  deps: EraseDeps,
  target: { customerPhone: string } | { bookingId: string },
): Promise<Erased> {
  const customer =
    'bookingId' in target
      ? await customerOfBooking(deps, target.bookingId)
      : { phoneE164: requireCustomerPhone(target.customerPhone, deps.config.defaultRegion) };
  await requireNothingUpcoming(deps, customer);
  const phones = 'phoneE164' in customer ? [nationalDigitsOf(customer.phoneE164)] : [];
  const identities = (await reservations.findIdentities(deps.db, customer)).filter(({ name }) => name !== ERASED);
  const erasure: Erasure = { replacement: ERASED, identifiesCustomer: createCustomerMatcher(phones, identities) };
  const purchases = 'phoneE164' in customer ? await eraseCustomerOfPurchases(deps.db, customer.phoneE164, erasure) : 0;
  let holds = 0;
  for await (const batch of holdsIdentifying(deps, erasure)) {
    // Expire overdue holds now: the event of a later expiry could contain the old data.
    const overdue = batch.filter(({ status }) => status === 'ACTIVE').map(({ _id }) => _id);
    await expireHolds(deps, overdue);
    await eraseEventsOf(deps, batch);
    holds += await reservations.eraseHolds(deps.db, batch, erasure);
  }
  await eraseExcerptsIdentifying(deps, erasure, BATCH);
  for (let bookings = 0; ; ) {
    const past = await reservations.findPast(deps.db, customer, ERASED, BATCH);
    if (past.length === 0) return { bookings, holds, purchases };
    await eraseEventsOf(deps, past);
    bookings += await reservations.eraseBookings(deps.db, past, erasure);
  }
}

/** Overwrites the reasons in the events of these reservations, and all receivers' responses to them. */
async function eraseEventsOf(deps: EraseDeps, rows: readonly reservations.PastRow[]): Promise<void> {
  // Dispatch the events first: a worker that has read the old reason then finds the event stored, and keeps that one.
  // Holds that were read as ACTIVE have been expired since, which added an event to their outbox.
  const undispatched = rows.filter(({ status, outbox }) => status === 'ACTIVE' || outbox.length > 0);
  const dispatched = await dispatchEvents(
    deps,
    undispatched.map((row) => row._id),
  );
  for (const err of dispatched.failures.values()) throw err;
  const ids = rows.map((row) => row._id);
  await eraseExcerpts(deps.db, { eventIds: await eraseTextsOfEvents(deps.db, ids, ERASED) });
}

async function requireNothingUpcoming(deps: EraseDeps, customer: reservations.CustomerRef): Promise<void> {
  const bookings = await reservations.findUpcoming(deps.db, customer);
  const purchases =
    'phoneE164' in customer ? await findUsablePurchases(deps.db, customer.phoneE164) : { count: 0, until: null };
  if (bookings.count + purchases.count === 0) return;
  const until = new Date(Math.max(bookings.until?.getTime() ?? 0, purchases.until?.getTime() ?? 0));
  throw new DomainError(
    'CUSTOMER_HAS_UPCOMING_BOOKINGS',
    `The customer has ${bookings.count} bookings to come and ${purchases.count} packages with credit. Cancel the bookings. End the purchases (POST /api/v1/operator/purchases/{id}/end) once their credit is settled with the customer, or wait until ${until.toISOString()}, when all have ended. Then call again.`,
  );
}

/**
 * The customer of a booking: its phone or, if it has none, the booking itself. @throws BOOKING_NOT_FOUND
 */
async function customerOfBooking(deps: { db: Db }, bookingId: string): Promise<reservations.CustomerRef> {
  const phoneE164 = await reservations.findPhone(deps.db, bookingId);
  if (phoneE164 === undefined) {
    throw new DomainError('BOOKING_NOT_FOUND', 'There is no booking with that id. Use booking_id as it is listed.');
  }
  return phoneE164 === null ? { bookingId } : { phoneE164 };
}

/** The ended or overdue holds, without a booking, that identify the customer, in batches. */
async function* holdsIdentifying(
  deps: { db: Db },
  { identifiesCustomer }: Erasure,
): AsyncGenerator<reservations.PastRow[]> {
  let batch: reservations.PastRow[] = [];
  for await (const hold of reservations.findEndedHolds(deps.db)) {
    const { holdKey = '', releaseReason = '', orderReference = '', metadata = {} } = hold;
    const texts = [holdKey, releaseReason, orderReference, ...Object.keys(metadata), ...Object.values(metadata)];
    if (texts.some(identifiesCustomer)) batch.push(hold);
    if (batch.length < BATCH) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
