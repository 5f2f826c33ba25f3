import { memoizeByObject } from '../platform/memoize-by-object.ts';
import type { Db, ReadOptions } from '../platform/mongo.ts';
import { CONFIRMED, confirmAbsence, NEWEST, newestOf } from '../platform/newest-reads.ts';
import type { Customer, Outbox, Reservation } from './reservations.model.ts';
import { reservationCollection } from './reservations.model.ts';
import { AS_SEEN_NOW } from './reservations.rules.ts';

/** As they are to be seen now, by one of their ids; a majority has what is returned. */
const seenBy = (field: '_id' | 'bookingId') =>
  memoizeByObject((db: Db) =>
    newestOf<string, Reservation>(async (ids, options) => {
      const found = await reservationCollection(db)
        .aggregate<Reservation>([{ $match: { [field]: { $in: [...ids] } } }, AS_SEEN_NOW], options)
        .toArray();
      const byId = new Map(found.map((each) => [each[field], each]));
      return (id) => byId.get(id);
    }, {}),
  );

const [seenById, seenByBookingId] = [seenBy('_id'), seenBy('bookingId')];

/**
 * The reservation as it is to be seen now: a lapsed hold reads EXPIRED. Null only where there is none, whatever was acknowledged just
 * now. Calls at once share the read.
 */
export async function findReservation(db: Db, reservationId: string): Promise<Reservation | null> {
  return seenById(db)(reservationId);
}

/** The same by the id of its booking. */
export async function findReservationByBookingId(db: Db, bookingId: string): Promise<Reservation | null> {
  return seenByBookingId(db)(bookingId);
}

/** The bookings that begin after an instant and were not cancelled, by their start. */
export function findUpcomingBookings(
  db: Db,
  after: Date,
): AsyncIterable<Pick<Reservation, 'bookingId' | 'venueId' | 'resourceId' | 'slotStart'>> {
  return reservationCollection(db)
    .find({ bookedAt: { $exists: true }, status: 'BOOKED', slotStart: { $gt: after } })
    .hint('bookings_by_day_of_play')
    .sort({ slotStart: 1 })
    .project<Pick<Reservation, 'bookingId' | 'venueId' | 'resourceId' | 'slotStart'>>({
      ...{ bookingId: 1, venueId: 1, resourceId: 1, slotStart: 1 },
    });
}

/** The same by either id, for a caller who has just lost to a write and is to say why, so it must see that one. */
export async function findReservationAfterConflict(
  db: Db,
  id: { _id: string } | { bookingId: string },
): Promise<Reservation | null> {
  const [found] = await reservationCollection(db)
    .aggregate<Reservation>([{ $match: id }, { $limit: 1 }, AS_SEEN_NOW], CONFIRMED)
    .toArray();
  return found ?? null;
}

/** The outboxes of these reservations, of those that exist. None is missing, whatever was acknowledged just now. */
export async function findOutboxes(db: Db, reservationIds: readonly string[]): Promise<Outbox[]> {
  const read = (ids: readonly string[], options: ReadOptions): Promise<Outbox[]> =>
    reservationCollection(db)
      .find({ _id: { $in: [...ids] } }, { projection: OUTBOX, ...options })
      .toArray();
  const found = await read(reservationIds, {});
  const ids = new Set(found.map(({ _id }) => _id));
  const missing = reservationIds.filter((id) => !ids.has(id));
  return missing.length === 0 ? found : [...found, ...(await read(missing, CONFIRMED))];
}

const OUTBOX = {
  outbox: 1,
  venueId: 1,
  resourceId: 1,
  slotId: 1,
  slotStart: 1,
  slotEnd: 1,
  pricePaise: 1,
} as const satisfies Record<Exclude<keyof Outbox, '_id'>, 1>;

/**
 * The same of the newest state, committed or about to be, and whether its partner has the grant for its venue: one round trip
 * (ADR 0007).
 */
export async function findReservationAndGrant(
  db: Db,
  reservationId: string,
): Promise<{ reservation: Reservation; isGranted: boolean } | null> {
  const grant = { from: 'grants', localField: 'grantId', foreignField: '_id', as: 'grants' };
  return confirmAbsence(async (options) => {
    const [row] = await reservationCollection(db)
      .aggregate<Reservation & { grantId: string; grants: unknown[] }>(
        [
          { $match: { _id: reservationId } },
          AS_SEEN_NOW,
          { $set: { grantId: GRANT_ID } },
          { $lookup: grant },
        ],
        options,
      )
      .toArray();
    if (row === undefined) return null;
    const { grantId: _, grants, ...reservation } = row;
    return { reservation, isGranted: grants.length > 0 };
  }, NEWEST);
}

/** As `grantIdOf` has it. */
const GRANT_ID = { $concat: ['$partnerId', ':', '$venueId'] };

/** The namespaces of idempotency keys; those of a partner's begin at the partner. */
export type KeyNamespace = 'holdKey' | 'confirmKey' | 'endings.key' | 'operatorEndings.key';

/**
 * The reservation to which an idempotency key of the partner (null: of operators) belongs. For a caller who has just lost to a write
 * that may not be majority-committed yet: the read waits until it is (or is not), lest a replay be missed.
 */
export async function findReservationByKey(
  db: Db,
  partnerId: string | null,
  namespace: KeyNamespace,
  key: string,
): Promise<Reservation | null> {
  return reservationCollection(db).findOne(
    { ...(partnerId === null ? {} : { partnerId }), [namespace]: key },
    CONFIRMED,
  );
}

/** The customers of those of `ids` that became bookings. */
export async function findCustomers(db: Db, ids: readonly string[]): Promise<Map<string, Customer>> {
  const rows = await reservationCollection(db)
    .find({ _id: { $in: [...ids] } }, { projection: { customer: 1 } })
    .toArray();
  return new Map(rows.flatMap(({ _id, customer }) => (customer === undefined ? [] : [[_id, customer]])));
}
