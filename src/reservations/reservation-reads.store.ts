import type { Db } from '../platform/mongo.ts';
import { CONFIRMED, confirmAbsence, NEWEST, newestByDb } from '../platform/newest-reads.ts';
import { type Customer, type Reservation, reservationCollection } from './reservations.model.ts';
import { AS_SEEN_NOW } from './reservations.rules.ts';

const readBy = (field: '_id' | 'bookingId') =>
  newestByDb<string, Reservation>(async (db, ids, options) => {
    const rows = await reservationCollection(db)
      .aggregate<Reservation>([{ $match: { [field]: { $in: [...ids] } } }, AS_SEEN_NOW], options)
      .toArray();
    const byId = new Map(rows.map((each) => [each[field], each]));
    return (id) => byId.get(id);
  }, {});

/** The majority-committed reservation; an overdue hold reads EXPIRED. Concurrent calls share reads. */
export const findReservation: (db: Db, reservationId: string) => Promise<Reservation | null> = readBy('_id');

/** Like `findReservation`, by the id of the booking. */
export const findReservationByBookingId: (db: Db, bookingId: string) => Promise<Reservation | null> =
  readBy('bookingId');

type UpcomingBooking = Pick<Reservation, 'bookingId' | 'venueId' | 'resourceId' | 'slotStart'>;

/** The BOOKED bookings that begin after an instant, by their start. */
export function findUpcomingBookings(db: Db, after: Date): AsyncIterable<UpcomingBooking> {
  return reservationCollection(db)
    .find({ bookedAt: { $exists: true }, status: 'BOOKED', slotStart: { $gt: after } })
    .hint('bookings_by_day_of_play')
    .sort({ slotStart: 1 })
    .project<UpcomingBooking>({ bookingId: 1, venueId: 1, resourceId: 1, slotStart: 1 });
}

/** The reservation by either id, for a caller that lost a race. The read includes the winner's write. */
export async function findReservationAfterConflict(
  db: Db,
  id: { _id: string } | { bookingId: string },
): Promise<Reservation | null> {
  const [reservation] = await reservationCollection(db)
    .aggregate<Reservation>([{ $match: id }, { $limit: 1 }, AS_SEEN_NOW], CONFIRMED)
    .toArray();
  return reservation ?? null;
}

/** The id of a grant, in the form of `grantIdOf`. */
const GRANT_ID = { $concat: ['$partnerId', ':', '$venueId'] };

export async function findReservationAndGrant(
  db: Db,
  reservationId: string,
): Promise<{ reservation: Reservation; isGranted: boolean } | null> {
  const grant = { from: 'grants', localField: 'grantId', foreignField: '_id', as: 'grants' };
  return confirmAbsence(async (options) => {
    const [row] = await reservationCollection(db)
      .aggregate<Reservation & { grantId: string; grants: unknown[] }>(
        [{ $match: { _id: reservationId } }, AS_SEEN_NOW, { $set: { grantId: GRANT_ID } }, { $lookup: grant }],
        options,
      )
      .toArray();
    if (row === undefined) return null;
    const { grantId: _, grants, ...reservation } = row;
    return { reservation, isGranted: grants.length > 0 };
  }, NEWEST);
}

/**
 * The reservation with this idempotency key of the partner, or of operators (`partnerId` null). Waits until a
 * concurrent write is majority-committed, so that the read also finds a key that this write stores.
 */
export async function findReservationByKey(
  db: Db,
  partnerId: string | null,
  namespace: 'holdKey' | 'confirmKey' | 'endings.key' | 'operatorEndings.key',
  key: string,
): Promise<Reservation | null> {
  const byPartner = partnerId === null ? {} : { partnerId };
  return reservationCollection(db).findOne({ ...byPartner, [namespace]: key }, CONFIRMED);
}

export async function findCustomers(db: Db, ids: readonly string[]): Promise<Map<string, Customer>> {
  const rows = await reservationCollection(db)
    .find({ _id: { $in: [...ids] } }, { projection: { customer: 1 } })
    .toArray();
  return new Map(rows.flatMap(({ _id, customer }) => (customer === undefined ? [] : [[_id, customer]])));
}
