import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import type { DeliveryRow } from '../../src/webhooks/deliveries/deliveries.model.ts';
import { eventually } from '../support/eventually.ts';
import { type Json, type Partner, placeHold, subscribe } from '../support/factories.ts';
import { blockCommands, endCommandsOf, environmentNamed, startServiceOnOwnMongod } from '../support/fail-points.ts';
import { integerBetween, mulberry32, propertySeed } from '../support/random.ts';
import { type Received, startReceiver, type WebhookReceiver } from '../support/receiver.ts';
import { rowOf, rowsOf } from '../support/rows.ts';
import { scaled } from '../support/scale.ts';
import { nextDays, startScene } from '../support/scene.ts';
import type { Service } from '../support/service.ts';
import type { SpawnedProcess } from '../support/worker-process.ts';
import { endProcesses, killProcess, logged, START_DEADLINE_MS, startProcess } from '../support/worker-process.ts';
import { changeOf, inSeconds, reportedTwice, unreported } from './figures.ts';
import { report } from './report.ts';

// The machine may be busy with other suites.
jest.setTimeout(scaled(900_000, 300_000));

/** The longest lock of a dead worker plus the interval of the checks for dead work (ADR 0011). */
const TAKEN_OVER_WITHIN_MS = 20_000;
/** The contract's value in the long tier. Locks depend on it. */
const WEBHOOK_TIMEOUT_MS = scaled(10_000, 5000);
const ROUNDS = scaled(2, 1);
const HOLDS = scaled(120, 20);

const KINDS = ['hold-expiry', 'webhook-delivery'] as const;
type Kind = (typeof KINDS)[number];
type Pair = { doomed: SpawnedProcess; survivor: SpawnedProcess };

let service: Service;
let receiver: WebhookReceiver;
let partner: Partner;
let slot: () => string;
/** The receiver does not respond to deliveries about this hold. */
let unansweredHoldId: unknown;
let pairs: Record<Kind, Pair>;

beforeAll(async () => {
  service = await startServiceOnOwnMongod({
    HOLD_TTL_SECONDS: '2',
    WEBHOOK_TIMEOUT_MS: String(WEBHOOK_TIMEOUT_MS),
    // On a busy machine attempts may time out; their retries must not delay the test.
    WEBHOOK_RETRY_DELAYS_SECONDS: '2,2,2,2',
  });
  receiver = await startReceiver(({ body }, response) => {
    if (body['hold_id'] !== unansweredHoldId) response.writeHead(200).end();
  });
  ({ partner, slot } = await startScene(service, {
    resources: [{ duration_minutes: 15 }],
    days: nextDays(scaled(10, 1)),
  }));
  await subscribe(partner, receiver.url);
  const doomed = KINDS.map((kind) => startNamed(kind, 'doomed'));
  await Promise.all(doomed.map((each) => logged(each, 'ready')));
  // Before the survivors start, a doomed worker must have taken the lock of the sweep.
  await eventually('a sweep', async () => (await sweeper()) !== undefined);
  const survivors = KINDS.map((kind) => startNamed(kind, 'survivor'));
  await Promise.all(survivors.map((each) => logged(each, 'ready')));
  pairs = Object.fromEntries(
    KINDS.map((kind, index) => [kind, { doomed: doomed[index], survivor: survivors[index] }]),
  ) as typeof pairs;
});
afterAll(async () => {
  await endProcesses();
  await receiver.close();
  await service.stop();
});

/** A worker that MongoDB knows by `name` and its kind. */
const startNamed = (kind: Kind, name: string): SpawnedProcess =>
  startProcess(`workers/${kind}.ts`, environmentNamed(service, `${name}-${kind}`));

/** Freezes one of two workers; resolves when Redis no longer gives it jobs, because its wait for one has timed out. */
async function freeze(kind: Kind, worker: SpawnedProcess): Promise<void> {
  worker.signal('SIGSTOP');
  const isOtherAlone = async () => {
    const workers = await service.context.queues.byName(kind).getWorkers();
    return workers.filter(({ flags }) => flags === 'b').length === 1;
  };
  await eventually('only the other waits for jobs', isOtherAlone);
}

/** The holder of the lock for the sweep of due holds; undefined if nobody has taken it yet. */
async function sweeper(): Promise<string | undefined> {
  const leases = service.context.db.collection<{ _id: string; holder: string; until: Date }>('leases');
  return (await leases.findOne({ _id: 'sweep-lapsed-holds', until: { $gt: new Date(0) } }))?.holder;
}

const place = async (): Promise<string> => String((await placeHold(partner, slot()))['hold_id']);
const bodies = (): Json[] => receiver.received.map(({ body }) => body);
const historyOf = (holdId: string) => ['hold_created', 'hold_expired'].map((type) => changeOf(holdId, type));

/** Waits until every change of these holds is received, logged and recorded as delivered. */
async function untilReported(holdIds: readonly string[]): Promise<void> {
  const areReported = async (): Promise<boolean> => {
    if (unreported(holdIds.flatMap(historyOf), bodies()).length > 0) return false;
    const events = await rowsOf(service, 'events', { holdId: { $in: holdIds } });
    // An event is logged after its first delivery has begun.
    if (events.length < holdIds.flatMap(historyOf).length) return false;
    const eventId = { $in: events.map(({ _id }) => _id) };
    return (await rowsOf(service, 'deliveries', { eventId, state: { $ne: 'succeeded' } })).length === 0;
  };
  await eventually('every change is reported', areReported, START_DEADLINE_MS);
}

/** Describes how the events and deliveries of these expired holds differ from one of each per change. */
async function faultsOf(holdIds: readonly string[]): Promise<string[]> {
  const events = await rowsOf(service, 'events', { holdId: { $in: holdIds } });
  const deliveries = await rowsOf(service, 'deliveries', { eventId: { $in: events.map(({ _id }) => _id) } });
  const successes = ({ attempts }: DeliveryRow) => attempts.filter(({ outcome }) => outcome === 'succeeded').length;
  const loggedChanges = events.map(({ holdId, type }) => changeOf(holdId, type)).toSorted();
  return [
    ...(loggedChanges.join() === holdIds.flatMap(historyOf).toSorted().join()
      ? []
      : ['a change happened twice, or not at all']),
    ...(deliveries.length === events.length ? [] : ['an event does not have exactly one delivery']),
    ...deliveries.filter((row) => successes(row) !== 1).map(({ _id }) => `${_id} does not have exactly one success`),
    ...reportedTwice(bodies()),
  ];
}

test('workers that wake up after their locks have expired change nothing twice; meanwhile another worker takes over the sweep', async () => {
  const holdIds: string[] = [];
  const takeoversMs: number[] = [];
  const seed = propertySeed();
  const random = mulberry32(seed);
  for (let round = 0; round < ROUNDS; round += 1) {
    const ofRound = await Promise.all(Array.from({ length: HOLDS }, place));
    holdIds.push(...ofRound);
    const minimum = integerBetween(random, 1, HOLDS / 2);
    await eventually('some expiries are reported', () => {
      return (
        ofRound.filter((id) => unreported([changeOf(id, 'hold_expired')], bodies()).length === 0).length >= minimum
      );
    });
    const frozenSweeper = await sweeper();
    const frozenAt = performance.now();
    for (const kind of KINDS) pairs[kind].doomed.signal('SIGSTOP');
    if (round === 0) {
      await eventually('another sweeps', async () => (await sweeper()) !== frozenSweeper);
      takeoversMs.push(performance.now() - frozenAt);
    }
    await untilReported(ofRound);
    const isOver = async () =>
      (await rowsOf(service, 'deliveries', { state: { $ne: 'succeeded' } })).length === 0 &&
      performance.now() - frozenAt > WEBHOOK_TIMEOUT_MS + 6000;
    await eventually('locks have expired, and all is delivered', isOver, START_DEADLINE_MS);
    for (const kind of KINDS) pairs[kind].doomed.signal('SIGCONT');
  }
  // The tests below use the doomed workers again, and repeat this check for their own holds.
  expect(await faultsOf(holdIds)).toEqual([]);
  const repeats = receiver.received.length - new Set(bodies().map((body) => body['event_id'])).size;
  expect(new Set(bodies().map((body) => body['delivery_id'])).size).toBe(receiver.received.length);
  report({
    promise: 4,
    experiment:
      'SIGSTOP of one worker of each kind while it expires holds or delivers, SIGCONT after its locks expired',
    count: `${ROUNDS} times, ${holdIds.length} holds, ${2 * holdIds.length} events`,
    result: `0 changes made twice, ${repeats} repeats; another worker took over the sweep after ${inSeconds(Math.max(...takeoversMs))} s`,
    seed,
  });
});

/** For each kind of worker: a command of its work on a new hold, and whether that work is done. */
const MID_WORK = [
  {
    kind: 'hold-expiry' as const,
    command: 'update',
    collection: 'reservations',
    isDone: async (holdId: string) => (await rowOf(service, 'reservations', { _id: holdId })).status === 'EXPIRED',
  },
  {
    kind: 'webhook-delivery' as const,
    command: 'insert',
    collection: 'deliveries',
    isDone: (holdId: string) => unreported([changeOf(holdId, 'hold_created')], bodies()).length === 0,
  },
];

describe.each(MID_WORK)('a $kind worker killed in the middle of a job', ({ kind, command, collection, isDone }) => {
  test('another running worker takes over the job within 20 s', async () => {
    const { doomed, survivor } = pairs[kind];
    const appName = `doomed-${kind}`;
    await freeze(kind, survivor);
    const block = await blockCommands(service, { appName, command, collection, forMs: 60_000 });
    const holdId = await place();
    await block.met();
    const killedAt = performance.now();
    await killProcess(doomed);
    await endCommandsOf(service, appName);
    await block.lift();
    expect(await isDone(holdId)).toBe(false);
    survivor.signal('SIGCONT');
    await eventually('the work is done', () => isDone(holdId), START_DEADLINE_MS);
    const tookMs = performance.now() - killedAt;
    await untilReported([holdId]);

    expect(await faultsOf([holdId])).toEqual([]);
    expect(tookMs).toBeLessThanOrEqual(TAKEN_OVER_WITHIN_MS);
    const experiment = `kill -9 of a ${kind} worker in the middle of its work, another running`;
    report({ promise: 4, experiment, count: '1 kill', result: `done after ${inSeconds(tookMs)} s` });
  });
});

const attemptsOf = (holdId: string): Received[] =>
  receiver.received.filter(({ body }) => body['hold_id'] === holdId && body['event_type'] === 'hold_created');

/** Places a hold whose delivery hangs in its first attempt; returns the hold's id. */
async function anyHangingDelivery(): Promise<string> {
  unansweredHoldId = await place();
  const holdId = String(unansweredHoldId);
  await eventually('the first attempt', () => attemptsOf(holdId).length === 1, START_DEADLINE_MS);
  return holdId;
}

async function rowOfDelivery(holdId: string): Promise<DeliveryRow> {
  return rowOf(service, 'deliveries', { eventId: attemptsOf(holdId)[0]?.body['event_id'] });
}

/** Kills the worker that is making the latest attempt, then calls `next`; returns the time until the next attempt. */
async function killInAttempt(holdId: string, worker: SpawnedProcess, next: () => unknown): Promise<number> {
  const isBeingMade = async () => (await rowOfDelivery(holdId)).attempts.at(-1)?.outcome === 'started';
  await eventually('an attempt is being made', isBeingMade, START_DEADLINE_MS);
  const attempts = attemptsOf(holdId).length;
  const killedAt = performance.now();
  await killProcess(worker);
  await next();
  await eventually('the next attempt', () => attemptsOf(holdId).length > attempts, START_DEADLINE_MS);
  return performance.now() - killedAt;
}

test('a delivery whose worker dies three times is taken over within 20 s each time, and counts one attempt', async () => {
  const doomed = pairs['webhook-delivery'].survivor;
  const survivor = startNamed('webhook-delivery', 'another');
  await logged(survivor, 'ready');
  survivor.signal('SIGSTOP');
  const holdId = await anyHangingDelivery();
  const tookMs = [await killInAttempt(holdId, doomed, () => survivor.signal('SIGCONT'))];
  // From here on, one worker lives at a time, so the killed one is the sender.
  let third = survivor;
  tookMs.push(
    await killInAttempt(holdId, survivor, () => {
      third = startNamed('webhook-delivery', 'third');
    }),
  );
  tookMs.push(
    await killInAttempt(holdId, third, () => {
      unansweredHoldId = undefined;
      startNamed('webhook-delivery', 'fourth');
    }),
  );
  await eventually('it is delivered', async () => (await rowOfDelivery(holdId)).state === 'succeeded');

  const { attempts, ...row } = await rowOfDelivery(holdId);
  // On a busy machine, an attempt may time out before its worker is killed. That attempt counts.
  const timedOut = attempts.filter(({ error }) => error === 'timeout').length;
  expect(row).toMatchObject({ state: 'succeeded', attemptsMade: timedOut + 1 });
  expect(attempts.map(({ outcome }) => outcome).filter((outcome) => outcome !== 'failed')).toEqual([
    ...['interrupted', 'interrupted', 'interrupted'],
    'succeeded',
  ]);
  const received = attemptsOf(holdId);
  expect(new Set(received.map(({ body }) => body['event_id'])).size).toBe(1);
  expect(new Set(received.map(({ body }) => body['delivery_id'])).size).toBe(received.length);
  expect(Math.max(...tookMs)).toBeLessThanOrEqual(TAKEN_OVER_WITHIN_MS);
  report({
    promise: 4,
    experiment:
      'kill -9 of the webhook-delivery worker during three attempts of one delivery (another worker runs during the first)',
    count: '3 kills',
    result: `next attempts after ${tookMs.map(inSeconds).join(', ')} s; delivered, no kill counted as an attempt`,
  });
});

test('a change that happened twice would be noticed', async () => {
  const holdId = await place();
  await untilReported([holdId]);
  const [event] = await rowsOf(service, 'events', { holdId, type: 'hold_expired' });
  const events = service.context.db.collection<{ _id: string; sequence: number }>('events');
  await events.insertOne({ ...event, _id: 'the-same-again', sequence: -1 });

  expect(await faultsOf([holdId])).toContain('a change happened twice, or not at all');
});
