import type { Erasure, ToCome } from '../platform/erasure.ts';
import { erasedKey, erasedText } from '../platform/erasure.ts';
import type { Db, Expression } from '../platform/mongo.ts';
import type { Ending, Reservation } from './reservations.model.ts';
import { reservationCollection } from './reservations.model.ts';

/** A booking that stands and whose slot is not over, by the database's clock. */
const UPCOMING: Expression = { $and: [{ $eq: ['$status', 'BOOKED'] }, { $gt: ['$slotEnd', '$$NOW'] }] };

/** What the index of phones asks for, beside the phone. */
const BOOKED_ONCE = { bookedAt: { $exists: true } };

/** The bookings of a customer, of whatever partner and walk-ins included, that are still to come. */
export async function findUpcoming(db: Db, phoneE164: string): Promise<ToCome> {
  const found = reservationCollection(db).aggregate<ToCome>([
    { $match: { 'customer.phoneE164': phoneE164, ...BOOKED_ONCE, $expr: UPCOMING } },
    { $group: { _id: null, count: { $sum: 1 }, until: { $max: '$slotEnd' } } },
  ]);
  const [row] = await found.toArray();
  return row ?? { count: 0, until: null };
}

/** The names and addresses in the bookings of a customer, each pair once. */
export async function findIdentities(
  db: Db,
  phoneE164: string,
): Promise<{ name: string | null; email: string | null }[]> {
  const found = reservationCollection(db).aggregate<{ _id: { name?: string | null; email?: string | null } }>(
    [
      { $match: { 'customer.phoneE164': phoneE164, ...BOOKED_ONCE } },
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

/** Bookings of a customer, of whatever partner, that are not to come any more. */
export async function findPast(db: Db, phoneE164: string, limit: number): Promise<PastBooking[]> {
  return reservationCollection(db)
    .find(
      { 'customer.phoneE164': phoneE164, ...BOOKED_ONCE, $expr: { $not: UPCOMING } },
      { projection: SENT },
    )
    .limit(limit)
    .toArray();
}

/**
 * Overwrites who the customer was, the reasons given, and what tells of the customer among keys and references; answers in
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

const WITHOUT_REASON = (overwritten: string): Expression => ({
  $mergeObjects: [
    '$$this',
    { $cond: [{ $eq: [{ $type: '$$this.reason' }, 'string'] }, { reason: overwritten }, {}] },
  ],
});
