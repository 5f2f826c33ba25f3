import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createClient } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import { parseExposition } from '../support/exposition.ts';
import { expectStatus, placeHold, subscribe } from '../support/factories.ts';
import { ownMongod, ownRedis } from '../support/own-servers.ts';
import { startReceiver } from '../support/receiver.ts';
import { startScene } from '../support/scene.ts';
import { freshName, serviceEnvironment } from '../support/service-environment.ts';
import { verdict } from '../support/verdict.ts';
import { endProcesses, finished, logged, startProcess } from '../support/worker-process.ts';

const WORKERS = ['workers/hold-expiry.ts', 'workers/webhook-delivery.ts'];

const [mongod, redis] = await Promise.all([ownMongod(), ownRedis()]);
const settings = { MONGODB_URI: mongod.uri, REDIS_URL: redis.uri, HOLD_TTL_SECONDS: '1' };
const environment = serviceEnvironment(freshName(), settings);
// Start all processes before MongoDB and Redis. The tests below run in order and build on each other.
const api = startProcess('src/main/api.ts', environment);
const workers = WORKERS.map((file) => startProcess(file, environment));
let urls: { url: string; adminUrl: string };
/** The URLs of the admin listener and of each worker. */
let healthUrls: string[];

beforeAll(async () => {
  urls = (await api.ready) as typeof urls;
  const served = await Promise.all(workers.map((worker) => logged(worker, 'serves health and metrics')));
  healthUrls = [urls.adminUrl, ...served.map(({ url }) => String(url))];
});
afterAll(async () => {
  await endProcesses();
  await Promise.all([mongod.discard(), redis.discard()]);
});

test('without MongoDB and Redis, every process waits and logs the names of the missing servers', async () => {
  for (const process of [api, ...workers]) {
    await logged(process, 'waiting for MongoDB: it cannot be reached yet');
    await logged(process, 'waiting for Redis: it cannot be reached');
  }
  // The API serves without MongoDB and Redis, but a worker must not report ready without them.
  await logged(api, 'ready');
  const ready = workers.map((each) => each.log().some((line) => line['msg'] === 'ready'));
  expect(ready).toEqual([false, false]);
});

const ask = (path: string, listeners = healthUrls) =>
  Promise.all(listeners.map((url) => createClient(url, undefined).get(path)));

test('without MongoDB and Redis, every process serves health and metrics, and is not ready', async () => {
  const listeners = [urls.url, ...healthUrls];
  expect((await ask('/healthz', listeners)).map(({ status, body }) => [status, body])).toEqual(
    listeners.map(() => [200, { status: 'ok' }]),
  );
  for (const reply of await ask('/readyz', listeners)) {
    expect(reply).toMatchObject({
      status: 503,
      body: { status: 'unavailable', database: 'unreachable', redis: 'unreachable' },
    });
  }
  for (const { text } of await ask('/metrics')) {
    expect(parseExposition(text).has('process_start_time_seconds')).toBe(true);
  }
});

test('with MongoDB but without its indexes, nothing is sold and no worker works', async () => {
  const { get } = createClient(urls.url, undefined);
  await mongod.start();
  await eventually('MongoDB is reached', async () => (await get('/readyz')).text.includes('missing_indexes'));
  const rejected = await get('/api/v1/partner/venues');
  for (const process of [api, ...workers]) {
    const line = await logged(process, 'the database lacks indexes or validators, so nothing can be sold');
    expect(line).toMatchObject({ level: 'error', remedy: expect.stringContaining('npm run migrate') });
    expect(line['missing_indexes']).toContain('one_claim_per_cell');
  }
  expect([verdict(rejected), rejected.headers.get('retry-after')]).toEqual(['503 SERVICE_UNAVAILABLE', '1']);
  expect(workers.filter((each) => each.log().some((line) => line['msg'] === 'ready'))).toEqual([]);

  await finished(startProcess('src/main/migrate.ts', environment));

  await eventually('ready', async () => (await get('/readyz')).status === 200);
  expect((await get('/readyz')).body).toMatchObject({ status: 'ready', database: 'ok', redis: 'unreachable' });
  // The workers become ready without a restart.
  for (const worker of workers) await logged(worker, 'ready');
  expect((await ask('/readyz')).map(({ status }) => status)).toEqual(healthUrls.map(() => 200));
});

test('with MongoDB and Redis, a hold expires, and both events are delivered', async () => {
  await redis.start();
  // This Redis is not persistent, so each process logs a warning.
  for (const process of [api, ...workers])
    await eventually('the warning', () => process.output().includes('Set appendonly yes'));
  const { partner, slot } = await startScene(urls);
  const receiver = await startReceiver();
  await subscribe(partner, receiver.url);

  const { hold_id } = await placeHold(partner, slot());

  await eventually('both events', () => receiver.received.length >= 2);
  await receiver.close();
  // Sorted, because deliveries may arrive in another order.
  const delivered = receiver.received.map(({ body }) => [body['event_type'], body['hold_id']].join());
  expect(delivered.toSorted()).toEqual([`hold_created,${String(hold_id)}`, `hold_expired,${String(hold_id)}`]);
  expect(expectStatus(await partner.api.get(`/api/v1/partner/holds/${String(hold_id)}`), 200)).toMatchObject({
    status: 'EXPIRED',
  });
});
