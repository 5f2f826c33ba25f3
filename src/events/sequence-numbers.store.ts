import { insertEach } from '../platform/bulk-writes.ts';
import { newId } from '../platform/ids.ts';
import type { Db, Expression, Snapshot, Tx } from '../platform/mongo.ts';
import { inSnapshot, isCommandTimeout, isDuplicateKey } from '../platform/mongo.ts';
import { NEWEST } from '../platform/newest-reads.ts';
import type { EventRow, NumberRange } from './events.model.ts';
import { eventCollection, feedCounterCollection } from './events.model.ts';

const FEED = { _id: 'feed' } as const;

/** How long a dispatcher waits for a transaction that has the counter: one whose process stands still has it for up to a minute. */
const IN_TIME = { maxTimeMS: 1000 };

/** The highest number that anybody may have; also where an older release, which knows `last` alone, has gone beyond what is reserved. */
const HIGHEST = { $max: ['$last', '$reserved', 0] };

/** The last sequence number of the feed at the moment of the snapshot, which has every event up to it. */
export async function findLastSequenceNumber(db: Db, snapshot: Snapshot): Promise<number> {
  const counter = await feedCounterCollection(db).findOne(FEED, inSnapshot(snapshot));
  return counter?.last ?? 0;
}

/**
 * Reserves the next `count` sequence numbers. The feed ends below them until `closeRange`, whatever gets its number meanwhile
 * (ADR 0059). Undefined where a transaction has the counter for a second.
 */
export async function openRange(db: Db, count: number): Promise<NumberRange | undefined> {
  const id = newId();
  const range = { id, from: { $add: [HIGHEST, 1] }, until: { $add: [HIGHEST, count] }, at: '$$NOW' };
  const update = {
    last: { $ifNull: ['$last', 0] },
    reserved: { $add: [HIGHEST, count] },
    open: { $concatArrays: [{ $ifNull: ['$open', []] }, [range]] },
  };
  try {
    const options = { upsert: true, returnDocument: 'after', ...IN_TIME } as const;
    const counter = await feedCounterCollection(db).findOneAndUpdate(FEED, [{ $set: update }], options);
    return counter?.open?.find((each) => each.id === id);
  } catch (err) {
    if (isCommandTimeout(err)) return undefined;
    throw err;
  }
}

/** The feed goes on: to the next range that is open, or to the last number. Only when no write with a number of this range is under way. */
export async function closeRange(db: Db, { id }: NumberRange): Promise<void> {
  const others: Expression = { $filter: { input: '$open', cond: { $ne: ['$$this.id', id] } } };
  const end = { $cond: [{ $eq: ['$open', []] }, HIGHEST, { $subtract: [{ $min: '$open.from' }, 1] }] };
  await feedCounterCollection(db).updateOne({ ...FEED, 'open.id': id }, [
    { $set: { open: others } },
    { $set: { last: { $max: ['$last', end] } } },
  ]);
}

/**
 * Ends a range whose events may still be on their way, as of a dispatcher that stands still: each of its numbers is taken by whoever is
 * first, by the unique index, and those that this call gets are nobody's. What comes late then gets another number.
 */
export async function giveUpRange(db: Db, range: NumberRange): Promise<void> {
  const count = range.until - range.from + 1;
  const fillers = Array.from({ length: count }, (_, index) => filler(range, range.from + index));
  const errors = await insertEach(eventCollection(db), fillers);
  const failure = errors.find((err) => err !== undefined && !isDuplicateKey(err));
  if (failure !== undefined) throw failure;
  await closeRange(db, range);
}

const NOBODY = '00000000-0000-0000-0000-000000000000';

function filler({ at }: NumberRange, sequence: number): EventRow {
  return {
    ...{ _id: newId(), type: 'hold_expired', at, isFiller: true, sequence },
    ...{ venueId: NOBODY, resourceId: '', slotId: '', slotStart: at, slotEnd: at },
    ...{ holdId: NOBODY, bookingId: null, originatorId: NOBODY },
    ...{ holdExpiresAt: null, pricePaise: 0, reason: null },
  };
}

/** The ranges that are open. */
export async function findOpenRanges(db: Db): Promise<NumberRange[]> {
  return (await feedCounterCollection(db).findOne(FEED, NEWEST))?.open ?? [];
}

/**
 * Reserves the next `count` sequence numbers for events that get them in the same transaction; returns the first. The feed has them at
 * the commit, or when the ranges below them are closed.
 */
export async function reserveSequenceNumbers(db: Db, count: number, tx: Tx): Promise<number> {
  const reserved = { $add: [HIGHEST, count] };
  const isOpen = { $gt: [{ $size: { $ifNull: ['$open', []] } }, 0] };
  const update = { reserved, last: { $cond: [isOpen, '$last', reserved] } };
  const options = { session: tx, upsert: true, returnDocument: 'after' } as const;
  const counter = await feedCounterCollection(db).findOneAndUpdate(FEED, [{ $set: update }], options);
  if (counter?.reserved === undefined) throw new Error('An upsert returned no document');
  return counter.reserved - count + 1;
}

/** Leaves out `count` sequence numbers, so that those to come are beyond all that may have been given after a backup. */
export async function skipSequenceNumbers(db: Db, count: number): Promise<void> {
  const next = { $add: [HIGHEST, count] };
  await feedCounterCollection(db).updateOne(FEED, [{ $set: { reserved: next, last: next, open: [] } }], {
    upsert: true,
  });
}
