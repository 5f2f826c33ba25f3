import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type EventRow, eventCollection, feedCounterCollection } from '../../src/events/events.model.ts';
import { outboxIdOf } from '../../src/events/events.rules.ts';
import { insertNumbered } from '../../src/events/events.store.ts';
import { giveUpOldRanges, readFeed } from '../../src/events/feed.service.ts';
import { logEvents } from '../../src/events/log-events.service.ts';
import { closeRanges, findOpenRanges, giveUpRange, openRange } from '../../src/events/sequence-numbers.store.ts';
import { inTransaction } from '../../src/platform/mongo.ts';
import { eventually } from '../support/eventually.ts';
import type { Service } from '../support/service.ts';
import { anyEvent } from './any-event.ts';

type Context = Service['context'];

/** An event of the reservation, `laterMs` after the current time. */
const laterEvent = (venueId: string, holdId: string, laterMs: number) =>
  anyEvent({ venueId, holdId, at: new Date(Date.now() + laterMs) });

/** Logs this many events as a dispatcher; returns their ids. */
export async function logAsDispatcher({ db }: Context, venueId: string, count: number): Promise<string[]> {
  const events = Array.from({ length: count }, (_, index) => laterEvent(venueId, randomUUID(), index));
  const openBefore = (await findOpenRanges(db)).length;
  const { failures } = await logEvents({ db }, events);
  if (failures.size > 0) throw new Error(`${failures.size} events were not numbered`);
  await eventually('its range is closed', async () => (await findOpenRanges(db)).length === openBefore);
  return events.map(({ _id }) => _id);
}

/** Reserves numbers like a dispatcher that then freezes; returns the id of the range. */
export async function reserveNumbers({ db }: Context, count: number): Promise<string> {
  return (await openRange(db, count)).id;
}

const rangeOf = async ({ db }: Context, id: string) => {
  const range = (await findOpenRanges(db)).find((each) => each.id === id);
  if (range === undefined) throw new Error(`The range ${id} is not open`);
  return range;
};

/** `rejected`: how many numbers were invalid. `readerAt`: a reader's position before the dispatcher continued. */
export type Continued = { ids: string[]; rejected: number; readerAt: number };

/** Wakes the dispatcher after `before`: it writes as many events with the numbers of its range as it still can. */
export async function useNumbers(
  context: Context,
  id: string,
  { venueId, partnerId }: { venueId: string; partnerId: string },
  before: 'nothing' | 'its range was given up' | 'its range was only closed',
): Promise<Continued> {
  const { db } = context;
  const range = await rangeOf(context, id);
  const events = Array.from({ length: range.until - range.from + 1 }, () => anyEvent({ venueId }));
  if (before === 'its range was given up') await giveUpRange(db, range);
  if (before === 'its range was only closed') await closeRanges(db, [range]);
  const { next: readerAt } = await read(context, partnerId, 0);
  const unwritten = await insertNumbered(db, events, range.from);
  await closeRanges(db, [range]);
  await logEvents(
    { db },
    events.filter((event) => unwritten.has(outboxIdOf(event))),
  );
  await untilClosed(context);
  return { ids: events.map(({ _id }) => _id), rejected: unwritten.size, readerAt };
}

const untilClosed = ({ db }: Context) =>
  eventually('no range is open', async () => (await findOpenRanges(db)).length === 0);

/** Makes the range `ms` old. */
export async function age({ db }: Context, id: string, ms: number): Promise<void> {
  await feedCounterCollection(db).updateOne(
    { _id: 'feed', 'open.id': id },
    { $set: { 'open.$.at': new Date(Date.now() - ms) } },
  );
}

export const giveUpOld = (context: Context): Promise<void> => giveUpOldRanges(context);

export const openRangeIds = async ({ db }: Context): Promise<string[]> =>
  (await findOpenRanges(db)).map(({ id }) => id);

/** The ids of the events that a reader gets after `after`, and the reader's next position. */
export async function read(
  context: Context,
  partnerId: string,
  after: number,
): Promise<{ ids: string[]; next: number }> {
  const { events, next } = await readFeed(context, partnerId, { after, limit: 500 });
  return { ids: events.map(({ _id }) => _id), next };
}

/** The highest number of any event, even beyond the end of the feed. */
export async function highestNumber({ db }: Context): Promise<number> {
  const [row] = await eventCollection(db)
    .find({ sequence: { $gt: 0 } })
    .sort({ sequence: -1 })
    .limit(1)
    .toArray();
  return row?.sequence ?? 0;
}

/**
 * Logs events like an older release, which numbers them in a transaction and changes only `last`; returns false if a
 * number is taken.
 */
async function logAsOlderRelease({ db }: Context, events: readonly EventRow[]): Promise<boolean> {
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
    if ((err as { code?: number }).code === 11000) return false;
    throw err;
  }
}

type Race = { partnerId: string; venueId: string; dispatchers: number; rounds: number; older: number };

/**
 * Runs dispatchers, `older` dispatchers of an older release and a reader concurrently. The numbers of a dispatcher's
 * every fourth batch are given up while it writes the batch.
 */
export async function readWhileDispatching(
  context: Context,
  { partnerId, venueId, dispatchers, rounds, older }: Race,
): Promise<{ readIds: string[]; writtenIds: string[]; disordered: string[] }> {
  const { db } = context;
  const [readIds, writtenIds]: [string[], string[]] = [[], []];
  const state = { isDispatching: true };
  const dispatcher = async (index: number) => {
    for (let round = 0; round < rounds; round += 1) {
      const holdId = randomUUID();
      const events = [anyEvent({ venueId }), ...[0, 1, 2].map((laterMs) => laterEvent(venueId, holdId, laterMs))];
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
      if (!(await logAsOlderRelease(context, events))) await logEvents({ db }, events);
    }
  };
  const reader = async () => {
    for (let after = 0, isLast = false; ; ) {
      isLast = !state.isDispatching && (await findOpenRanges(db)).length === 0;
      const { ids, next } = await read(context, partnerId, after);
      readIds.push(...ids);
      after = next;
      // A snapshot may be older than the unacknowledged write that closed the last range.
      if (isLast && ids.length === 0 && after >= (await highestNumber(context))) return;
    }
  };
  const dispatching = Promise.all([
    ...Array.from({ length: dispatchers }, (_, index) => dispatcher(index)),
    ...Array.from({ length: older }, olderDispatcher),
  ]).finally(() => {
    state.isDispatching = false;
  });
  await Promise.all([dispatching, reader()]);
  return { readIds, writtenIds, disordered: await disorderedIn(context, venueId) };
}

/** The reservations at the venue whose events are out of order in the feed. */
async function disorderedIn({ db }: Context, venueId: string): Promise<string[]> {
  const rows = await eventCollection(db).find({ venueId }).sort({ holdId: 1, at: 1 }).toArray();
  return rows
    .filter((row, index) => {
      const before = rows[index - 1];
      return before?.holdId === row.holdId && (before.sequence ?? Number.NaN) >= (row.sequence ?? Number.NaN);
    })
    .map(outboxIdOf);
}
