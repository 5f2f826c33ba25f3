import { writeEach } from '../platform/bulk-writes.ts';
import { newId } from '../platform/ids.ts';
import type { Db, Expression, Snapshot } from '../platform/mongo.ts';
import { inSnapshot, isDuplicateKey } from '../platform/mongo.ts';
import { NEWEST } from '../platform/newest-reads.ts';
import type { EventRow, NumberRange } from './events.model.ts';
import { eventCollection, feedCounterCollection } from './events.model.ts';

const FEED = { _id: 'feed' } as const;

/** The highest number that anybody may have; also where an older release, which knows `last` alone, has gone beyond what is reserved. */
const HIGHEST = { $max: ['$last', '$reserved', 0] };

/** The last sequence number of the feed at the moment of the snapshot, which has every event up to it. */
export async function findLastSequenceNumber(db: Db, snapshot: Snapshot): Promise<number> {
  const counter = await feedCounterCollection(db).findOne(FEED, inSnapshot(snapshot));
  return counter?.last ?? 0;
}

/**
 * Reserves the next `count` sequence numbers. The feed ends below them until `closeRanges`, whatever gets its number meanwhile
 * (ADR 0010).
 */
export async function openRange(db: Db, count: number): Promise<NumberRange> {
  const id = newId();
  const range = { id, from: { $add: [HIGHEST, 1] }, until: { $add: [HIGHEST, count] }, at: '$$NOW' };
  const update = {
    last: { $ifNull: ['$last', 0] },
    reserved: { $add: [HIGHEST, count] },
    open: { $concatArrays: [{ $ifNull: ['$open', []] }, [range]] },
  };
  const options = { upsert: true, returnDocument: 'after' } as const;
  const counter = await feedCounterCollection(db).findOneAndUpdate(FEED, [{ $set: update }], options);
  const opened = counter?.open?.find((each) => each.id === id);
  if (opened === undefined) throw new Error('The feed counter has no range that was just opened');
  return opened;
}

/** The feed goes on: to the next range that is open, or to the last number. Only when no write with their numbers is under way. */
export async function closeRanges(db: Db, ranges: readonly Pick<NumberRange, 'id'>[]): Promise<void> {
  const ids = ranges.map(({ id }) => id);
  const others: Expression = { $filter: { input: '$open', cond: { $not: [{ $in: ['$$this.id', ids] }] } } };
  const end = { $cond: [{ $eq: ['$open', []] }, HIGHEST, { $subtract: [{ $min: '$open.from' }, 1] }] };
  await feedCounterCollection(db).updateOne({ ...FEED, 'open.id': { $in: ids } }, [
    { $set: { open: others } },
    { $set: { last: { $max: ['$last', end] } } },
  ]);
}

/**
 * Ends a range whose events may still be on their way, as of a process that stands still. Whoever is first takes a number, by the
 * unique index; those that this call takes are nobody's, and an event that comes late gets a number of a later range.
 */
export async function giveUpRange(db: Db, range: NumberRange): Promise<void> {
  const count = range.until - range.from + 1;
  const fillers = Array.from({ length: count }, (_, index) => ({
    insertOne: { document: filler(range, range.from + index) },
  }));
  const errors = await writeEach(eventCollection(db), fillers);
  const failure = errors.find((err) => err !== undefined && !isDuplicateKey(err));
  if (failure !== undefined) throw failure;
  await closeRanges(db, [range]);
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

/** Leaves out `count` sequence numbers, so that those to come are beyond all that may have been given after a backup. */
export async function skipSequenceNumbers(db: Db, count: number): Promise<void> {
  const next = { $add: [HIGHEST, count] };
  await feedCounterCollection(db).updateOne(FEED, [{ $set: { reserved: next, last: next, open: [] } }], {
    upsert: true,
  });
}
