import type { Erasure, ToCome } from '../domain/erasure.ts';
import { erasedKey, erasedText } from '../domain/erasure.ts';
import type { Db, Expression } from '../platform/mongo.ts';
import { confirmAbsence, NEWEST } from '../platform/newest-reads.ts';
import type { Ending, Reservation } from './reservations.model.ts';
import { reservationCollection } from './reservations.model.ts';

/** A booking that stands and whose slot is not over, by the database's clock. */
const UPCOMING: Expression = { $and: [{ $eq: ['$status', 'BOOKED'] }, { $gt: ['$slotEnd', '$$NOW'] }] };

/** What the index of phones asks for, beside the phone. */
const BOOKED_ONCE = { bookedAt: { $exists: true } };

/** All bookings that were made with a phone, or the one booking of a customer who gave none. */
export type CustomerOf = { phoneE164: string } | { bookingId: string };

function bookingsOf(of: CustomerOf): Expression {
  const which = 'phoneE164' in of ? { 'customer.phoneE164': of.phoneE164 } : { bookingId: of.bookingId };
  return { ...which, ...BOOKED_ONCE };
}

/** The phone of a booking's customer, null where none was given or it was erased; undefined where there is no such booking. */
export async function findPhone(db: Db, bookingId: string): Promise<string | null | undefined> {
  const row = await confirmAbsence(
    (options) =>
      reservationCollection(db).findOne(
        { bookingId },
        { ...options, projection: { 'customer.phoneE164': 1 } },
      ),
    NEWEST,
  );
  return row === null ? undefined : (row.customer?.phoneE164 ?? null);
}

/** The bookings of a customer, of whatever partner and walk-ins included, that are still to come. */
export async function findUpcoming(db: Db, customer: CustomerOf): Promise<ToCome> {
  const found = reservationCollection(db).aggregate<ToCome>(
    [
      { $match: { ...bookingsOf(customer), $expr: UPCOMING } },
      { $group: { _id: null, count: { $sum: 1 }, until: { $max: '$slotEnd' } } },
    ],
    NEWEST,
  );
  const [row] = await found.toArray();
  return row ?? { count: 0, until: null };
}

/** The names and addresses in the bookings of a customer, each pair once. */
export async function findIdentities(
  db: Db,
  customer: CustomerOf,
): Promise<{ name: string | null; email: string | null }[]> {
  const found = reservationCollection(db).aggregate<{ _id: { name?: string | null; email?: string | null } }>(
    [
      { $match: bookingsOf(customer) },
      { $group: { _id: { name: '$customer.name', email: '$customer.email' } } },
    ],
  );
  return (await found.toArray()).map(({ _id: { name = null, email = null } }) => ({ name, email }));
}

/** A booking with all that others sent about it beside the customer and the reasons. */
export type PastBooking = Pick<
  Reservation,
  '_id' | 'status' | 'outbox' | 'holdKey' | 'confirmKey' | 'paymentReference' | 'endings' | 'operatorEndings'
>;

const SENT = {
  status: 1,
  outbox: 1,
  holdKey: 1,
  confirmKey: 1,
  paymentReference: 1,
  endings: 1,
  operatorEndings: 1,
};

/** Bookings of a customer, of whatever partner, that are not to come any more and have not been overwritten. */
export async function findPast(
  db: Db,
  customer: CustomerOf,
  overwritten: string,
  limit: number,
): Promise<PastBooking[]> {
  return reservationCollection(db)
    .find(
      { ...bookingsOf(customer), 'customer.name': { $ne: overwritten }, $expr: { $not: UPCOMING } },
      { projection: SENT, ...NEWEST },
    )
    .limit(limit)
    .toArray();
}

/**
 * Overwrites who the customer was, the reasons given, and what tells of the customer among keys and references; returns in
 * how many bookings. Every change of a booking changes its status, so one that was changed since it was read is passed over.
 */
export async function eraseCustomer(
  db: Db,
  bookings: readonly PastBooking[],
  erasure: Erasure,
): Promise<number> {
  const updates = bookings.map((booking) => ({
    updateOne: {
      filter: { _id: booking._id, status: booking.status },
      update: [{ $set: { ...withoutCustomer(erasure.overwritten), ...withoutTraces(booking, erasure) } }],
    },
  }));
  return (await reservationCollection(db).bulkWrite(updates, { ordered: false })).modifiedCount;
}

function withoutCustomer(overwritten: string): Expression {
  const reasonOr = (field: string): Expression => ({
    $cond: [{ $eq: [{ $type: `$${field}` }, 'string'] }, overwritten, '$$REMOVE'],
  });
  return {
    customer: {
      ...{ name: overwritten, nameFolded: null, nameWords: [], phone: overwritten, phoneE164: null },
      ...{ phoneReversed: null, email: null },
    },
    cancellationReason: reasonOr('cancellationReason'),
    refundReason: reasonOr('refundReason'),
    outbox: { $map: { input: '$outbox', in: WITHOUT_REASON(overwritten) } },
  };
}

/** What of a booking is other than it was; a field that it has not, it gets not. */
function withoutTraces(booking: PastBooking, erasure: Erasure): Expression {
  const { holdKey, confirmKey, paymentReference, endings, operatorEndings } = booking;
  const withoutKeys = (given: readonly Ending[]) =>
    given.map((ending) => ({ ...ending, key: erasedKey(ending.key, erasure) }));
  const sent = {
    ...(holdKey === undefined ? {} : { holdKey: erasedKey(holdKey, erasure) }),
    ...(confirmKey === undefined ? {} : { confirmKey: erasedKey(confirmKey, erasure) }),
    ...(typeof paymentReference === 'string'
      ? { paymentReference: erasedText(paymentReference, erasure) }
      : {}),
    ...(endings === undefined ? {} : { endings: withoutKeys(endings) }),
    ...(operatorEndings === undefined ? {} : { operatorEndings: withoutKeys(operatorEndings) }),
  };
  return Object.fromEntries(Object.entries(sent).map(([field, value]) => [field, { $literal: value }]));
}

/** A hold that ended without a booking: it has no customer, and what was sent with it may tell of one all the same. */
export type EndedHold = Pick<Reservation, '_id' | 'outbox' | 'holdKey' | 'releaseReason'>;

/** Over whether or not that has been written down: nothing that is over becomes a booking. */
const OVER: Expression = { $or: [{ $ne: ['$status', 'ACTIVE'] }, { $lte: ['$holdExpiresAt', '$$NOW'] }] };
const NEVER_BOOKED = { bookedAt: { $exists: false } };

/** All such holds with a key or a reason, of every partner: what is in them is not indexed, so all are read. */
export function findEndedHolds(db: Db): AsyncIterable<EndedHold> {
  return reservationCollection(db)
    .find(
      {
        ...NEVER_BOOKED,
        $expr: OVER,
        $or: [{ holdKey: { $type: 'string' } }, { releaseReason: { $type: 'string' } }],
      },
      { projection: { outbox: 1, holdKey: 1, releaseReason: 1 } },
    )
    .batchSize(READ_AT_ONCE);
}

const READ_AT_ONCE = 2000;

/** Overwrites the reasons of these holds, and what tells of the customer in their keys; returns in how many. */
export async function eraseHolds(db: Db, holds: readonly EndedHold[], erasure: Erasure): Promise<number> {
  const updates = holds.map(({ _id, holdKey, releaseReason }) => ({
    updateOne: {
      filter: { _id, ...NEVER_BOOKED },
      update: [
        {
          $set: {
            ...(holdKey === undefined ? {} : { holdKey: { $literal: erasedKey(holdKey, erasure) } }),
            ...(releaseReason === undefined ? {} : { releaseReason: erasure.overwritten }),
            outbox: { $map: { input: '$outbox', in: WITHOUT_REASON(erasure.overwritten) } },
          },
        },
      ],
    },
  }));
  return (await reservationCollection(db).bulkWrite(updates, { ordered: false })).modifiedCount;
}

const WITHOUT_REASON = (overwritten: string): Expression => ({
  $mergeObjects: [
    '$$this',
    { $cond: [{ $eq: [{ $type: '$$this.reason' }, 'string'] }, { reason: overwritten }, {}] },
  ],
});
