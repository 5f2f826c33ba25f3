import type { Erasure, Upcoming } from '../domain/erasure.ts';
import { redactKey, redactText } from '../domain/erasure.ts';
import type { Db, Expression } from '../platform/mongo.ts';
import { confirmAbsence, NEWEST } from '../platform/newest-reads.ts';
import type { Attached, EndingKey, Reservation } from './reservations.model.ts';
import { reservationCollection } from './reservations.model.ts';

/** A booking that is booked and whose slot is not over, by the database's clock. */
const UPCOMING: Expression = { $and: [{ $eq: ['$status', 'BOOKED'] }, { $gt: ['$slotEnd', '$$NOW'] }] };

/** The filter of the index of phones, beside the phone. */
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

/** The upcoming bookings of a customer, of whatever partner, walk-ins included. */
export async function findUpcoming(db: Db, customer: CustomerOf): Promise<Upcoming> {
  const found = reservationCollection(db).aggregate<Upcoming>(
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
  | ('_id' | 'status' | 'outbox' | 'holdKey' | 'confirmKey' | 'paymentReference' | 'orderReference')
  | ('endings' | 'operatorEndings')
>;

const SENT = {
  status: 1,
  outbox: 1,
  holdKey: 1,
  confirmKey: 1,
  paymentReference: 1,
  orderReference: 1,
  endings: 1,
  operatorEndings: 1,
};

/** Up to `limit` bookings of a customer, of whatever partner, that are over, cancelled or refunded, and have no `replacement` yet. */
export async function findPast(
  db: Db,
  customer: CustomerOf,
  replacement: string,
  limit: number,
): Promise<PastBooking[]> {
  return reservationCollection(db)
    .find(
      { ...bookingsOf(customer), 'customer.name': { $ne: replacement }, $expr: { $not: UPCOMING } },
      { projection: SENT, ...NEWEST },
    )
    .limit(limit)
    .toArray();
}

/**
 * Overwrites who the customer was, the reasons given, drops metadata, and overwrites what identifies the customer among keys and references; returns in
 * how many bookings. Every change of a booking changes its status, so one that was ended since it was read is passed over, to be
 * read again: its new reason has not been erased where else it went. Ids stay, and so do all other keys and references.
 */
export async function eraseBookings(
  db: Db,
  bookings: readonly PastBooking[],
  erasure: Erasure,
): Promise<number> {
  const updates = bookings.map((booking) => ({
    updateOne: {
      filter: { _id: booking._id, status: booking.status },
      update: [{ $set: { ...withoutCustomer(erasure.replacement), ...redacted(booking, erasure) } }],
    },
  }));
  return (await reservationCollection(db).bulkWrite(updates, { ordered: false })).modifiedCount;
}

function withoutCustomer(replacement: string): Expression {
  const reasonOr = (field: string): Expression => ({
    $cond: [{ $eq: [{ $type: `$${field}` }, 'string'] }, replacement, '$$REMOVE'],
  });
  return {
    customer: {
      ...{ name: replacement, nameFolded: null, nameWords: [], phone: replacement, phoneE164: null },
      ...{ phoneReversed: null, email: null },
    },
    cancellationReason: reasonOr('cancellationReason'),
    refundReason: reasonOr('refundReason'),
    ...WITHOUT_METADATA,
    outbox: { $map: { input: '$outbox', in: WITHOUT_REASON(replacement) } },
  };
}

/** The keys and references of a booking without the customer; a field that it does not have stays absent. */
function redacted(booking: PastBooking, erasure: Erasure): Expression {
  const { holdKey, confirmKey, paymentReference, orderReference, endings, operatorEndings } = booking;
  const withoutKeys = (given: readonly EndingKey[]) =>
    given.map((ending) => ({ ...ending, key: redactKey(ending.key, erasure) }));
  const sent = {
    ...(holdKey === undefined ? {} : { holdKey: redactKey(holdKey, erasure) }),
    ...(confirmKey === undefined ? {} : { confirmKey: redactKey(confirmKey, erasure) }),
    ...(typeof paymentReference === 'string'
      ? { paymentReference: redactText(paymentReference, erasure) }
      : {}),
    ...(orderReference === undefined ? {} : { orderReference: redactText(orderReference, erasure) }),
    ...(endings === undefined ? {} : { endings: withoutKeys(endings) }),
    ...(operatorEndings === undefined ? {} : { operatorEndings: withoutKeys(operatorEndings) }),
  };
  return Object.fromEntries(Object.entries(sent).map(([field, value]) => [field, { $literal: value }]));
}

/** A hold that ended without a booking: it has no customer, and what was sent with it may identify one all the same. */
export type EndedHold = Pick<
  Reservation,
  ('_id' | 'status' | 'outbox' | 'holdKey' | 'releaseReason') | keyof Attached
>;

/** Over whether or not that has been written down: nothing that is over becomes a booking. */
const OVER: Expression = { $or: [{ $ne: ['$status', 'ACTIVE'] }, { $lte: ['$holdExpiresAt', '$$NOW'] }] };
const NEVER_BOOKED = { bookedAt: { $exists: false } };

const SENT_WITH_HOLD = ['holdKey', 'releaseReason', 'orderReference', 'metadata'] as const;

/** All such holds with a key, a reason or something attached, of every partner: what is in them is not indexed, so all are read. */
export function findEndedHolds(db: Db): AsyncIterable<EndedHold> {
  return reservationCollection(db)
    .find(
      {
        ...NEVER_BOOKED,
        $expr: OVER,
        $or: SENT_WITH_HOLD.map((field) => ({ [field]: { $exists: true } })),
      },
      {
        projection: {
          status: 1,
          outbox: 1,
          ...Object.fromEntries(SENT_WITH_HOLD.map((field) => [field, 1])),
        },
      },
    )
    .batchSize(READ_AT_ONCE);
}

const READ_AT_ONCE = 2000;

/** Overwrites the reasons of these holds, drops their metadata, and overwrites keys and references that identify the customer; returns in how many. */
export async function eraseHolds(db: Db, holds: readonly EndedHold[], erasure: Erasure): Promise<number> {
  const updates = holds.map(({ _id, holdKey, releaseReason, orderReference }) => ({
    updateOne: {
      filter: { _id, ...NEVER_BOOKED },
      update: [
        {
          $set: {
            ...(holdKey === undefined ? {} : { holdKey: { $literal: redactKey(holdKey, erasure) } }),
            ...(releaseReason === undefined ? {} : { releaseReason: erasure.replacement }),
            ...(orderReference === undefined
              ? {}
              : { orderReference: { $literal: redactText(orderReference, erasure) } }),
            ...WITHOUT_METADATA,
            outbox: { $map: { input: '$outbox', in: WITHOUT_REASON(erasure.replacement) } },
          },
        },
      ],
    },
  }));
  return (await reservationCollection(db).bulkWrite(updates, { ordered: false })).modifiedCount;
}

/** Partners may have written anything there, also what was attached on placing. */
const WITHOUT_METADATA: Expression = { metadata: '$$REMOVE', placedWith: '$$REMOVE' };

/** An event without its reason, and without what was attached. */
const WITHOUT_REASON = (replacement: string): Expression => ({
  $unsetField: {
    field: 'attached',
    input: {
      $mergeObjects: [
        '$$this',
        { $cond: [{ $eq: [{ $type: '$$this.reason' }, 'string'] }, { reason: replacement }, {}] },
      ],
    },
  },
});
