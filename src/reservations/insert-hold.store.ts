import { batched } from '../platform/batched.ts';
import { writeEach } from '../platform/bulk-writes.ts';
import { databaseClockOf } from '../platform/clock.ts';
import { newId } from '../platform/ids.ts';
import type { Lease } from '../platform/leased-cache.ts';
import { memoizeByObject } from '../platform/memoize-by-object.ts';
import type { Db, Expression } from '../platform/mongo.ts';
import { isCommandTimeout, isDuplicateKey, isExpressionError } from '../platform/mongo.ts';
import type { Actor } from './actor-types.ts';
import { noteClaimChanges } from './claim-writes.store.ts';
import { findReservation } from './reservation-reads.store.ts';
import type { Attached, OutboxEvent, Reservation } from './reservations.model.ts';
import { GUARD_INDEX, HOLD_KEY_INDEX, ORDINAL_INDEX, reservationCollection } from './reservations.model.ts';
import type { NewReservation } from './reservations.store.ts';

export type HoldTerms = {
  ttlMs: number;
  holdKey?: string;
  holdOrdinal: number;
  attached: Attached;
  actor: Actor;
};

/** A hold before it is placed, which gives it its instants. */
export type NewHold = NewReservation & HoldTerms;

/** Why a hold was not inserted: the unique index that it violates, or 'late'. */
export type NotInserted = 'cell taken' | 'key taken' | 'ordinal taken' | 'late';

type LeasedHold = { hold: NewHold; lease: Lease };

/** How far the instant that a process gives a hold may be from the database's time when the hold is written. */
const CLOCK_TOLERANCE_MS = 1000;
const MAX_BATCH = 200;

/**
 * Inserts an ACTIVE hold with its `hold_created` event. It claims its cells for `ttlMs`, and at most until its slot ends. Concurrent
 * holds leave as one bulk, each with its own outcome (ADR 0003); with `isAlone` this one leaves as a bulk of its own. 'late': its
 * lease was over when the database came to it, it waited too long for a transaction, or this process's clock was wrong; draft
 * it again under a new lease, and insert it alone, because it may have to wait for that transaction again.
 */
export async function insertHold(
  db: Db,
  hold: NewHold,
  lease: Lease,
  isAlone: boolean,
): Promise<Reservation | NotInserted> {
  try {
    return await (isAlone ? insertAlone(db, { hold, lease }) : insertInBatch(db)({ hold, lease }));
  } catch (err) {
    if (isDuplicateKey(err, GUARD_INDEX)) return 'cell taken';
    if (isDuplicateKey(err, HOLD_KEY_INDEX)) return 'key taken';
    if (isDuplicateKey(err, ORDINAL_INDEX)) return 'ordinal taken';
    if (isExpressionError(err)) {
      void databaseClockOf(db).measure();
      return 'late';
    }
    if (!isCommandTimeout(err)) throw err;
    // The server broke the bulk off, and may have inserted this hold before.
    return (await findReservation(db, hold._id)) ?? 'late';
  }
}

const insertInBatch = memoizeByObject((db: Db) =>
  batched((holds: readonly LeasedHold[]) => insertHolds(db, holds), MAX_BATCH),
);

async function insertAlone(db: Db, hold: LeasedHold): Promise<Reservation> {
  const [outcome = new Error('A hold has no outcome')] = await insertHolds(db, [hold]);
  if (outcome instanceof Error) throw outcome;
  return outcome;
}

/** Returns for each hold, in their order, what was inserted or the error that it met alone. */
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
  // A hold may have to wait for a transaction that claims the same space; no lease lasts for that.
  const maxTimeMS = Math.min(...holds.map(({ lease }) => lease.maxTimeMS));
  let errors: (Error | undefined)[] = [];
  try {
    errors = await writeEach(reservationCollection(db), writes, { maxTimeMS });
    return reservations.map((reservation, index) => errors[index] ?? reservation);
  } finally {
    // All of them if the bulk as a whole failed: each may have been inserted.
    const inserted = reservations.filter((_, index) => errors[index] === undefined);
    noteClaimChanges(db, inserted);
  }
}

/** The hold as it is placed at `now`. */
function reservationOf({ actor, attached, ...hold }: NewHold, now: Date): Reservation {
  const holdExpiresAt = new Date(Math.min(now.getTime() + hold.ttlMs, hold.slotEnd.getTime()));
  const event: OutboxEvent = {
    eventId: newId(),
    type: 'hold_created',
    at: now,
    originatorId: hold.partnerId,
    actor,
    venueId: hold.venueId,
    resourceId: hold.resourceId,
    slotId: hold.slotId,
    slotStart: hold.slotStart,
    slotEnd: hold.slotEnd,
    pricePaise: hold.pricePaise,
    holdId: hold._id,
    bookingId: null,
    holdExpiresAt,
    ...(Object.keys(attached).length === 0 ? {} : { attached: { partnerId: hold.partnerId, ...attached } }),
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
 * The reservation with the instants of this process, which the database rejects where its own time is another, because a hold must
 * live as long as its caller is told, however wrong a host's clock is (ADR 0004), and where it is too late for the lease.
 */
function unlessLate(reservation: Reservation, now: Date, { beginBy }: Lease): Expression {
  const earliest = new Date(now.getTime() - CLOCK_TOLERANCE_MS);
  const latest = new Date(Math.min(now.getTime() + CLOCK_TOLERANCE_MS, beginBy.getTime()));
  const isInTime = { $and: [{ $gte: ['$$NOW', earliest] }, { $lt: ['$$NOW', latest] }] };
  return { $cond: [isInTime, { $literal: reservation }, { $toInt: 'not in time' }] };
}
