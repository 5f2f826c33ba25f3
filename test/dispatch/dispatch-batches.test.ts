import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, describe, expect, test } from '@jest/globals';
import type { OutboxEvent, Reservation } from '../../src/reservations/reservations.model.ts';
import { collectionCallsOf } from '../support/collection-calls.ts';
import type * as Commands from '../support/commands.in-host.ts';
import { placeHold, subscribe } from '../support/factories.ts';
import { changeRow, rowOf, rowsOf } from '../support/rows.ts';
import { startScene } from '../support/scene.ts';
import { monitoredUri } from '../support/service-environment.ts';
import { hostedService } from '../support/service-host.ts';
import type * as InHost from './dispatch.in-host.ts';

const ENDPOINT = 'http://127.0.0.1:9/';
const COUNT = 100;

const service = await hostedService({ overrides: { MONGODB_URI: monitoredUri(), CACHE_LEASE_MS: '10000' } });
const { dispatchDuringTransaction, dispatchTogether, withoutJob } = service.inHost<typeof InHost>(
  'test/dispatch/dispatch.in-host.ts',
);
const { takeCommands, watchCommands } = service.inHost<typeof Commands>('test/support/commands.in-host.ts');
afterAll(() => service.stop());
const calls = collectionCallsOf(service);
await watchCommands();
const { partner: originator, rival, slot } = await startScene(service);
const { hold_id: originalId } = await placeHold(originator, slot());
const original = await rowOf(service, 'reservations', { _id: originalId });
for (const partner of [originator, rival]) await subscribe(partner, ENDPOINT, ['hold_created', 'hold_cancelled']);

const TYPES = ['hold_created', 'hold_cancelled'] as const;

/** An event of this reservation, `laterMs` after its first event. */
const anyEvent = (holdId: string, laterMs: number): OutboxEvent => ({
  ...(original.outbox[0] as OutboxEvent),
  holdId,
  eventId: randomUUID(),
  type: TYPES[laterMs] ?? 'hold_expired',
  at: new Date(original.placedAt.getTime() + laterMs),
});

/** Adds released reservations with this many waiting events each; returns their ids. */
async function anyWaiting(count: number, eventsEach = 1): Promise<string[]> {
  const { holdOrdinal: _ordinal, ...fields } = original;
  const rows = Array.from({ length: count }, () => {
    const _id = randomUUID();
    const outbox = Array.from({ length: eventsEach }, (_, turn) => anyEvent(_id, turn));
    const ended = { status: 'RELEASED' as const, claimed: false };
    return { ...fields, ...ended, _id, outbox, outboxSince: original.placedAt };
  });
  await service.context.db.collection<Reservation>('reservations').insertMany(rows);
  return rows.map(({ _id }) => _id);
}

/** The logged events and the deliveries of these reservations, and the ids of those whose outbox is not empty. */
async function readDispatched(holdIds: readonly string[]) {
  const events = await rowsOf(service, 'events', { holdId: { $in: holdIds } });
  const deliveries = await rowsOf(service, 'deliveries', { eventId: { $in: events.map(({ _id }) => _id) } });
  const reservations = await rowsOf(service, 'reservations', { _id: { $in: holdIds } });
  const waiting = reservations.filter(({ outbox, outboxSince }) => outbox.length > 0 || outboxSince);
  return { events, deliveries, waiting: waiting.map(({ _id }) => _id) };
}

/**
 * Expects each event once in the log, one delivery with a job for each of the two receivers, and empty outboxes.
 */
async function expectDispatched(holdIds: readonly string[], eventsEach = 1): Promise<void> {
  const { events, deliveries, waiting } = await readDispatched(holdIds);
  const loggedEvents = events.map(({ holdId, type }) => `${holdId} ${type}`);
  expect(new Set(loggedEvents).size).toBe(holdIds.length * eventsEach);
  expect(events).toHaveLength(holdIds.length * eventsEach);
  const received = deliveries.map(({ eventId, subscriptionId }) => `${eventId} ${subscriptionId}`);
  const subscribedEvents = events.filter(({ type }) => type !== 'hold_expired');
  expect(new Set(received).size).toBe(2 * subscribedEvents.length);
  expect(deliveries).toHaveLength(2 * subscribedEvents.length);
  expect(await withoutJob(deliveries.map(({ _id, generation }) => ({ _id, generation })))).toEqual([]);
  expect(waiting).toEqual([]);
}

/** The commands of one batch; sorted, because events and deliveries are written concurrently. */
const BATCH_COMMANDS = [
  'find reservations',
  'find grants',
  'find partners',
  'find webhook_subscriptions',
  'insert deliveries',
  'findAndModify feed_counters',
  'insert events',
  'update feed_counters',
  'update reservations',
].toSorted();
/** Commands that a process sends periodically. */
const PERIODIC = ['hello 1', 'aggregate cache_leases', 'find cache_leases'];

/** The commands of `work`, without the periodic ones. */
async function commandsOf(work: () => Promise<unknown>): Promise<string[]> {
  await takeCommands();
  await work();
  return (await takeCommands()).filter((command) => !PERIODIC.includes(command));
}

test(`a batch of ${COUNT} waiting events takes a fixed list of commands, at most 0.2 an event`, async () => {
  const holdIds = await anyWaiting(COUNT);

  const commands = await commandsOf(async () => {
    expect(await dispatchTogether(holdIds)).toEqual(holdIds.map(() => 'dispatched'));
  });

  expect(commands.toSorted()).toEqual(BATCH_COMMANDS);
  expect(commands.length + 1).toBeLessThanOrEqual(0.2 * COUNT);
  await expectDispatched(holdIds);
});

describe('a reservation whose events cannot be dispatched', () => {
  afterEach(() => service.migrate());

  /** Makes the database reject writes that do not match `validator`. */
  const allowOnly = (collection: string, validator: object) =>
    service.context.db.db?.command({ collMod: collection, validator });

  test.each([
    { step: 'logged', collection: 'events', field: 'holdId', rejectedValue: (holdId: string) => holdId },
    {
      step: 'delivered',
      collection: 'deliveries',
      field: 'eventId',
      rejectedValue: async (holdId: string) =>
        (await rowOf(service, 'reservations', { _id: holdId })).outbox[0]?.eventId,
    },
    {
      step: 'taken out of its outbox',
      collection: 'reservations',
      field: '_id',
      rejectedValue: (holdId: string) => holdId,
    },
  ])('fails alone in its batch if an event cannot be $step, and is dispatched once that is possible', async (row) => {
    const holdIds = await anyWaiting(COUNT, 2);
    const [bad = '', ...good] = holdIds.toSorted();
    await allowOnly(row.collection, { [row.field]: { $ne: await row.rejectedValue(bad) } });

    const outcomes = await dispatchTogether([...good.slice(0, 50), bad, ...good.slice(50)]);

    expect(outcomes).toEqual([
      ...good.slice(0, 50).map(() => 'dispatched'),
      expect.stringMatching(/failed validation/),
      ...good.slice(50).map(() => 'dispatched'),
    ]);
    await expectDispatched(good, 2);
    expect((await readDispatched([bad])).waiting).toEqual([bad]);
    await service.migrate();
    expect(await dispatchTogether([bad])).toEqual(['dispatched']);
    await expectDispatched(holdIds, 2);
  });

  test('fails alone in its batch if a transaction has locked it, and does not delay the others', async () => {
    const holdIds = await anyWaiting(10);
    const [held = '', ...others] = holdIds;
    const outcomes = await dispatchDuringTransaction(holdIds, held);
    expect(outcomes).toEqual([expect.stringMatching(/time limit/), ...others.map(() => 'dispatched')]);
    await expectDispatched(others);
    expect(await dispatchTogether([held])).toEqual(['dispatched']);
    await expectDispatched(holdIds);
  });

  test('has none of its later events logged before the one that failed', async () => {
    const [bad = '', good = ''] = await anyWaiting(2, 3);
    await allowOnly('events', { $or: [{ holdId: { $ne: bad } }, { type: { $ne: TYPES[1] } }] });

    await dispatchTogether([bad, good]);

    const { events } = await readDispatched([bad]);
    expect(events.map(({ type }) => type)).toEqual([TYPES[0]]);
    await expectDispatched([good], 3);
  });
});

test('if the update of all outboxes is lost, the same dispatch empties each outbox by itself', async () => {
  const holdIds = await anyWaiting(5);
  await calls.lose('reservations.updateMany');
  expect(await dispatchTogether(holdIds)).toEqual(holdIds.map(() => 'dispatched'));
  await expectDispatched(holdIds);
});

describe('a batch is numbered oldest first', () => {
  const outboxOf = async (_id: string) => (await rowOf(service, 'reservations', { _id })).outbox;
  const putInOutbox = (_id: string, outbox: readonly OutboxEvent[]) =>
    changeRow(service, 'reservations', _id, { $set: { outbox: [...outbox], outboxSince: original.placedAt } });
  const inFeed = async (holdIds: readonly string[]) => {
    const events = await rowsOf(service, 'events', { holdId: { $in: holdIds } });
    const numbered = events.toSorted((a, b) => (a.sequence ?? Number.NaN) - (b.sequence ?? Number.NaN));
    return numbered.map(({ _id }) => _id);
  };

  test.each([
    { situation: 'if all its events are new', before: 0 },
    { situation: 'if an earlier batch logged the first event of one of them', before: 1 },
  ])('across its reservations, $situation', async ({ before }) => {
    const [released = '', placed = ''] = await anyWaiting(2, 2);
    const outbox = await outboxOf(released);
    await putInOutbox(released, outbox.slice(0, before));
    await service.dispatch(released);
    await putInOutbox(released, outbox);
    const later = { ...anyEvent(placed, 0), at: new Date(original.placedAt.getTime() + 500) };
    await putInOutbox(placed, [later]);

    await dispatchTogether([placed, released]);

    expect(await inFeed([released, placed])).toEqual([...outbox, later].map(({ eventId }) => eventId));
  });

  test('within a reservation, also if its events have the same time and unordered ids', async () => {
    const [holdId = ''] = await anyWaiting(1);
    const [first, second] = [anyEvent(holdId, 0), anyEvent(holdId, 0)].toSorted((a, b) =>
      a.eventId > b.eventId ? -1 : 1,
    ) as [OutboxEvent, OutboxEvent];
    await putInOutbox(holdId, [first, second]);
    await service.dispatch(holdId);
    expect(await inFeed([holdId])).toEqual([first.eventId, second.eventId]);
  });
});

describe('workers that dispatch the same events concurrently', () => {
  const numbersOf = async (holdIds: readonly string[]) => {
    const events = await rowsOf(service, 'events', { holdId: { $in: holdIds } });
    return holdIds.map((holdId) =>
      events
        .filter((event) => event.holdId === holdId)
        .toSorted((a, b) => a.at.getTime() - b.at.getTime())
        .map(({ sequence = Number.NaN }) => sequence),
    );
  };
  const areInOrder = (numbers: readonly number[]) =>
    numbers.every((each, index) => index === 0 || each > (numbers[index - 1] ?? Number.NaN));

  test('log each once, create one delivery for each receiver, and keep each reservation’s order in the feed', async () => {
    for (let round = 0; round < 2; round += 1) {
      const holdIds = await anyWaiting(COUNT / 2, 3);
      await Promise.all([...holdIds, ...holdIds, ...holdIds].map((holdId) => service.dispatch(holdId)));
      await expectDispatched(holdIds, 3);
      const numbers = await numbersOf(holdIds);
      expect(numbers.filter((each) => !areInOrder(each))).toEqual([]);
      expect(new Set(numbers.flat()).size).toBe(3 * holdIds.length);
    }
  });

  test('control: an event numbered before its predecessors are logged is out of order', async () => {
    const [holdId = ''] = await anyWaiting(1, 2);
    const [first, second] = (await rowOf(service, 'reservations', { _id: holdId })).outbox;
    for (const event of [second, first]) {
      await changeRow(service, 'reservations', holdId, { $set: { outbox: [event] } });
      await service.dispatch(holdId);
    }
    expect((await numbersOf([holdId])).map(areInOrder)).toEqual([false]);
  });
});
