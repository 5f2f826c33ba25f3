import type { Db, Expression } from '../platform/mongo.ts';
import type { Reservation } from './reservations.model.ts';
import { reservationCollection } from './reservations.model.ts';

/** A booking that stands and whose slot is not over, by the database's clock. */
const UPCOMING: Expression = { $and: [{ $eq: ['$status', 'BOOKED'] }, { $gt: ['$slotEnd', '$$NOW'] }] };

/** What the index of phones asks for, beside the phone. */
const BOOKED_ONCE = { bookedAt: { $exists: true } };

/** The bookings of a customer, of whatever partner and walk-ins included, that are still to come. */
export async function countUpcoming(db: Db, phoneE164: string): Promise<number> {
  const found = reservationCollection(db).aggregate<{ count: number }>([
    { $match: { 'customer.phoneE164': phoneE164, ...BOOKED_ONCE, $expr: UPCOMING } },
    { $count: 'count' },
  ]);
  const [row] = await found.toArray();
  return row?.count ?? 0;
}

/** Bookings of a customer, of whatever partner, that are not to come any more. */
export async function findPast(
  db: Db,
  phoneE164: string,
  limit: number,
): Promise<Pick<Reservation, '_id' | 'outbox'>[]> {
  return reservationCollection(db)
    .find(
      { 'customer.phoneE164': phoneE164, ...BOOKED_ONCE, $expr: { $not: UPCOMING } },
      { projection: { outbox: 1 } },
    )
    .limit(limit)
    .toArray();
}

/** Overwrites who the customer was, and the reasons given, in these bookings; answers in how many it did. */
export async function eraseCustomer(
  db: Db,
  reservationIds: readonly string[],
  overwritten: string,
): Promise<number> {
  const reasonOr = (field: string): Expression => ({
    $cond: [{ $eq: [{ $type: `$${field}` }, 'string'] }, overwritten, '$$REMOVE'],
  });
  const { modifiedCount } = await reservationCollection(db).updateMany(
    { _id: { $in: [...reservationIds] } },
    [
      {
        $set: {
          customer: {
            name: overwritten,
            nameFolded: null,
            phone: overwritten,
            phoneE164: null,
            email: null,
          },
          cancellationReason: reasonOr('cancellationReason'),
          refundReason: reasonOr('refundReason'),
          outbox: { $map: { input: '$outbox', in: WITHOUT_REASON(overwritten) } },
        },
      },
    ],
  );
  return modifiedCount;
}

const WITHOUT_REASON = (overwritten: string): Expression => ({
  $mergeObjects: [
    '$$this',
    { $cond: [{ $eq: [{ $type: '$$this.reason' }, 'string'] }, { reason: overwritten }, {}] },
  ],
});
