import { databaseClockOf } from '../platform/clock.ts';
import { onePer } from '../platform/coalesced.ts';
import { gathered } from '../platform/gathered.ts';
import { newId } from '../platform/ids.ts';
import type { Db, Expression } from '../platform/mongo.ts';
import { isCommandTimeout, isDuplicateKey, isExpressionError } from '../platform/mongo.ts';
import { omitUndefined } from '../platform/omit-undefined.ts';
import type { Lease } from '../platform/version-leases.ts';
import type { Actor } from './actor-types.ts';
import { insertClaims } from './claim-writes.store.ts';
import { findReservation } from './reservation-reads.store.ts';
import type { Attached, OutboxEvent, Reservation } from './reservations.model.ts';
import { ORDINAL_INDEX } from './reservations.model.ts';
import type { NewReservation, Written } from './reservations.store.ts';

export type HoldOptions = {
  ttlMs: number;
  holdKey: string | undefined;
  holdOrdinal: number;
  actor: Actor;
  attached?: Attached;
};
type LeasedHold = { draft: NewReservation; options: HoldOptions; eventId: string; lease: Lease };

/** How far the instant that a process gives a hold may be from the database's time when the hold is written. */
const CLOCK_TOLERANCE_MS = 1000;
const MAX_BATCH = 200;

/**
 * Inserts an ACTIVE hold with its event; it claims its cells until `ttlMs` from now, and no longer than until its slot ends: a slot
 * that is over must not be sold. `null`: the hold was not inserted, because the
 * lease under which it was drafted was over when the database came to it (ADR 0037), or this process's clock was wrong; draft it
 * again under a new lease. Concurrent holds leave as one bulk, each with its own outcome (ADR 0032); `isRepeat`: this one leaves alone,
 * since another hold of its bulk may have to wait for a transaction. Throws a duplicate-key error if a cell, the key or
 * the ordinal is taken.
 */
export async function insertHold(
  db: Db,
  draft: NewReservation,
  options: HoldOptions,
  lease: Lease,
  isRepeat = false,
): Promise<Written | null> {
  const hold = { draft, options, lease, eventId: newId() };
  try {
    return await (isRepeat ? insertAlone(db, hold) : insertInBatch(db)(hold));
  } catch (err) {
    if (isExpressionError(err)) {
      void databaseClockOf(db).measure();
      return null;
    }
    if (!isCommandTimeout(err)) throw err;
    // The server broke the bulk off: it may have inserted this hold before.
    const inserted = await findReservation(db, draft._id);
    return inserted === null ? null : { reservation: inserted, eventId: hold.eventId };
  }
}

/** Whether the insert was rejected because another ACTIVE hold of the partner has its ordinal. */
export const isOrdinalTaken = (err: unknown): boolean => isDuplicateKey(err, ORDINAL_INDEX);

const insertInBatch = onePer((db: Db) =>
  gathered<LeasedHold, Written>((holds) => insertHolds(db, holds), MAX_BATCH),
);

async function insertAlone(db: Db, hold: LeasedHold): Promise<Written> {
  const [outcome = new Error('A hold has no outcome')] = await insertHolds(db, [hold]);
  if (outcome instanceof Error) throw outcome;
  return outcome;
}

/** Returns for each hold, in their order, what was written or the error that it met alone. */
async function insertHolds(db: Db, holds: readonly LeasedHold[]): Promise<(Written | Error)[]> {
  const now = databaseClockOf(db).now();
  const reservations = holds.map((hold) => reservationOf(hold, now));
  const errors = await insertClaims(
    db,
    reservations,
    (reservation, index) => unlessLate(reservation, now, (holds[index] as LeasedHold).lease),
    // A hold may have to wait for a transaction that claims the same space; no lease lasts for that.
    { maxTimeMS: Math.min(...holds.map(({ lease }) => lease.maxTimeMS)) },
  );
  return holds.map(
    ({ eventId }, index) => errors[index] ?? { reservation: reservations[index] as Reservation, eventId },
  );
}

/** What the hold is when it is placed at `now`. */
function reservationOf({ draft, options, eventId }: LeasedHold, now: Date): Reservation {
  const { actor, attached = {}, ...fields } = options;
  const holdExpiresAt = new Date(Math.min(now.getTime() + options.ttlMs, draft.slotEnd.getTime()));
  const ttlMs = holdExpiresAt.getTime() - now.getTime();
  const { _id: holdId, venueId, resourceId, slotId, slotStart, slotEnd, pricePaise } = draft;
  const event: OutboxEvent = {
    ...{ eventId, type: 'hold_created', at: now, originatorId: draft.partnerId, actor },
    ...{ venueId, resourceId, slotId, slotStart, slotEnd, pricePaise, holdId },
    ...{ bookingId: null, holdExpiresAt },
    ...(Object.keys(attached).length === 0 ? {} : { attached: { partnerId: draft.partnerId, ...attached } }),
  };
  return {
    ...draft,
    ...omitUndefined(fields),
    ...attached,
    ...{ status: 'ACTIVE', claimed: true, placedAt: now, holdExpiresAt, ttlMs },
    ...{ outbox: [event], outboxSince: now },
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
