import { type Erasure, redactKey, redactText, type Upcoming } from '../domain/data-removal.ts';
import type { Db, Expression } from '../platform/mongo.ts';
import { confirmAbsence, NEWEST } from '../platform/newest-reads.ts';
import { omitUndefined } from '../platform/objects.ts';
import { type EndingKey, type Reservation, reservationCollection } from './reservations.model.ts';

/** A BOOKED booking with a slot that has not ended, by the database's clock. */
const UPCOMING: Expression = { $and: [{ $eq: ['$status', 'BOOKED'] }, { $gt: ['$slotEnd', '$$NOW'] }] };

/** The condition of the partial index on phones. */
const BOOKED_ONCE = { bookedAt: { $exists: true } };

/** A customer: all bookings made with a phone, or the one booking of a customer who gave none. */
export type CustomerRef = { phoneE164: string } | { bookingId: string };

function bookingsOf(customer: CustomerRef): Expression {
  if ('bookingId' in customer) return { bookingId: customer.bookingId, ...BOOKED_ONCE };
  return { 'customer.phoneE164': customer.phoneE164, ...BOOKED_ONCE };
}

/** Null if the customer gave no phone or was erased; undefined if there is no such booking. */
export async function findPhone(db: Db, bookingId: string): Promise<string | null | undefined> {
  const row = await confirmAbsence(
    (options) =>
      reservationCollection(db).findOne({ bookingId }, { ...options, projection: { 'customer.phoneE164': 1 } }),
    NEWEST,
  );
  return row === null ? undefined : (row.customer?.phoneE164 ?? null);
}

export async function findUpcoming(db: Db, customer: CustomerRef): Promise<Upcoming> {
  const cursor = reservationCollection(db).aggregate<Upcoming>(
    [
      { $match: { ...bookingsOf(customer), $expr: UPCOMING } },
      { $group: { _id: null, count: { $sum: 1 }, until: { $max: '$slotEnd' } } },
    ],
    NEWEST,
  );
  const [row] = await cursor.toArray();
  return row ?? { count: 0, until: null };
}

export async function findIdentities(
  db: Db,
  customer: CustomerRef,
): Promise<{ name: string | null; email: string | null }[]> {
  const cursor = reservationCollection(db).aggregate<{ _id: { name?: string | null; email?: string | null } }>([
    { $match: bookingsOf(customer) },
    { $group: { _id: { name: '$customer.name', email: '$customer.email' } } },
  ]);
  return (await cursor.toArray()).map(({ _id: { name = null, email = null } }) => ({ name, email }));
}

/** The partner's texts about a hold or booking (keys, references, metadata), which may identify the customer too. */
const PARTNER_TEXTS = {
  status: 1,
  outbox: 1,
  holdKey: 1,
  confirmKey: 1,
  paymentReference: 1,
  orderReference: 1,
  metadata: 1,
  releaseReason: 1,
  endings: 1,
  operatorEndings: 1,
} as const;

/** A past booking, or a hold that ended without a booking. */
export type PastRow = Pick<Reservation, '_id' | keyof typeof PARTNER_TEXTS>;

/** Bookings of a customer, from any partner, that have ended or are cancelled or refunded, and are not yet erased. */
export async function findPast(db: Db, customer: CustomerRef, replacement: string, limit: number): Promise<PastRow[]> {
  return reservationCollection(db)
    .find(
      { ...bookingsOf(customer), 'customer.name': { $ne: replacement }, $expr: { $not: UPCOMING } },
      { projection: PARTNER_TEXTS, ...NEWEST },
    )
    .limit(limit)
    .toArray();
}

/** Includes overdue holds: these cannot become bookings. */
const OVER: Expression = { $or: [{ $ne: ['$status', 'ACTIVE'] }, { $lte: ['$holdExpiresAt', '$$NOW'] }] };
const NEVER_BOOKED = { bookedAt: { $exists: false } };
const HOLD_TEXTS = ['holdKey', 'releaseReason', 'orderReference', 'metadata'] as const;
const READ_AT_ONCE = 2000;

/** All ended holds with a key, a reason or attachments. Reads all holds, because these fields have no index. */
export function findEndedHolds(db: Db): AsyncIterable<PastRow> {
  const hasText = HOLD_TEXTS.map((field) => ({ [field]: { $exists: true } }));
  return reservationCollection(db)
    .find({ ...NEVER_BOOKED, $expr: OVER, $or: hasText }, { projection: PARTNER_TEXTS })
    .batchSize(READ_AT_ONCE);
}

/**
 * Erases the customer and the partner's texts from these bookings; returns how many bookings were changed. Skips a
 * booking if its status has changed since it was read: the event of that change may have a reason that is not erased.
 */
export async function eraseBookings(db: Db, bookings: readonly PastRow[], erasure: Erasure): Promise<number> {
  const { replacement } = erasure;
  const customer = {
    name: replacement,
    nameFolded: null,
    nameWords: [],
    phone: replacement,
    phoneE164: null,
    phoneReversed: null,
    email: null,
  };
  return erase(db, bookings, erasure, ({ status }) => ({ status }), { customer });
}

export async function eraseHolds(db: Db, holds: readonly PastRow[], erasure: Erasure): Promise<number> {
  return erase(db, holds, erasure, () => NEVER_BOOKED, {});
}

/** Sets `fields`, erases reasons and metadata, and redacts keys and references that identify the customer. */
async function erase(
  db: Db,
  rows: readonly PastRow[],
  erasure: Erasure,
  filterOf: (row: PastRow) => Expression,
  fields: Expression,
): Promise<number> {
  const withoutTexts = textsErased(erasure.replacement);
  const updates = rows.map((row) => ({
    updateOne: {
      filter: { _id: row._id, ...filterOf(row) },
      update: [{ $set: { ...fields, ...withoutTexts, ...redacted(row, erasure) } }],
    },
  }));
  return (await reservationCollection(db).bulkWrite(updates, { ordered: false })).modifiedCount;
}

/** Partners may have written anything into metadata, so all of it goes. */
function textsErased(replacement: string): Expression {
  const isText = (field: string): Expression => ({ $eq: [{ $type: field }, 'string'] });
  const erased = (field: string): Expression => ({ $cond: [isText(field), replacement, '$$REMOVE'] });
  const withoutReason = {
    $mergeObjects: ['$$this', { $cond: [isText('$$this.reason'), { reason: replacement }, {}] }],
  };
  return {
    releaseReason: erased('$releaseReason'),
    cancellationReason: erased('$cancellationReason'),
    refundReason: erased('$refundReason'),
    metadata: '$$REMOVE',
    placedWith: '$$REMOVE',
    outbox: { $map: { input: '$outbox', in: { $unsetField: { field: 'attached', input: withoutReason } } } },
  };
}

/** The keys and references of a row, with the customer redacted; an absent field stays absent. */
function redacted(row: PastRow, erasure: Erasure): Expression {
  const withRedactedKeys = (endings: readonly EndingKey[]) =>
    endings.map((ending) => ({ ...ending, key: redactKey(ending.key, erasure) }));
  const texts = omitUndefined({
    holdKey: row.holdKey && redactKey(row.holdKey, erasure),
    confirmKey: row.confirmKey && redactKey(row.confirmKey, erasure),
    paymentReference: row.paymentReference && redactText(row.paymentReference, erasure),
    orderReference: row.orderReference && redactText(row.orderReference, erasure),
    endings: row.endings && withRedactedKeys(row.endings),
    operatorEndings: row.operatorEndings && withRedactedKeys(row.operatorEndings),
  });
  return Object.fromEntries(Object.entries(texts).map(([field, value]) => [field, { $literal: value }]));
}
