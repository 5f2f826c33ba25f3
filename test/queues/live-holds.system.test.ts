import { afterAll, expect, jest, test } from '@jest/globals';
import { Redis } from 'ioredis';
import { eventually } from '../support/eventually.ts';
import { confirmBody, expectStatus, placeHold } from '../support/factories.ts';
import { inParallel } from '../support/in-parallel.ts';
import { ownRedis } from '../support/own-servers.ts';
import { queueBoardOf } from '../support/queue-board.ts';
import { releasing } from '../support/releases.ts';
import { rowsOf } from '../support/rows.ts';
import { nextDays, startScene } from '../support/scene.ts';
import { startService } from '../support/service.ts';
import { endProcesses, START_DEADLINE_MS, startProcess, stopProcess } from '../support/worker-process.ts';

jest.setTimeout(300_000);

const [HOLDS, CONFIRMED, RELEASED] = [200, 100, 50];
const LIVE = HOLDS - CONFIRMED - RELEASED;
const CALLERS = 16;

const atEnd = releasing(afterAll);

test(`of ${HOLDS} holds, the ${LIVE} live ones have a delayed job; if Redis loses these, the sweep expires the holds`, async () => {
  const redis = await ownRedis();
  await redis.start();
  atEnd(redis.discard);
  const service = await startService({ REDIS_URL: redis.uri, MAX_ACTIVE_HOLDS: String(HOLDS) });
  atEnd(service.stop, endProcesses);
  const startWorkers = () =>
    ['hold-expiry', 'webhook-delivery'].map((name) => startProcess(`workers/${name}.ts`, service.environment));
  const workers = startWorkers();
  await Promise.all(workers.map(({ ready }) => ready));
  const { partner, slots } = await startScene(service, { resources: [{ duration_minutes: 15 }], days: nextDays(3) });
  const board = queueBoardOf(service);

  const holdIds: string[] = [];
  await inParallel(slots.slice(0, HOLDS), CALLERS, async (slotId) => {
    holdIds.push(String((await placeHold(partner, slotId))['hold_id']));
  });
  await inParallel(holdIds.slice(0, CONFIRMED), CALLERS, async (holdId) => {
    expectStatus(await partner.api.post('/api/v1/bookings/confirm', confirmBody(holdId)), 201);
  });
  await inParallel(holdIds.slice(CONFIRMED, CONFIRMED + RELEASED), CALLERS, async (holdId) => {
    expectStatus(await partner.api.post(`/api/v1/partner/holds/${holdId}/cancel`), 200);
  });
  const delayed = async () => (await board.counts('hold-expiry'))['delayed'];
  await eventually('one delayed job for each live hold', async () => (await delayed()) === LIVE);
  const live = new Set(holdIds.slice(CONFIRMED + RELEASED));
  const queued = (await board.jobs('hold-expiry', 'delayed')).map(({ data }) => String(data['hold_id']));
  expect(queued.toSorted()).toEqual([...live].toSorted());

  await Promise.all(workers.map(stopProcess));
  const flusher = new Redis(redis.uri);
  await flusher.flushall();
  flusher.disconnect();
  await service.context.db
    .collection('reservations')
    .updateMany({ status: 'ACTIVE' }, [{ $set: { holdExpiresAt: '$$NOW' } }]);
  for (const { ready } of startWorkers()) await ready;

  const statuses = async () => (await rowsOf(service, 'reservations')).map(({ status }) => status);
  await eventually(
    'the live holds expire',
    async () => (await statuses()).every((status) => status !== 'ACTIVE'),
    START_DEADLINE_MS,
  );
  const count = async (status: string) => (await statuses()).filter((each) => each === status).length;
  expect([await count('BOOKED'), await count('RELEASED'), await count('EXPIRED')]).toEqual([CONFIRMED, RELEASED, LIVE]);
  const expiryEvents = () => rowsOf(service, 'events', { type: 'hold_expired' });
  await eventually('each has its event', async () => (await expiryEvents()).length === LIVE);
});
