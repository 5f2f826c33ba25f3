import { batchedByDb } from '../platform/batched.ts';
import { writeEach } from '../platform/bulk-writes.ts';
import { databaseClockOf } from '../platform/clock.ts';
import { newId } from '../platform/ids.ts';
import type { Lease } from '../platform/leased-cache.ts';
import {
  type Db,
  type Expression,
  isCommandTimeout,
  isDuplicateKey,
  isExpressionError,
  type Tx,
} from '../platform/mongo.ts';
import { omitUndefined } from '../platform/objects.ts';
import type { Actor } from './actor-types.ts';
import { noteClaimChanges } from './claim-changes.ts';
import { findReservation } from './reservation-reads.store.ts';
import { GUARD_INDEX, HOLD_KEY_INDEX, ORDINAL_INDEX } from './reservations.indexes.ts';
import type { Attached, NewReservation, OutboxEvent, Reservation } from './reservations.model.ts';
import { reservationCollection } from './reservations.model.ts';
import { eventOf, literal, SUBJECT } from './reservations.store.ts';

export type HoldTerms = {
  ttlMs: number;
  holdKey?: string;
  /** A number below the partner's limit of live holds, unique among these (ADR 0002). */
  holdOrdinal: number;
  attached: Attached;
  actor: Actor;
};

/** A hold before it is placed, without its instants. */
type NewHold = NewReservation & HoldTerms;

/** Why a hold was not inserted: the unique index that it violates, or 'late'. */
export type NotInserted = 'cell taken' | 'key taken' | 'ordinal taken' | 'late';

type LeasedHold = { hold: NewHold; lease: Lease };

/** How far this process's clock may differ from the database's when a hold is written. */
const CLOCK_TOLERANCE_MS = 1000;
const MAX_BATCH = 200;

/**
 * Inserts an ACTIVE hold with its `hold_created` event. The hold claims its cells for `ttlMs`, at most until its slot
 * ends. Concurrent holds are sent in one bulk write, each with its own outcome (ADR 0003); without `isBatched`, this
 * hold is sent alone. 'late', nothing was inserted: the lease (the time for writing by cached rules) had ended when
 * the database reached the hold, a transaction blocked it too long, or this process's clock is wrong. After 'late',
 * draft the hold again under a new lease and insert it alone: the transaction may still block the hold, and would block
 * a whole batch.
 */
export async function insertHold(
  db: Db,
  hold: NewHold,
  lease: Lease,
  isBatched: boolean,
): Promise<Reservation | NotInserted> {
  try {
    return await (isBatched ? insertInBatch(db, { hold, lease }) : insertAlone(db, { hold, lease }));
  } catch (err) {
    if (isDuplicateKey(err, GUARD_INDEX)) return 'cell taken';
    if (isDuplicateKey(err, HOLD_KEY_INDEX)) return 'key taken';
    if (isDuplicateKey(err, ORDINAL_INDEX)) return 'ordinal taken';
    if (isExpressionError(err)) {
      void databaseClockOf(db).measure();
      return 'late';
    }
    if (!isCommandTimeout(err)) throw err;
    // The server stopped the bulk, and may have inserted this hold before.
    return (await findReservation(db, hold._id)) ?? 'late';
  }
}

const insertInBatch = batchedByDb(insertHolds, MAX_BATCH);

async function insertAlone(db: Db, hold: LeasedHold): Promise<Reservation> {
  const [outcome = new Error('A hold has no outcome')] = await insertHolds(db, [hold]);
  if (outcome instanceof Error) throw outcome;
  return outcome;
}

/** Returns for each hold, in order, the reservation or its error. */
async function insertHolds(db: Db, holds: readonly LeasedHold[]): Promise<(Reservation | Error)[]> {
  const now = databaseClockOf(db).now();
  const reservations = holds.map(({ hold }) => reservationOf(hold, now));
  const writes = reservations.map((reservation, index) => {
    const document = unlessLate(reservation, now, (holds[index] as LeasedHold).lease);
    // An upsert, because only an update can read `$$NOW`.
    return {
      updateOne: { filter: { _id: reservation._id }, update: [{ $replaceWith: document }], upsert: true },
    };
  });
  // A transaction that claims the same space may block a hold; wait no longer than the lease.
  const maxTimeMS = Math.min(...holds.map(({ lease }) => lease.maxTimeMS));
  let errors: (Error | undefined)[] = [];
  try {
    errors = await writeEach(reservationCollection(db), writes, { maxTimeMS });
    return reservations.map((reservation, index) => errors[index] ?? reservation);
  } finally {
    // If the bulk as a whole failed, count all: each may have been inserted.
    const inserted = reservations.filter((_, index) => errors[index] === undefined);
    noteClaimChanges(db, inserted);
  }
}

function reservationOf({ actor, attached, ...hold }: NewHold, now: Date): Reservation {
  const holdExpiresAt = new Date(Math.min(now.getTime() + hold.ttlMs, hold.slotEnd.getTime()));
  const { _id: holdId, partnerId, venueId, resourceId, slotId, slotStart, slotEnd, pricePaise } = hold;
  const subject = { venueId, resourceId, slotId, slotStart, slotEnd, pricePaise, holdId };
  const event: OutboxEvent = {
    eventId: newId(),
    type: 'hold_created',
    at: now,
    originatorId: partnerId,
    actor,
    ...subject,
    bookingId: null,
    holdExpiresAt,
    ...omitUndefined({ resourceIdsAffected: hold.resourceIdsAffected }),
    ...(Object.keys(attached).length === 0 ? {} : { attached: { partnerId, ...attached } }),
  };
  return {
    ...hold,
    ...attached,
    status: 'ACTIVE',
    claimed: true,
    placedAt: now,
    holdExpiresAt,
    ttlMs: holdExpiresAt.getTime() - now.getTime(),
    outbox: [event],
    outboxSince: now,
  };
}

/**
 * The reservation, or an expression that fails if the lease has ended or this process's clock is wrong: with a wrong
 * clock the hold would not last as long as its caller is told (ADR 0004).
 */
function unlessLate(reservation: Reservation, now: Date, { beginBy }: Lease): Expression {
  const earliest = new Date(now.getTime() - CLOCK_TOLERANCE_MS);
  const latest = new Date(Math.min(now.getTime() + CLOCK_TOLERANCE_MS, beginBy.getTime()));
  const isInTime = { $and: [{ $gte: ['$$NOW', earliest] }, { $lt: ['$$NOW', latest] }] };
  return { $cond: [isInTime, { $literal: reservation }, { $toInt: 'not in time' }] };
}

type NewBooking = Pick<Reservation, 'customer' | 'paymentReference' | 'playedFor'> & {
  bookingId: string;
  actor: Actor;
};

/** Inserts a walk-in, which is BOOKED from the start. Throws a duplicate-key error if a cell is taken. */
export async function insertBooked(
  db: Db,
  draft: NewReservation,
  { actor, ...booking }: NewBooking,
  tx: Tx,
): Promise<Reservation> {
  const instants = { placedAt: '$$NOW', bookedAt: '$$NOW', holdExpiresAt: '$$NOW', outboxSince: '$$NOW' };
  const booked = literal({ ...draft, ...booking, status: 'BOOKED', claimed: true });
  const event = eventOf('booking_created', '$partnerId', actor, {
    ...SUBJECT,
    eventId: literal(newId()),
    bookingId: '$bookingId',
  });
  // An upsert, because only an update can read `$$NOW`.
  const reservation = await reservationCollection(db).findOneAndUpdate(
    { _id: draft._id },
    [{ $replaceWith: { $mergeObjects: [booked, instants] } }, { $set: { outbox: [event] } }],
    { upsert: true, returnDocument: 'after', session: tx },
  );
  if (reservation === null) throw new Error('An upsert returned no document');
  noteClaimChanges(db, [reservation], tx);
  return reservation;
}
