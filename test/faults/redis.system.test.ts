import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { Redis } from 'ioredis';
import { QUEUE_NAMES } from '../../src/queues/jobs.ts';
import { restoreDeadLetterQueue } from '../../src/webhooks/deliveries/dead-letter-queue.service.ts';
import { eventually } from '../support/eventually.ts';
import { confirmBody, expectStatus, type Json, type Partner, subscribe } from '../support/factories.ts';
import { type OwnRedis, ownRedis } from '../support/own-servers.ts';
import { type Answering, headerOf, type Received, startReceiver, type WebhookReceiver } from '../support/receiver.ts';
import { releasing } from '../support/releases.ts';
import { rowsOf } from '../support/rows.ts';
import { scaled } from '../support/scale.ts';
import { nextDays, startScene } from '../support/scene.ts';
import { type Service, startService } from '../support/service.ts';
import { startTcpRelay, type TcpRelay } from '../support/tcp-relay.ts';
import { endProcesses, START_DEADLINE_MS, startProcess } from '../support/worker-process.ts';
import { expiredAtMs, latenessMs } from './claim-log.ts';
import { changeOf, inSeconds, reportedTwice, spread, unreported } from './figures.ts';
import { report } from './report.ts';

// The machine may be busy with other suites.
jest.setTimeout(scaled(900_000, 300_000));

/**
 * The promise is 500 ms, which `test:faults` measures. The short tier shares the machine, and only proves that no call
 * waits for Redis: such a call would never end, because the outage ends after the last call.
 */
const ANSWER_WITHIN_MS = scaled(500, 10_000);
/** How late a hold may expire if its job is lost. Its slot is free from the instant of its expiry. */
const EXPIRES_WITHIN_MS = scaled(15_000, 90_000);
/** How late a first attempt may be without Redis. */
const FIRST_ATTEMPT_WITHIN_MS = scaled(15_000, 90_000);
/** Time after Redis is back in which all retries arrive. */
const RETRIED_WITHIN_MS = scaled(30_000, 90_000);
/** Concurrent sales while Redis is emptied. */
const SELLERS = 3;
/** Rounds of nine calls in each outage, and holds that expire during it. */
const ROUNDS = scaled(23, 2);
const LAPSING = scaled(20, 2);
const FLUSHES = scaled(4, 1);
const BETWEEN_FLUSHES_MS = scaled(8000, 2500);
/** Maximum number of sales of each seller, and the pause between them. */
const MAX_SALES = scaled(10_000, 6);
const PACE_MS = scaled(150, 200);

afterAll(endProcesses);
const atEnd = releasing(afterAll);

/** Durations of all calls, and the state changes that events must report. */
type Calls = { durationsMs: number[]; changes: string[] };

const noCalls = (): Calls => ({ durationsMs: [], changes: [] });

async function call(calls: Calls, path: string, body: Json): Promise<Json> {
  const beganAt = performance.now();
  const reply = await partner.api.post(path, body);
  calls.durationsMs.push(performance.now() - beganAt);
  return expectStatus(reply, /holds$|confirm$/.test(path) ? 201 : 200);
}

const HOLDS = '/api/v1/partner/holds';

async function placeOne(calls: Calls): Promise<string> {
  const { hold_id } = await call(calls, HOLDS, { slot_id: slot() });
  calls.changes.push(changeOf(hold_id, 'hold_created'));
  return String(hold_id);
}

async function release(calls: Calls, holdId: string): Promise<void> {
  await call(calls, `${HOLDS}/${holdId}/cancel`, {});
  calls.changes.push(changeOf(holdId, 'hold_cancelled'));
}

async function confirm(calls: Calls, holdId: string): Promise<string> {
  const { booking_id } = await call(calls, '/api/v1/bookings/confirm', confirmBody(holdId));
  calls.changes.push(changeOf(holdId, 'booking_created'));
  return String(booking_id);
}

/** Hold, extend, release; hold, confirm, cancel; hold, confirm, refund. */
async function everyCall(calls: Calls): Promise<void> {
  const released = await placeOne(calls);
  await call(calls, `${HOLDS}/${released}/extend`, { ttl_seconds: 60 });
  await release(calls, released);
  for (const [verb, event] of [
    ['cancel', 'booking_cancelled'],
    ['refund', 'booking_refunded'],
  ] as const) {
    const holdId = await placeOne(calls);
    const bookingId = await confirm(calls, holdId);
    const body = { reason: 'rain', idempotency_key: `${verb}-${holdId}` };
    await call(calls, `/api/v1/bookings/${bookingId}/${verb}`, body);
    calls.changes.push(changeOf(holdId, event));
  }
}

const bodiesAt = ({ received }: WebhookReceiver): Json[] => received.map(({ body }) => body);

async function untilReported(receivers: readonly WebhookReceiver[], changes: readonly string[]): Promise<void> {
  const areReported = () => receivers.every((each) => unreported(changes, bodiesAt(each)).length === 0);
  await eventually('every receiver has every change', areReported, START_DEADLINE_MS);
}

let redis: OwnRedis;
let relay: TcpRelay;
let service: Service;
let partner: Partner;
let slot: () => string;
/** Receives every event. */
let receiver: WebhookReceiver;
beforeAll(async () => {
  redis = await ownRedis();
  atEnd(() => redis.discard());
  await redis.start();
  relay = await startTcpRelay(Number(new URL(redis.uri).port));
  atEnd(() => relay.close());
  service = await startService({
    REDIS_URL: `redis://127.0.0.1:${relay.port}`,
    HOLD_TTL_SECONDS: '3',
    MAX_ACTIVE_HOLDS: '100000',
    RATE_LIMIT_PER_MINUTE: '0',
    WEBHOOK_RETRY_DELAYS_SECONDS: '3,3',
  });
  atEnd(() => service.stop());
  const workers = ['hold-expiry', 'webhook-delivery'].map((name) =>
    startProcess(`workers/${name}.ts`, service.environment),
  );
  const resources = Array.from({ length: SELLERS }, () => ({ duration_minutes: 15 }));
  ({ partner, slot } = await startScene(service, { resources, days: nextDays(scaled(9, 1)) }));
  receiver = await anyReceiver();
  // A worker's first sweep finds everything that was sold before it started.
  await Promise.all(workers.map(({ ready }) => ready));
  const calls = noCalls();
  await everyCall(calls);
  await untilReported([receiver], calls.changes);
});

/** A receiver of the partner's events. */
async function anyReceiver(answering?: Answering, eventTypes?: readonly string[]): Promise<WebhookReceiver> {
  const started = await startReceiver(answering);
  atEnd(() => started.close());
  await subscribe(partner, started.url, eventTypes);
  return started;
}

/** Whether a process of the service gets no answer from Redis within 300 ms. */
async function isRedisAway(): Promise<boolean> {
  const answer = service.context.queues.byName('hold-expiry').getJobCounts();
  const answered = answer.then(
    () => true,
    () => false,
  );
  return !(await Promise.race([answered, delay(300, false)]));
}

const OUTAGES: { outage: string; begin: () => unknown; end: () => unknown }[] = [
  { outage: 'frozen', begin: () => redis.signal('SIGSTOP'), end: () => redis.signal('SIGCONT') },
  {
    outage: 'behind a network that drops all packets, its old connections dead',
    begin: () => relay.swallow(),
    end: () => relay.restore(),
  },
  { outage: 'killed, and back without its data', begin: () => redis.signal('SIGKILL'), end: () => redis.start() },
];

/** A receiver that rejects the first attempt of each event. */
const anyRejecting = () =>
  anyReceiver((attempt, response) => {
    response.writeHead(isFirst(attempt) ? 500 : 200).end();
  });

const isFirst = (attempt: Received): boolean => headerOf(attempt, 'x-delivery-attempt') === '1';

test.each(OUTAGES)(
  'with Redis $outage: every call is answered within 500 ms, holds expire and first attempts are sent; retries are sent afterwards',
  async ({ outage, begin, end }) => {
    const calls = noCalls();
    const rejecting = await anyRejecting();

    await begin();
    const receivedBefore = receiver.received.length;
    const lapsing: string[] = [];
    while (lapsing.length < LAPSING) lapsing.push(await placeOne(calls));
    for (let round = 0; round < ROUNDS; round += 1) await everyCall(calls);
    const rows = await rowsOf(service, 'reservations', { _id: { $in: lapsing } });
    const lapseAtMs = Math.max(...rows.map(({ holdExpiresAt }) => holdExpiresAt.getTime()));
    await eventually('the holds are due', () => Date.now() > lapseAtMs);
    const changes = [...calls.changes, ...lapsing.map((holdId) => changeOf(holdId, 'hold_expired'))];
    await untilReported([receiver], changes);
    const sentLateMs = receiver.received.slice(receivedBefore).map(afterEventMs);
    const retried = () => rejecting.received.filter((attempt) => !isFirst(attempt)).map(({ body }) => body);
    // Control: the outage has lasted until now.
    expect([await isRedisAway(), retried()]).toEqual([true, []]);
    await end();
    const backAt = performance.now();
    const areRetried = () => unreported(changes, retried()).length === 0;
    await eventually('a retry has reported every change', areRetried, START_DEADLINE_MS);
    const retriedMs = performance.now() - backAt;
    const lateMs = latenessMs(rows, await expiredAtMs(service));

    const durationsMs = calls.durationsMs.toSorted((a, b) => a - b);
    expect(durationsMs.at(-1)).toBeLessThan(ANSWER_WITHIN_MS);
    expect(Math.min(...lateMs)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...lateMs)).toBeLessThanOrEqual(EXPIRES_WITHIN_MS);
    expect(Math.max(...sentLateMs)).toBeLessThan(FIRST_ATTEMPT_WITHIN_MS);
    expect(retriedMs).toBeLessThan(RETRIED_WITHIN_MS);
    expect(reportedTwice(bodiesAt(receiver))).toEqual([]);
    report({
      promise: 3,
      experiment: `Redis ${outage}, during sales`,
      count: `${durationsMs.length} calls, ${LAPSING} holds that expire, ${changes.length} events`,
      result: `${spread(durationsMs)}; latest hold expired ${inSeconds(Math.max(...lateMs))} s late, latest first attempt ${inSeconds(Math.max(...sentLateMs))} s after its event; all retries arrived ${inSeconds(retriedMs)} s after Redis was back`,
    });
  },
);

const afterEventMs = ({ body, atUnixSeconds }: Received): number =>
  atUnixSeconds * 1000 - Date.parse(String(body['timestamp']));

/** Sells until `stop` aborts: some holds expire, some are booked, some released. */
async function sell(calls: Calls, stop: AbortSignal): Promise<void> {
  for (let sale = 0; !stop.aborted && sale < MAX_SALES; sale += 1) {
    const holdId = await placeOne(calls);
    if (sale % 3 === 0) await confirm(calls, holdId);
    else if (sale % 3 === 1) await release(calls, holdId);
    else calls.changes.push(changeOf(holdId, 'hold_expired'));
    await delay(PACE_MS);
  }
}

const countJobs = async (): Promise<number> => {
  const counts = await Promise.all(
    QUEUE_NAMES.map((name) => service.context.queues.byName(name).getJobCounts('wait', 'delayed', 'active')),
  );
  return counts.flatMap((each) => Object.values(each)).reduce((sum, count) => sum + count, 0);
};

const deadLetterJobs = async (): Promise<Json[]> => {
  const jobs = await service.context.queues.byName('dead-letter').getJobs();
  return jobs.map((job) => job.data as Json);
};

test(`when Redis is emptied during sales, every hold expires within ${EXPIRES_WITHIN_MS / 1000} s of its expiry, every event is delivered, and dead letters are queued again`, async () => {
  // One receiver rejects each event once, so that some deliveries always wait for a retry. The other always rejects.
  const recovering = await anyRejecting();
  await anyReceiver(500, ['booking_created']);
  const calls = noCalls();
  await confirm(calls, await placeOne(calls));
  await eventually('a dead letter', async () => (await deadLetterJobs()).length > 0, START_DEADLINE_MS);
  const stop = new AbortController();

  const selling = Promise.all(Array.from({ length: SELLERS }, () => sell(calls, stop.signal)));
  let lostJobs = 0;
  const flusher = new Redis(redis.uri);
  for (let flush = 0; flush < FLUSHES; flush += 1) {
    await delay(BETWEEN_FLUSHES_MS);
    lostJobs += await countJobs();
    await flusher.flushall();
  }
  flusher.disconnect();
  stop.abort();
  await selling;
  await untilReported([receiver, recovering], calls.changes);
  const open = { state: { $in: ['pending', 'retrying'] } };
  const isNoneOpen = async () => (await rowsOf(service, 'deliveries', open)).length === 0;
  await eventually('no delivery is open', isNoneOpen, START_DEADLINE_MS);

  const expired = await rowsOf(service, 'reservations', { status: 'EXPIRED' });
  const lateMs = latenessMs(expired, await expiredAtMs(service));
  expect(lostJobs).toBeGreaterThan(0);
  expect(Math.min(...lateMs)).toBeGreaterThanOrEqual(0);
  expect(Math.max(...lateMs)).toBeLessThanOrEqual(EXPIRES_WITHIN_MS);
  const bodies = bodiesAt(receiver);
  expect(reportedTwice(bodies)).toEqual([]);
  const repeats = bodies.length - new Set(bodies.map((body) => body['event_id'])).size;
  await restoreDeadLetterQueue(service.context, 10_000);
  const dead = await rowsOf(service, 'deliveries', { state: 'dead_letter' });
  expect(dead.length).toBeGreaterThan(0);
  const queued = (await deadLetterJobs()).map((job) => String(job['delivery_id']));
  expect(queued.toSorted()).toEqual(dead.map(({ _id }) => _id).toSorted());
  report({
    promise: 3,
    experiment: `FLUSHALL during ${SELLERS} concurrent sales, while holds expire and the queues have retries and dead letters`,
    count: `${FLUSHES} times, ${lostJobs} jobs lost, ${expired.length} holds expired, ${calls.changes.length} events to 3 receivers`,
    result: `latest hold expired ${inSeconds(Math.max(...lateMs))} s late, 0 events missing, ${repeats} of ${bodies.length} repeated (${((100 * repeats) / bodies.length).toFixed(2)} %)`,
  });
});
