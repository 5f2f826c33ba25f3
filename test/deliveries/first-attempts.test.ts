import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { collectionCallsOf } from '../support/collection-calls.ts';
import type * as Commands from '../support/commands.in-host.ts';
import { anyDelivery } from '../support/deliveries.ts';
import { anyPartner, type Partner, subscribe } from '../support/factories.ts';
import { headerOf, type Received, startReceiver } from '../support/receiver.ts';
import { changeRow, rowOf, rowsOf } from '../support/rows.ts';
import { startScene } from '../support/scene.ts';
import { monitoredUri } from '../support/service-environment.ts';
import { hostedService } from '../support/service-host.ts';
import type * as InHost from './deliveries.in-host.ts';
import type * as FirstAttempts from './first-attempts.in-host.ts';

const service = await hostedService({ overrides: { MONGODB_URI: monitoredUri(), CACHE_LEASE_MS: '10000' } });
const inHost = service.inHost<typeof FirstAttempts>('test/deliveries/first-attempts.in-host.ts');
const { takeCommands: takeAllCommands, watchCommands } = service.inHost<typeof Commands>(
  'test/support/commands.in-host.ts',
);
const { runJob } = service.inHost<typeof InHost>('test/deliveries/deliveries.in-host.ts');
const calls = collectionCallsOf(service);
const receiver = await startReceiver();
afterAll(async () => {
  await receiver.close();
  await service.stop();
});
await watchCommands();
const { venue, slot } = await startScene(service);
let partner: Partner;
let target: FirstAttempts.Receiver;
beforeEach(async () => {
  receiver.respondWith(200);
  receiver.received.length = 0;
  partner = await anyPartner(service, [venue.id]);
  const { id: subscriptionId } = await subscribe(partner, receiver.url, ['hold_created']);
  target = { partnerId: partner.id, subscriptionId, venueId: venue.id };
  await takeCommands();
});

/** Commands that a process sends periodically. */
const PERIODIC = ['hello 1', 'aggregate cache_leases', 'find cache_leases'];
/** The commands since the last call, without the periodic ones. */
const takeCommands = async () => (await takeAllCommands()).filter((command) => !PERIODIC.includes(command));
const change = (id: string, fields: object) => changeRow(service, 'deliveries', id, { $set: fields });
const read = (id: string) => rowOf(service, 'deliveries', { _id: id });
const subscription = () => rowOf(service, 'webhook_subscriptions', { _id: target.subscriptionId });
const healthWrites = (commands: readonly string[]) =>
  commands.filter((each) => each === 'update webhook_subscriptions').length;

/** Responds to no request until `count` requests have arrived and `before` has ended; to later ones immediately. */
function respondTogether(count: number, before = () => Promise.resolve()): void {
  const waiting: (() => void)[] = [];
  receiver.respondWith((_attempt, response) => {
    const respond = () => void response.writeHead(200).end();
    if (waiting.length === count) respond();
    else if (waiting.push(respond) === count) void before().then(() => waiting.map((each) => each()));
  });
}

/** A delivery that waits for its first attempt. */
const anyWaiting = () => anyDelivery(service, partner, partner, slot());
const deliveriesOf = (eventIds: readonly string[]) => rowsOf(service, 'deliveries', { eventId: { $in: eventIds } });

/** The ids of received events, with repetitions. */
const receivedIds = () => receiver.received.map(({ body }: Received) => String(body['event_id'])).toSorted();

test('100 events in a batch are each sent once, recorded as attempt 1, and cost at most 0.1 commands each', async () => {
  await inHost.deliver(target, await inHost.addEvents(target, 1));
  receiver.received.length = 0;
  const eventIds = await inHost.addEvents(target, 100);
  await takeCommands();
  respondTogether(100);

  expect(await inHost.deliver(target, eventIds)).toEqual([]);

  const commands = await takeCommands();
  expect({ commands, isFew: commands.length <= 10 }).toMatchObject({ isFew: true });
  expect(receivedIds()).toEqual(eventIds.toSorted());
  const rows = await deliveriesOf(eventIds);
  for (const row of rows) {
    expect(row).toMatchObject({ state: 'succeeded', attemptsMade: 1, leaseUntil: null, nextAttemptAt: null });
    expect(row.attempts).toMatchObject([{ attempt: 1, outcome: 'succeeded', statusCode: 200, series: 1 }]);
  }
  const sentAs = receiver.received.map((each) => headerOf(each, 'x-delivery-id'));
  expect(rows.flatMap(({ attempts }) => attempts.map(({ deliveryId }) => deliveryId)).toSorted()).toEqual(
    sentAs.toSorted(),
  );
});

test('two workers with the same events send each event once', async () => {
  const eventIds = await inHost.addEvents(target, 60);
  expect(await inHost.deliver(target, eventIds, { workers: 2 })).toEqual([]);
  expect(receivedIds()).toEqual(eventIds.toSorted());
  expect((await deliveriesOf(eventIds)).map(({ state }) => state)).toEqual(eventIds.map(() => 'succeeded'));
});

/** The job name of this test's events. */
const jobName = () => `hold_created → ${new URL(receiver.url).host}`;

test('a failure is attempt 1, and waits for its retry with a job', async () => {
  const [eventId = ''] = await inHost.addEvents(target, 1);
  receiver.respondWith(500);
  await inHost.deliver(target, [eventId]);
  const [row] = await deliveriesOf([eventId]);
  expect(row).toMatchObject({
    state: 'retrying',
    attemptsMade: 1,
    attempts: [{ attempt: 1, statusCode: 500 }],
  });
  expect(await inHost.jobOf(row?._id ?? '')).toMatchObject({ name: jobName(), delayMs: 300_000, attempts: 4 });
});

test('after a worker died before sending, a job makes attempt 1 once the lock expires', async () => {
  const [eventId = ''] = await inHost.addEvents(target, 1);
  await inHost.deliver(target, [eventId], { isKilled: true });
  const { _id: deliveryId } = await rowOf(service, 'deliveries', { eventId });
  expect(await runJob(deliveryId)).toMatchObject({ kind: 'later' });
  expect(receivedIds()).toEqual([]);

  await change(deliveryId, { leaseUntil: new Date(0) });
  expect(await runJob(deliveryId)).toMatchObject({ kind: 'delivered', status: 200 });

  expect(receivedIds()).toEqual([eventId]);
  expect(receiver.received.map((each) => headerOf(each, 'x-delivery-attempt'))).toEqual(['1']);
  const { attempts, attemptsMade } = await read(deliveryId);
  expect(attemptsMade).toBe(1);
  expect(attempts).toMatchObject([
    { attempt: 1, outcome: 'interrupted' },
    { attempt: 1, outcome: 'succeeded' },
  ]);
});

describe('a delivery is left to a job, without counting an attempt,', () => {
  test.each([
    { what: 'if the endpoint is unhealthy', fields: { consecutiveFailures: 3, failingSince: new Date() } },
    { what: 'if its subscription is inactive', fields: { status: 'inactive' } },
  ])('$what', async ({ fields }) => {
    await changeRow(service, 'webhook_subscriptions', target.subscriptionId, { $set: fields });
    const eventIds = await inHost.addEvents(target, 5);
    await inHost.deliver(target, eventIds);
    expect(receivedIds()).toEqual([]);
    for (const { _id, ...row } of await deliveriesOf(eventIds)) {
      expect(row).toMatchObject({ state: 'pending', attempts: [], attemptsMade: 0, leaseUntil: null });
      expect(await inHost.jobOf(_id)).toMatchObject({ name: jobName(), delayMs: 0, attempts: 5 });
    }
  });

  test('if it gets no permit within three seconds', async () => {
    const eventIds = await inHost.addEvents(target, 3);
    receiver.respondWith((_attempt, response) => void setTimeout(() => response.writeHead(200).end(), 4000));
    // One endpoint may use a quarter of the permits.
    await inHost.deliver(target, eventIds, { permits: 4 });
    const rows = await deliveriesOf(eventIds);
    const waiting = rows.filter(({ state }) => state === 'pending');
    expect(rows.length - waiting.length).toBe(receiver.received.length);
    expect(waiting.length).toBeGreaterThan(0);
    for (const { _id, attempts, leaseUntil } of waiting) {
      expect([attempts, leaseUntil]).toEqual([[], null]);
      expect(await inHost.jobOf(_id)).toMatchObject({ attempts: 5 });
    }
  });
});

test('of two concurrent jobs of a delivery, one makes the attempt', async () => {
  const id = await anyWaiting();
  receiver.respondWith((_attempt, response) => void setTimeout(() => response.writeHead(200).end(), 300));
  const results = await Promise.all([runJob(id), runJob(id)]);
  expect(results.map((result) => String(result?.kind)).toSorted()).toEqual(['delivered', 'later']);
  expect((await read(id)).attempts).toMatchObject([{ attempt: 1, outcome: 'succeeded' }]);
  expect(receiver.received).toHaveLength(1);
});

test('of concurrent attempts, all are recorded except one of a lost lock and one that the database rejects', async () => {
  const eventIds = await inHost.addEvents(target, 20);
  const [taken = '', rejected = '', ...others] = eventIds;
  const idOf = async (eventId: string) => (await rowOf(service, 'deliveries', { eventId }))._id;
  respondTogether(20, async () => {
    await change(await idOf(taken), { leaseUntil: new Date(0) });
    await runJob(await idOf(taken));
    const validator = { $or: [{ eventId: { $ne: rejected } }, { state: 'pending' }] };
    await service.context.db.db?.command({ collMod: 'deliveries', validator });
  });

  await inHost.deliver(target, eventIds);
  await service.migrate();

  for (const row of await deliveriesOf(others)) {
    expect(row).toMatchObject({ state: 'succeeded', leaseUntil: null, attempts: [{ outcome: 'succeeded' }] });
  }
  const { attempts, attemptsMade } = await read(await idOf(taken));
  expect([attemptsMade, ...attempts.map(({ outcome }) => outcome)]).toEqual([1, 'interrupted', 'succeeded']);
  expect(await read(await idOf(rejected))).toMatchObject({ state: 'pending', attempts: [{ outcome: 'started' }] });
});

test.each([
  { what: 'is lost', lose: calls.lose },
  { what: 'is made and its response is lost', lose: calls.loseResponse },
])('if the update that records all attempts $what, each is sent once and recorded', async ({ lose }) => {
  const eventIds = await inHost.addEvents(target, 20);
  await lose('deliveries.updateMany', 1);
  respondTogether(20);

  await inHost.deliver(target, eventIds);

  expect(receivedIds()).toEqual(eventIds.toSorted());
  for (const row of await deliveriesOf(eventIds)) {
    expect(row).toMatchObject({ state: 'succeeded', attemptsMade: 1, leaseUntil: null });
    expect(row.attempts).toMatchObject([{ attempt: 1, outcome: 'succeeded' }]);
  }
});

describe('a job whose delivery', () => {
  const cases: Record<string, { fields: object; outcome: object; row?: object }> = {
    'has succeeded': {
      fields: { state: 'succeeded', attemptsMade: 1 },
      outcome: { kind: 'skipped', why: 'succeeded' },
    },
    'was cancelled': { fields: { state: 'cancelled' }, outcome: { kind: 'skipped', why: 'cancelled' } },
    'has been redelivered since': { fields: { generation: 2 }, outcome: { kind: 'skipped', why: 'superseded' } },
    'waits for its retry': {
      fields: { state: 'retrying', attemptsMade: 1, nextAttemptAt: new Date(Date.now() + 600_000) },
      outcome: { kind: 'later', inMs: expect.closeTo(600_000, -5) },
    },
    'has become a dead letter': {
      fields: { state: 'dead_letter', attemptsMade: 5, nextAttemptAt: null },
      outcome: { kind: 'dead', attempt: 'failed (attempt 5 of 5)' },
    },
    'is locked by another attempt': {
      fields: { leaseUntil: new Date(Date.now() + 600_000) },
      outcome: { kind: 'later' },
    },
    'has no event in the log yet': {
      fields: { eventId: 'of a batch in progress' },
      outcome: { kind: 'later' },
    },
    'never had an event': {
      fields: { eventId: 'gone', createdAt: new Date(Date.now() - 2 * 86_400_000) },
      outcome: { kind: 'skipped', why: 'cancelled' },
      row: { state: 'cancelled', nextAttemptAt: null },
    },
  };

  test.each(Object.entries(cases))('%s sends nothing', async (_what, { fields, outcome, row = {} }) => {
    const id = await anyWaiting();
    await change(id, fields);
    const before = await read(id);
    expect(await runJob(id)).toMatchObject(outcome);
    expect(receiver.received).toEqual([]);
    expect(await read(id)).toEqual({ ...before, ...row });
  });

  test('is waiting sends it', async () => {
    const id = await anyWaiting();
    expect(await runJob(id)).toMatchObject({ kind: 'delivered', status: 200 });
    expect(receiver.received).toHaveLength(1);
    expect(await read(id)).toMatchObject({ state: 'succeeded', attemptsMade: 1 });
  });
});

describe('the health of an endpoint', () => {
  const outcomes = (count: number, isSuccess: boolean) => Array.from({ length: count }, () => isSuccess);

  test('is written once a second for successes, however many attempts succeed', async () => {
    for (let round = 0; round < 3; round += 1) {
      await inHost.recordOutcomes(target.subscriptionId, outcomes(50, true));
    }
    expect(healthWrites(await takeCommands())).toBe(1);
    expect((await subscription()).lastSuccessAt).not.toBeNull();
  });

  test('counts every failure, and a success after a failure resets it immediately', async () => {
    await inHost.recordOutcomes(target.subscriptionId, outcomes(5, true));
    await inHost.recordOutcomes(target.subscriptionId, outcomes(30, false));
    expect(await subscription()).toMatchObject({ consecutiveFailures: 30, failingSince: expect.any(Date) });
    await inHost.recordOutcomes(target.subscriptionId, outcomes(2, true));
    expect(await subscription()).toMatchObject({ consecutiveFailures: 0 });
    expect(await subscription()).not.toHaveProperty('failingSince');
  });

  test('is correct when concurrent attempts read it before they succeed and fail', async () => {
    await inHost.recordOutcomes(target.subscriptionId, [true, false, true]);
    expect(await subscription()).toMatchObject({ consecutiveFailures: 0 });
    await inHost.recordOutcomes(target.subscriptionId, [true, false, false]);
    expect(await subscription()).toMatchObject({ consecutiveFailures: 2 });
  });
});
