import { databaseClockOf } from '../platform/clock.ts';
import { onePer } from '../platform/coalesced.ts';
import { gathered } from '../platform/gathered.ts';
import { newId } from '../platform/ids.ts';
import type { Db, Expression, Tx } from '../platform/mongo.ts';
import { isCommandTimeout, isDuplicateKey, isExpressionError } from '../platform/mongo.ts';
import { omitUndefined } from '../platform/omit-undefined.ts';
import type { Lease } from '../platform/version-leases.ts';
import type { Actor } from './actor-types.ts';
import { insertClaim, insertClaims } from './claim-writes.store.ts';
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
type NewHold = { draft: NewReservation; options: HoldOptions; eventId: string };
type LeasedHold = NewHold & { lease: Lease };

/** How far the instant that a process gives a hold may be from the database's time when the hold is written. */
const CLOCK_TOLERANCE_MS = 1000;
const MAX_BATCH = 200;

/**
 * Inserts an ACTIVE hold that claims its cells until `ttlMs` from now, its event with it, while the lease lasts under which it was
 * drafted (ADR 0037). Holds that are placed at the same time leave as one bulk, each with its own outcome (ADR 0032). Undefined where
 * it may not have been inserted in that time, or this process does not know the database's time. Throws a duplicate-key error where
 * a cell, the key or the ordinal is taken.
 */
export async function insertHoldUnderLease(
  db: Db,
  draft: NewReservation,
  options: HoldOptions,
  lease: Lease,
): Promise<Written | undefined> {
  try {
    return await insertInBatch(db)({ draft, options, lease, eventId: newId() });
  } catch (err) {
    if (isExpressionError(err) || isCommandTimeout(err)) return undefined;
    throw err;
  }
}

/** Whether the insert was rejected because another ACTIVE hold of the partner has its ordinal. */
export const isOrdinalTaken = (err: unknown): boolean => isDuplicateKey(err, ORDINAL_INDEX);

const insertInBatch = onePer((db: Db) =>
  gathered<LeasedHold, Written>(async (holds) => {
    const now = databaseClockOf(db).now();
    const reservations = holds.map((hold) => reservationOf(hold, now));
    const errors = await insertClaims(
      db,
      reservations,
      (reservation, index) => unlessLate(reservation, now, (holds[index] as LeasedHold).lease),
      // One member can have to wait for a transaction that claims the same space; no lease lasts for that.
      { maxTimeMS: Math.min(...holds.map(({ lease }) => lease.maxTimeMS)) },
    );
    return holds.map(
      ({ eventId }, index) => errors[index] ?? { reservation: reservations[index] as Reservation, eventId },
    );
  }, MAX_BATCH),
);

/** What the hold is when it is placed at `now`. */
function reservationOf({ draft, options, eventId }: NewHold, now: Date): Reservation {
  const { actor, attached = {}, ...fields } = options;
  const holdExpiresAt = new Date(now.getTime() + options.ttlMs);
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
    ...{ status: 'ACTIVE', claimed: true, placedAt: now, holdExpiresAt },
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

/**
 * The same in a transaction that has made sure by which rules it may be placed, with the database's time.
 */
export async function insertHoldInTransaction(
  db: Db,
  draft: NewReservation,
  options: HoldOptions,
  tx: Tx,
): Promise<Written> {
  const hold = { draft, options, eventId: newId() };
  const { outbox, ...fields } = reservationOf(hold, new Date(0));
  const instants = { placedAt: '$$NOW', holdExpiresAt: { $add: ['$$NOW', options.ttlMs] } };
  const event = {
    $mergeObjects: [{ $literal: outbox[0] }, { at: '$$NOW', holdExpiresAt: instants.holdExpiresAt }],
  };
  const document = {
    $mergeObjects: [{ $literal: fields }, { ...instants, outbox: [event], outboxSince: '$$NOW' }],
  };
  return { reservation: await insertClaim(db, fields._id, document, tx), eventId: hold.eventId };
}
