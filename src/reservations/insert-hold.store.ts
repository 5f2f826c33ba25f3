import { writeEach } from '../platform/bulk-writes.ts';
import { databaseClockOf } from '../platform/clock.ts';
import { onePer } from '../platform/coalesced.ts';
import { gathered } from '../platform/gathered.ts';
import { newId } from '../platform/ids.ts';
import type { Db, Expression } from '../platform/mongo.ts';
import { isCommandTimeout, isDuplicateKey, isExpressionError } from '../platform/mongo.ts';
import { omitUndefined } from '../platform/omit-undefined.ts';
import type { Actor } from './actor-types.ts';
import type { OutboxEvent, Reservation } from './reservations.model.ts';
import { ORDINAL_INDEX, reservationCollection } from './reservations.model.ts';
import { HOLD_WRITE_MS } from './reservations.rules.ts';
import type { NewReservation, Written } from './reservations.store.ts';

type HoldOptions = { ttlMs: number; holdKey: string | undefined; holdOrdinal: number; actor: Actor };
type NewHold = { draft: NewReservation; options: HoldOptions; eventId: string };

/** How far the instant that a process gives a hold may be from the database's time when the hold is written. */
const CLOCK_TOLERANCE_MS = 1000;
/** One member can have to wait for a transaction that claims the same space; the others must not wait for that. */
const BATCH_WRITE_MS = 2000;
const MAX_BATCH = 200;

/**
 * Inserts an ACTIVE hold that claims its cells until `ttlMs` from now, its event with it. Holds that are placed at the same time
 * leave as one bulk, each with its own outcome (ADR 0032). Throws a duplicate-key error where a cell, the key or the ordinal is taken.
 */
export async function insertHold(db: Db, draft: NewReservation, options: HoldOptions): Promise<Written> {
  const hold = { draft, options, eventId: newId() };
  try {
    return await insertInBatch(db)(hold);
  } catch (err) {
    if (!isExpressionError(err) && !isCommandTimeout(err)) throw err;
  }
  return insertAlone(db, hold);
}

/** Whether the insert was rejected because another ACTIVE hold of the partner has its ordinal. */
export const isOrdinalTaken = (err: unknown): boolean => isDuplicateKey(err, ORDINAL_INDEX);

const insertInBatch = onePer((db: Db) =>
  gathered<NewHold, Written>(async (holds) => {
    const now = databaseClockOf(db).now();
    const reservations = holds.map((hold) => reservationOf(hold, now));
    const errors = await writeEach(
      reservationCollection(db),
      reservations.map((reservation) => ({
        updateOne: { filter: { _id: reservation._id }, update: [unlessLate(reservation, now)], upsert: true },
      })),
      { maxTimeMS: BATCH_WRITE_MS },
    );
    return holds.map(
      ({ eventId }, index) => errors[index] ?? { reservation: reservations[index] as Reservation, eventId },
    );
  }, MAX_BATCH),
);

/** What the hold is when it is placed at `now`. */
function reservationOf({ draft, options, eventId }: NewHold, now: Date): Reservation {
  const { actor, ...fields } = options;
  const holdExpiresAt = new Date(now.getTime() + options.ttlMs);
  const { _id: holdId, venueId, resourceId, slotId, slotStart, slotEnd, pricePaise } = draft;
  const event: OutboxEvent = {
    ...{ eventId, type: 'hold_created', at: now, originatorId: draft.partnerId, actor },
    ...{ venueId, resourceId, slotId, slotStart, slotEnd, pricePaise, holdId },
    ...{ bookingId: null, holdExpiresAt },
  };
  return {
    ...draft,
    ...omitUndefined(fields),
    ...{ status: 'ACTIVE', claimed: true, placedAt: now, holdExpiresAt },
    ...{ outbox: [event], outboxSince: now },
  };
}

/**
 * The reservation with the instants of this process, which the database rejects where its own time is another: a hold must live
 * as long as its caller is told, however wrong a host's clock is (ADR 0004).
 */
function unlessLate(reservation: Reservation, now: Date): Expression {
  const [earliest, latest] = [-CLOCK_TOLERANCE_MS, CLOCK_TOLERANCE_MS].map(
    (ms) => new Date(now.getTime() + ms),
  );
  const isNow = { $and: [{ $gte: ['$$NOW', earliest] }, { $lte: ['$$NOW', latest] }] };
  return {
    $replaceWith: { $cond: [isNow, { $literal: reservation }, { $toInt: 'not the time of the database' }] },
  };
}

/** The same with the database's time, of which it tells; where a bulk has inserted the hold already, that is returned. */
async function insertAlone(db: Db, hold: NewHold): Promise<Written> {
  const { outbox, ...fields } = reservationOf(hold, new Date(0));
  const instants = { placedAt: '$$NOW', holdExpiresAt: { $add: ['$$NOW', hold.options.ttlMs] } };
  const event = {
    $mergeObjects: [{ $literal: outbox[0] }, { at: '$$NOW', holdExpiresAt: instants.holdExpiresAt }],
  };
  const document = {
    $mergeObjects: [{ $literal: fields }, { ...instants, outbox: [event], outboxSince: '$$NOW' }],
  };
  const isThere = { $ne: [{ $type: '$status' }, 'missing'] };
  const reservation = await reservationCollection(db).findOneAndUpdate(
    { _id: fields._id },
    [{ $replaceWith: { $cond: [isThere, '$$ROOT', document] } }],
    { upsert: true, returnDocument: 'after', maxTimeMS: HOLD_WRITE_MS },
  );
  if (reservation === null) throw new Error('An upsert returned no document');
  return { reservation, eventId: hold.eventId };
}
