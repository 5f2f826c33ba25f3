import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { collectionCallsOf } from '../support/collection-calls.ts';
import type * as Commands from '../support/commands.in-host.ts';
import { anyPartner, anyVenue, subscribe } from '../support/factories.ts';
import type { Received, WebhookReceiver } from '../support/receiver.ts';
import { startReceiver } from '../support/receiver.ts';
import { rowOf, rowsOf } from '../support/rows.ts';
import { monitoredUri } from '../support/service-environment.ts';
import { hostedService } from '../support/service-host.ts';
import type * as AttemptsAtOnce from './attempts-at-once.in-host.ts';

const service = await hostedService({ overrides: { MONGODB_URI: monitoredUri(), CACHE_LEASE_MS: '10000' } });
const inHost = service.inHost<typeof AttemptsAtOnce>('test/deliveries/attempts-at-once.in-host.ts');
const { takeCommands: takeAll, watchCommands } = service.inHost<typeof Commands>(
  'test/support/commands.in-host.ts',
);
const calls = collectionCallsOf(service);
let venueId: string;
let target: AttemptsAtOnce.Receiver;
let receiver: WebhookReceiver;
beforeAll(async () => {
  await watchCommands();
  receiver = await startReceiver();
  venueId = (await anyVenue(service)).id;
});
afterAll(async () => {
  await receiver.close();
  await service.stop();
});
beforeEach(async () => {
  receiver.respondWith(200);
  receiver.received.length = 0;
  const partner = await anyPartner(service, [venueId]);
  const { id: subscriptionId } = await subscribe(partner, receiver.url, ['hold_created']);
  target = { partnerId: partner.id, subscriptionId, venueId };
  await takeCommands();
});

/** What a process sends now and then whatever it does; the version of what is in memory also once for each batch. */
const BESIDE = ['hello 1', 'find cache_versions'];
/** Those since this was asked last, without these. */
const takeCommands = async () => (await takeAll()).filter((command) => !BESIDE.includes(command));
const deliveries = () => service.context.db.collection<{ _id: string }>('deliveries');
const read = (id: string) => rowOf(service, 'deliveries', { _id: id });
const subscription = () => rowOf(service, 'webhook_subscriptions', { _id: target.subscriptionId });
const healthWrites = (commands: readonly string[]) =>
  commands.filter((each) => each === 'update webhook_subscriptions').length;

/** Answers none before so many have arrived. */
function respondTogether(count: number): void {
  const waiting: (() => void)[] = [];
  receiver.respondWith((_attempt, response) => {
    waiting.push(() => void response.writeHead(200).end());
    if (waiting.length === count) for (const respond of waiting) respond();
  });
}

describe('what attempts cost the database', () => {
  test('100 under way: at most 0.1 commands each', async () => {
    const ids = await inHost.addDeliveries(target, 100);
    await takeCommands();
    respondTogether(100);

    const [results] = await inHost.attemptAtOnce(ids);

    const commands = await takeCommands();
    expect(results).toEqual(ids.map(() => ({ kind: 'done' })));
    for (const row of await rowsOf(service, 'deliveries', { _id: { $in: ids } })) {
      expect(row).toMatchObject({ state: 'succeeded', attempts: [{ attempt: 1, outcome: 'succeeded' }] });
    }
    expect(healthWrites(commands)).toBe(1);
    expect({ commands, isFew: commands.length <= 10 }).toMatchObject({ isFew: true });
  });

  test('control: one after the other, three each', async () => {
    const [first = '', ...ids] = await inHost.addDeliveries(target, 10);
    // From then on it is in memory who receives.
    await inHost.attemptInTurn([first]);
    await takeCommands();
    await inHost.attemptInTurn(ids);
    const writes = (await takeCommands()).filter((command) => command !== 'update webhook_subscriptions');
    expect(writes).toEqual(ids.flatMap(() => ['find events', 'update deliveries', 'update deliveries']));
  });
});

const asRead = (_id: string) => ({ _id, generation: 1, state: 'pending' as const, attemptsMade: 0 });

describe('of attempts that begin or end at once each has its own verdict', () => {
  test('those whose row has moved on, is taken or cannot be written do not begin; the others do', async () => {
    const ids = await inHost.addDeliveries(target, 20);
    const [moved = '', taken = '', broken = '', ...others] = ids;
    await deliveries().updateOne({ _id: moved }, { $set: { generation: 2 } });
    await deliveries().updateOne({ _id: taken }, { $set: { leaseUntil: new Date(Date.now() + 60_000) } });
    await deliveries().updateOne({ _id: broken }, { $set: { attempts: 'none' } });
    await takeCommands();

    const begun = await inHost.beginAtOnce(ids.map(asRead));

    expect(await takeCommands()).toEqual(['update deliveries', 'update deliveries', 'find deliveries']);
    const expected = [false, false, { error: expect.stringMatching('must be an array') }];
    expect(begun.map(({ verdict }) => verdict)).toEqual([...expected, ...others.map(() => true)]);
    for (const [index, id] of others.entries()) {
      const { attempts, leaseUntil } = await read(id);
      expect(attempts).toMatchObject([
        { deliveryId: begun[index + 3]?.attemptId, attempt: 1, outcome: 'started' },
      ]);
      expect(leaseUntil?.getTime()).toBeGreaterThan(Date.now());
    }
    for (const id of [moved, taken]) expect((await read(id)).attempts).toEqual([]);
  });

  test('one begins where two want the same row', async () => {
    const [id = ''] = await inHost.addDeliveries(target, 1);
    const begun = await inHost.beginAtOnce([asRead(id), asRead(id)]);
    expect(begun.map(({ verdict }) => verdict)).toEqual([true, false]);
    expect((await read(id)).attempts).toMatchObject([{ deliveryId: begun[0]?.attemptId }]);
  });

  test('one that another worker has interrupted, or that no row may be, does not settle; the others do', async () => {
    const ids = await inHost.addDeliveries(target, 20);
    const begun = await inHost.beginAtOnce(ids.map(asRead));
    const attempts = ids.map((deliveryId, index) => ({
      ...{ deliveryId, attemptId: begun[index]?.attemptId ?? '' },
      state: index === 1 ? 'no such state' : 'succeeded',
    }));
    const [interrupted = '', invalid = '', ...others] = ids;
    await deliveries().updateOne({ _id: interrupted }, { $set: { leaseUntil: new Date(0) } });
    const [next] = await inHost.beginAtOnce([asRead(interrupted)]);
    expect(next?.verdict).toBe(true);
    await takeCommands();

    const verdicts = await inHost.settleAtOnce(attempts);

    expect(await takeCommands()).toEqual(['update deliveries', 'update deliveries', 'find deliveries']);
    const expected = [false, { error: expect.stringMatching('failed validation') }];
    expect(verdicts).toEqual([...expected, ...others.map(() => true)]);
    for (const id of others) {
      const settled = { state: 'succeeded', leaseUntil: null, attempts: [{ outcome: 'succeeded' }] };
      expect(await read(id)).toMatchObject(settled);
    }
    const outcomes = (await read(interrupted)).attempts.map(({ outcome }) => outcome);
    expect(outcomes).toEqual(['interrupted', 'started']);
    expect(await read(invalid)).toMatchObject({ state: 'pending', attempts: [{ outcome: 'started' }] });
  });
});

test('of two attempts of one delivery that end at once, of which the first was interrupted, the second counts alone', async () => {
  const [id = ''] = await inHost.addDeliveries(target, 1);
  const [first] = await inHost.beginAtOnce([asRead(id)]);
  await deliveries().updateOne({ _id: id }, { $set: { leaseUntil: new Date(0) } });
  const [second] = await inHost.beginAtOnce([asRead(id)]);
  const endOf = (attemptId = '') => ({ deliveryId: id, attemptId, state: 'succeeded' });

  expect(await inHost.settleAtOnce([endOf(first?.attemptId), endOf(second?.attemptId)])).toEqual([
    false,
    true,
  ]);

  const { attempts } = await read(id);
  expect(attempts.map(({ outcome, durationMs }) => [outcome, durationMs])).toEqual([
    ['interrupted', null],
    ['succeeded', 3],
  ]);
});

describe.each([
  { write: 'begins', turn: 1 },
  { write: 'ends', turn: 2 },
])('where the update by which every attempt $write', ({ turn }) => {
  test.each([
    { what: 'is lost', lose: calls.lose, isRead: false },
    { what: 'is made and its response lost', lose: calls.loseResponse, isRead: true },
  ])('$what, each finds out by itself, is sent once and recorded', async ({ lose, isRead }) => {
    const ids = await inHost.addDeliveries(target, 20);
    await takeCommands();
    await lose('deliveries.updateMany', turn);
    respondTogether(20);

    const [results] = await inHost.attemptAtOnce(ids);

    // What is not known to be made is looked up.
    expect((await takeCommands()).includes('find deliveries')).toBe(isRead);
    expect(results).toEqual(ids.map(() => ({ kind: 'done' })));
    expect(receiver.received).toHaveLength(20);
    for (const row of await rowsOf(service, 'deliveries', { _id: { $in: ids } })) {
      expect(row).toMatchObject({ state: 'succeeded', attemptsMade: 1, leaseUntil: null });
      expect(row.attempts).toMatchObject([{ attempt: 1, outcome: 'succeeded' }]);
    }
  });
});

test('two workers on the same deliveries: each is sent once, and recorded', async () => {
  const ids = await inHost.addDeliveries(target, 60);

  const [first = [], second = []] = await inHost.attemptAtOnce(ids, { workers: 2 });

  const rows = await rowsOf(service, 'deliveries', { _id: { $in: ids } });
  expect(rows.map(({ state, attempts }) => [state, attempts.length])).toEqual(
    ids.map(() => ['succeeded', 1]),
  );
  const sentAs = ({ body }: Received) => `${String(body['event_id'])} as ${String(body['delivery_id'])}`;
  const recordedAs = rows.map(({ eventId, attempts }) => `${eventId} as ${attempts[0]?.deliveryId}`);
  expect(receiver.received.map(sentAs).toSorted()).toEqual(recordedAs.toSorted());
  // Who came second has sent nothing: it found the row taken, or done.
  for (const [index] of ids.entries()) {
    const kinds = [first[index], second[index]].map((result) => String(result?.kind)).toSorted();
    expect(['done done', 'done later']).toContain(kinds.join(' '));
  }
  expect(first.length + second.length).toBe(120);
});

test('what is missing, and what its partner cannot receive, changes nothing for those beside it', async () => {
  const stranger = await anyPartner(service);
  const { id: subscriptionId } = await subscribe(stranger, receiver.url, ['hold_created']);
  const [withheld = ''] = await inHost.addDeliveries({ partnerId: stranger.id, subscriptionId, venueId }, 1);
  const ids = await inHost.addDeliveries(target, 5);

  const [results] = await inHost.attemptAtOnce(['of-no-row', withheld, ...ids]);

  expect(results).toEqual(['of-no-row', withheld, ...ids].map(() => ({ kind: 'done' })));
  expect(await read(withheld)).toMatchObject({ state: 'cancelled', attempts: [] });
  for (const id of ids) expect(await read(id)).toMatchObject({ state: 'succeeded' });
  expect(receiver.received).toHaveLength(5);
});

describe('a job of a first attempt, whose delivery is not what it was when it was created,', () => {
  const cases: Record<string, { change: object; outcome: object; row: object }> = {
    'has succeeded': { change: { state: 'succeeded', attemptsMade: 1 }, outcome: { kind: 'done' }, row: {} },
    'was cancelled': { change: { state: 'cancelled' }, outcome: { kind: 'done' }, row: {} },
    'is of a later series': { change: { generation: 2 }, outcome: { kind: 'done' }, row: {} },
    'waits for its retry': {
      change: { state: 'retrying', attemptsMade: 1, nextAttemptAt: new Date(Date.now() + 600_000) },
      outcome: { kind: 'later', attemptsMade: 1 },
      row: { attempts: [] },
    },
    'is a dead letter': {
      change: { state: 'dead_letter', attemptsMade: 5, nextAttemptAt: null },
      outcome: { kind: 'dead', attemptsMade: 5 },
      row: { attempts: [] },
    },
    'is being sent': {
      change: { leaseUntil: new Date(Date.now() + 60_000) },
      outcome: { kind: 'later', attemptsMade: 0 },
      row: { attempts: [] },
    },
  };

  for (const [what, { change, outcome, row }] of Object.entries(cases)) {
    test(`that ${what}: nothing is sent, as by a job that does not say the event`, async () => {
      const ids = await inHost.addDeliveries(target, 2);
      await deliveries().updateMany({ _id: { $in: ids } }, { $set: change });
      const before = await read(ids[0] ?? '');

      const [first] = await inHost.attemptAtOnce(ids.slice(0, 1));
      const [older] = await inHost.attemptAtOnce(ids.slice(1), { older: true });

      expect([first, older]).toMatchObject([[outcome], [outcome]]);
      expect(receiver.received).toEqual([]);
      expect(await read(ids[0] ?? '')).toEqual({ ...before, ...row });
    });
  }

  test('whose subscription is another partner’s: the row says who receives it', async () => {
    const stranger = await anyPartner(service, [venueId]);
    const [id = ''] = await inHost.addDeliveries({ ...target, partnerId: stranger.id }, 1);
    await deliveries().updateOne({ _id: id }, { $set: { partnerId: target.partnerId } });

    await inHost.attemptAtOnce([id]);

    // The stranger has made the change, so it alone is told the price.
    const details = receiver.received.map(({ body }) => body['details'] as object);
    expect(details.map((each) => 'price_rupees' in each)).toEqual([false]);
    expect(await read(id)).toMatchObject({ state: 'succeeded' });
  });

  test('control: one that is as it was created is sent, by either job', async () => {
    const ids = await inHost.addDeliveries(target, 2);
    await inHost.attemptAtOnce(ids.slice(0, 1));
    await inHost.attemptAtOnce(ids.slice(1), { older: true });
    expect(receiver.received).toHaveLength(2);
    for (const id of ids) expect(await read(id)).toMatchObject({ state: 'succeeded', attemptsMade: 1 });
  });
});

describe('the health of an endpoint', () => {
  const outcomes = (count: number, isSuccess: boolean) => Array.from({ length: count }, () => isSuccess);

  test('has its success noted once a second, whatever was under way', async () => {
    for (let round = 0; round < 3; round += 1) {
      await inHost.recordOutcomes(target.subscriptionId, outcomes(50, true));
    }
    expect(healthWrites(await takeCommands())).toBe(1);
    expect((await subscription()).lastSuccessAt).not.toBeNull();
  });

  test('has every failure counted; a success after it is noted at once', async () => {
    await inHost.recordOutcomes(target.subscriptionId, outcomes(5, true));
    await inHost.recordOutcomes(target.subscriptionId, outcomes(30, false));
    expect(await subscription()).toMatchObject({ consecutiveFailures: 30, failingSince: expect.any(Date) });
    await inHost.recordOutcomes(target.subscriptionId, outcomes(2, true));
    expect(await subscription()).toMatchObject({ consecutiveFailures: 0 });
    expect(await subscription()).not.toHaveProperty('failingSince');
  });

  test('is known right where attempts that had read it before end one way and the other', async () => {
    await inHost.recordOutcomes(target.subscriptionId, [true, false, true]);
    expect(await subscription()).toMatchObject({ consecutiveFailures: 0 });
    await inHost.recordOutcomes(target.subscriptionId, [true, false, false]);
    expect(await subscription()).toMatchObject({ consecutiveFailures: 2 });
  });
});
