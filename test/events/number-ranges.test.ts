import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { feedCounterCollection, type NumberRange } from '../../src/events/events.model.ts';
import { outboxIdOf } from '../../src/events/events.rules.ts';
import { insertNumbered } from '../../src/events/events.store.ts';
import { giveUpOldRanges, readFeed } from '../../src/events/feed.service.ts';
import { logEvents } from '../../src/events/log-events.service.ts';
import { closeRanges, findOpenRanges, giveUpRange, openRange } from '../../src/events/sequence-numbers.store.ts';
import { startCutProxy } from '../faults/cut-proxy.ts';
import { eventually } from '../support/eventually.ts';
import { anyPartner, anyVenue } from '../support/factories.ts';
import { startService } from '../support/service.ts';
import { databaseUri, freshName } from '../support/service-environment.ts';
import { anyEvent } from './any-event.ts';
import { highestNumber, readWhileDispatching } from './dispatch-race.ts';

const uri = new URL(databaseUri(freshName()));
const proxy = await startCutProxy(Number(uri.port));
uri.port = String(proxy.port);
// The first option keeps the driver from bypassing the proxy. The others make the driver recover soon after a cut.
uri.search = 'directConnection=true&serverMonitoringMode=poll&minHeartbeatFrequencyMS=10';
const service = await startService({ MONGODB_URI: uri.toString() });
const { db } = service.context;
let venueId: string;
let partnerId: string;
afterAll(async () => {
  await service.stop();
  await proxy.close();
});
beforeEach(async () => {
  venueId = (await anyVenue(service)).id;
  partnerId = (await anyPartner(service, [venueId])).id;
});

/** The ids of the events that a reader gets after `after`, and the reader's next position. */
async function read(after: number): Promise<{ ids: string[]; next: number }> {
  const { events, next } = await readFeed({ db }, partnerId, { after, limit: 500 });
  return { ids: events.map(({ _id }) => _id), next };
}

describe('numbers that a frozen dispatcher has reserved but not used', () => {
  /** Logs two events as another dispatcher; returns their ids. */
  async function logOthers(): Promise<string[]> {
    const now = Date.now();
    const events = [0, 1].map((laterMs) => anyEvent({ venueId, at: new Date(now + laterMs) }));
    const { failures, closed } = await logEvents({ db }, events);
    expect(failures).toEqual(new Map());
    await closed;
    return events.map(({ _id }) => _id);
  }

  /** Wakes the dispatcher: it writes as many events with the numbers of its range as it still can. */
  async function wakeUp(range: NumberRange): Promise<{ ids: string[]; rejected: number }> {
    const events = Array.from({ length: range.until - range.from + 1 }, () => anyEvent({ venueId }));
    const unwritten = await insertNumbered(db, events, range.from);
    await closeRanges(db, [range]);
    const waiting = events.filter((event) => unwritten.has(outboxIdOf(event)));
    await (await logEvents({ db }, waiting)).closed;
    return { ids: events.map(({ _id }) => _id), rejected: unwritten.size };
  }

  test('stop the feed while others write, so that no event is skipped', async () => {
    const range = await openRange(db, 3);
    const others = await logOthers();
    const before = await read(0);
    expect(before.ids).toEqual([]);

    const { ids, rejected } = await wakeUp(range);

    expect(rejected).toBe(0);
    const after = await read(before.next);
    expect(after.ids).toEqual([...ids, ...others]);
    expect((await read(after.next)).ids).toEqual([]);
  });

  test('control: a reader that has read to the highest number misses the events that get reserved lower numbers', async () => {
    const range = await openRange(db, 3);
    await logOthers();
    const highest = await highestNumber(db);
    expect((await wakeUp(range)).ids).toHaveLength(3);
    expect((await read(highest)).ids).toEqual([]);
  });

  test('are given up after ten seconds, so that the feed continues; younger ones are not given up', async () => {
    const [old, young] = [await openRange(db, 3), await openRange(db, 2)];
    const ids = await logOthers();
    const giveUpAfterElevenSeconds = async ({ id }: NumberRange) => {
      const at = new Date(Date.now() - 11_000);
      await feedCounterCollection(db).updateOne({ 'open.id': id }, { $set: { 'open.$.at': at } });
      await giveUpOldRanges(service.context);
    };
    await giveUpAfterElevenSeconds(old);
    expect(await findOpenRanges(db)).toEqual([young]);
    expect((await read(0)).ids).toEqual([]);

    await giveUpAfterElevenSeconds(young);
    expect(await findOpenRanges(db)).toEqual([]);
    expect((await read(0)).ids).toEqual(ids);
  });

  test('are invalid once given up: a late dispatcher gets new numbers, beyond all readers’ positions', async () => {
    const range = await openRange(db, 3);
    const others = await logOthers();
    await giveUpRange(db, range);
    const { next } = await read(0);
    const { ids, rejected } = await wakeUp(range);
    expect(rejected).toBe(3);
    expect((await read(0)).ids.slice(0, 2)).toEqual(others);
    expect((await read(next)).ids.toSorted()).toEqual(ids.toSorted());
  });

  test('control: if the range is only closed, a late dispatcher writes events that readers have passed', async () => {
    const range = await openRange(db, 3);
    await logOthers();
    await closeRanges(db, [range]);
    const { next } = await read(0);
    expect((await wakeUp(range)).rejected).toBe(0);
    expect((await read(next)).ids).toEqual([]);
  });
});

test('an event whose insert reaches MongoDB after its batch has failed is in the feed, beyond every reader’s position', async () => {
  const event = anyEvent({ venueId });
  // The proxy holds back the insert and the driver's retry.
  const endStrike = proxy.strike({ command: 'insert', collection: 'events' }, 'request late', 2);

  await expect(logEvents({ db }, [event])).rejects.toThrow(/timed out|connection/);

  expect(endStrike()).toBe(2);
  await eventually('no range is open', async () => (await findOpenRanges(db)).length === 0);
  const before = await read(0);
  expect(before.ids).toEqual([]);
  await proxy.deliverLate();
  const { failures, closed } = await logEvents({ db }, [event]);
  expect(failures).toEqual(new Map());
  await closed;
  expect((await read(before.next)).ids).toEqual([event._id]);
});

test.each([
  { others: 'no others', older: 0 },
  { others: 'two of an older release', older: 2 },
])(
  'while four dispatchers, some of which lose their numbers, and $others run, a reader gets every event once, in order for each reservation',
  async ({ older }) => {
    const race = { partnerId, venueId, dispatchers: 4, rounds: 12, older };
    const { readIds, writtenIds, disordered } = await readWhileDispatching(db, race);
    expect(writtenIds).toHaveLength(4 * 12 * 4 + older * 12 * 2);
    expect(readIds.toSorted()).toEqual(writtenIds.toSorted());
    expect(disordered).toEqual([]);
  },
);

test('30 concurrent dispatchers that create the counter reserve every number once', async () => {
  await feedCounterCollection(db).deleteOne({ _id: 'feed' });
  const ranges = await Promise.all(Array.from({ length: 30 }, () => openRange(db, 1)));
  const numbers = ranges.map(({ from }) => from).sort((a, b) => a - b);
  expect(numbers).toEqual(ranges.map((_, index) => index + 1));
});
