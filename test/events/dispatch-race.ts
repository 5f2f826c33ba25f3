import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type EventRow, eventCollection, feedCounterCollection } from '../../src/events/events.model.ts';
import { outboxIdOf } from '../../src/events/events.rules.ts';
import { insertNumbered } from '../../src/events/events.store.ts';
import { readFeed } from '../../src/events/feed.service.ts';
import { logEvents } from '../../src/events/log-events.service.ts';
import { findOpenRanges, giveUpRange, openRange } from '../../src/events/sequence-numbers.store.ts';
import { type Db, inTransaction, isDuplicateKey } from '../../src/platform/mongo.ts';
import { anyEvent } from './any-event.ts';

/** The highest number of any event, even beyond the end of the feed. */
export async function highestNumber(db: Db): Promise<number> {
  const row = await eventCollection(db).findOne({ sequence: { $gt: 0 } }, { sort: { sequence: -1 } });
  return row?.sequence ?? 0;
}

/**
 * Logs events like an older release, which numbers them in a transaction and changes only `last`; returns false if a
 * number is taken.
 */
async function logAsOlderRelease(db: Db, events: readonly EventRow[]): Promise<boolean> {
  try {
    await inTransaction(db, async (tx) => {
      const counter = await feedCounterCollection(db).findOneAndUpdate(
        { _id: 'feed' },
        { $inc: { last: events.length } },
        { session: tx, upsert: true, returnDocument: 'after' },
      );
      const first = (counter?.last ?? 0) - events.length + 1;
      const rows = events.map((event, index) => ({ ...event, sequence: first + index }));
      await eventCollection(db).insertMany(rows, { session: tx });
    });
    return true;
  } catch (err) {
    if (isDuplicateKey(err)) return false;
    throw err;
  }
}

type Race = { partnerId: string; venueId: string; dispatchers: number; rounds: number; older: number };

/**
 * Runs dispatchers, `older` dispatchers of an older release and a reader concurrently. The numbers of a dispatcher's
 * every fourth batch are given up while it writes the batch.
 */
export async function readWhileDispatching(
  db: Db,
  { partnerId, venueId, dispatchers, rounds, older }: Race,
): Promise<{ readIds: string[]; writtenIds: string[]; disordered: string[] }> {
  const [readIds, writtenIds]: [string[], string[]] = [[], []];
  const state = { isDispatching: true };
  const dispatcher = async (index: number) => {
    for (let round = 0; round < rounds; round += 1) {
      const [holdId, now] = [randomUUID(), Date.now()];
      const ofHold = [0, 1, 2].map((laterMs) => anyEvent({ venueId, holdId, at: new Date(now + laterMs) }));
      const events = [anyEvent({ venueId }), ...ofHold];
      writtenIds.push(...events.map(({ _id }) => _id));
      if ((index + round) % 4 !== 0) {
        await logEvents({ db }, events);
        continue;
      }
      const range = await openRange(db, events.length);
      const [unwritten] = await Promise.all([
        delay(Math.random() * 10).then(() => insertNumbered(db, events, range.from)),
        giveUpRange(db, range),
      ]);
      await logEvents(
        { db },
        events.filter((event) => unwritten.has(outboxIdOf(event))),
      );
    }
  };
  const olderDispatcher = async () => {
    for (let round = 0; round < rounds; round += 1) {
      const events = [anyEvent({ venueId }), anyEvent({ venueId })];
      writtenIds.push(...events.map(({ _id }) => _id));
      if (!(await logAsOlderRelease(db, events))) await logEvents({ db }, events);
    }
  };
  const reader = async () => {
    for (let after = 0, isLast = false; ; ) {
      isLast = !state.isDispatching && (await findOpenRanges(db)).length === 0;
      const { events, next } = await readFeed({ db }, partnerId, { after, limit: 500 });
      readIds.push(...events.map(({ _id }) => _id));
      after = next;
      // A snapshot may be older than the unacknowledged write that closed the last range.
      if (isLast && events.length === 0 && after >= (await highestNumber(db))) return;
    }
  };
  const dispatching = Promise.all([
    ...Array.from({ length: dispatchers }, (_, index) => dispatcher(index)),
    ...Array.from({ length: older }, olderDispatcher),
  ]).finally(() => {
    state.isDispatching = false;
  });
  await Promise.all([dispatching, reader()]);
  return { readIds, writtenIds, disordered: await disorderedIn(db, venueId) };
}

/** The reservations at the venue whose events are out of order in the feed. */
async function disorderedIn(db: Db, venueId: string): Promise<string[]> {
  const rows = await eventCollection(db).find({ venueId }).sort({ holdId: 1, at: 1 }).toArray();
  return rows
    .filter((row, index) => {
      const before = rows[index - 1];
      return before?.holdId === row.holdId && (before.sequence ?? Number.NaN) >= (row.sequence ?? Number.NaN);
    })
    .map(outboxIdOf);
}
