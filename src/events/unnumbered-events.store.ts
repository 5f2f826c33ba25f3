import type { Db } from '../platform/mongo.ts';
import { NEWEST } from '../platform/newest-reads.ts';
import { eventCollection } from './events.model.ts';
import { closeRanges, openRange } from './sequence-numbers.store.ts';

// Releases up to 1.0.0 wrote events first and numbered them later, and may have left some without a number.

const UNNUMBERED_INDEX = 'unsequenced_events_by_instant';
const UNNUMBERED = { isUnsequenced: true } as const;
const BATCH = 500;

/** How many events have no number; 0 if the index is missing, which only releases up to 1.0.0 created. */
export async function countUnnumbered(db: Db): Promise<number> {
  const indexes = await eventCollection(db).indexes();
  if (!indexes.some(({ name }) => name === UNNUMBERED_INDEX)) return 0;
  return eventCollection(db).countDocuments(UNNUMBERED, NEWEST);
}

/** Numbers the events without a number, in order of time, until none is left or `stopping` aborts; returns how many. */
export async function numberEvents(db: Db, stopping: AbortSignal): Promise<number> {
  for (let count = 0; ; ) {
    if (stopping.aborted || (await countUnnumbered(db)) === 0) return count;
    const rows = await eventCollection(db)
      .find(UNNUMBERED, { ...NEWEST, projection: { _id: 1 } })
      .sort({ at: 1, _id: 1 })
      .limit(BATCH)
      .toArray();
    const range = await openRange(db, rows.length);
    const { modifiedCount } = await eventCollection(db).bulkWrite(
      rows.map(({ _id }, index) => ({
        updateOne: {
          filter: { _id, ...UNNUMBERED },
          update: { $set: { sequence: range.from + index }, $unset: { isUnsequenced: '' } },
        },
      })),
    );
    await closeRanges(db, [range]);
    count += modifiedCount;
  }
}
