import { writeEach } from '../platform/bulk-writes.ts';
import { newId } from '../platform/ids.ts';
import { type Db, type Expression, inSnapshot, isDuplicateKey, type Snapshot } from '../platform/mongo.ts';
import { NEWEST } from '../platform/newest-reads.ts';
import { type EventRow, eventCollection, feedCounterCollection, type NumberRange } from './events.model.ts';

const FEED = { _id: 'feed' } as const;

/** The highest number in use. An older release knows only `last`, so `last` may be above `reserved`. */
const HIGHEST = { $max: ['$last', '$reserved', 0] };

/** The last sequence number of the feed in the snapshot. The log has every event up to it. */
export async function findLastSequenceNumber(db: Db, snapshot: Snapshot): Promise<number> {
  const counter = await feedCounterCollection(db).findOne(FEED, inSnapshot(snapshot));
  return counter?.last ?? 0;
}

/** Reserves the next `count` sequence numbers. The feed ends below these until `closeRanges` (ADR 0010). */
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

/** Lets the feed go on to the next open range or its end. Call it after all writes with these numbers. */
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
 * Ends a range while its events may still be written, for example by a stalled process. The unique index gives each
 * number to the first writer: this call writes a filler for every free number, and a late event gets a number of a
 * later range.
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

const NO_ID = '00000000-0000-0000-0000-000000000000';

function filler({ at }: NumberRange, sequence: number): EventRow {
  return {
    _id: newId(),
    type: 'hold_expired',
    at,
    venueId: NO_ID,
    resourceId: '',
    slotId: '',
    slotStart: at,
    slotEnd: at,
    holdId: NO_ID,
    bookingId: null,
    originatorId: NO_ID,
    holdExpiresAt: null,
    pricePaise: 0,
    reason: null,
    isFiller: true,
    sequence,
  };
}

export async function findOpenRanges(db: Db): Promise<NumberRange[]> {
  return (await feedCounterCollection(db).findOne(FEED, NEWEST))?.open ?? [];
}

/** Skips `count` sequence numbers after a restore, so that new ones exceed all that were used after the backup. */
export async function skipSequenceNumbers(db: Db, count: number): Promise<void> {
  const next = { $add: [HIGHEST, count] };
  await feedCounterCollection(db).updateOne(FEED, [{ $set: { reserved: next, last: next, open: [] } }], {
    upsert: true,
  });
}

/** The instant at which the feed begins: 30 days ago. */
export const FEED_BEGIN: Expression = { $subtract: ['$$NOW', 30 * 86_400_000] };

/** Removes the sequence numbers of events before the feed, so that its readers do not scan them. Returns how many. */
export async function removeFromFeed(db: Db): Promise<number> {
  const { modifiedCount } = await eventCollection(db).updateMany(
    { sequence: { $gt: 0 }, $expr: { $lt: ['$at', FEED_BEGIN] } },
    { $unset: { sequence: '' } },
    { hint: 'feed_by_age' },
  );
  return modifiedCount;
}
