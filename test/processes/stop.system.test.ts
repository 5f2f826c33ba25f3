import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, describe, expect, test } from '@jest/globals';
import { Redis } from 'ioredis';
import { startKeepAliveClients } from '../faults/keep-alive-clients.ts';
import { headOf, openRaw, repliesIn } from '../http/raw-connection.ts';
import { eventually } from '../support/eventually.ts';
import { anyPartner } from '../support/factories.ts';
import { ownRedis, temporaryFolder } from '../support/own-servers.ts';
import { mulberry32 } from '../support/random.ts';
import { rowOf } from '../support/rows.ts';
import { startScene } from '../support/scene.ts';
import { type Service, startService } from '../support/service.ts';
import { endProcesses, logged, startProcess, startScript, stopProcess } from '../support/worker-process.ts';

const PROGRAMS = ['src/main/api.ts', 'workers/hold-expiry.ts', 'workers/webhook-delivery.ts'];
/** The time that an orchestrator waits before it kills a process. */
const GRACE_MS = 25_000;

const redis = await ownRedis();
const services: Service[] = [];
async function anyService(overrides: Record<string, string> = {}): Promise<Service> {
  const service = await startService(overrides);
  services.push(service);
  return service;
}
afterAll(async () => {
  await endProcesses();
  for (const service of services) await service.stop();
  await redis.discard();
});

describe('at SIGTERM, every process exits with 0 within half of the grace', () => {
  // Nothing listens on port 9.
  const REDIS_URL = 'redis://127.0.0.1:9';
  const MONGODB_URI = 'mongodb://127.0.0.1:9/partner_booking?replicaSet=embedded';

  test.each<[servers: string, settings: Record<string, string>, message: string]>([
    ['Redis is', { REDIS_URL }, 'ready'],
    ['MongoDB and Redis are', { MONGODB_URI, REDIS_URL }, 'waiting for MongoDB: it cannot be reached yet'],
  ])('while %s unreachable', async (_servers, settings, message) => {
    const { environment } = await anyService();
    const processes = PROGRAMS.map((file) => startProcess(file, { ...environment, ...settings }));
    for (const line of [message, 'waiting for Redis: it cannot be reached'])
      await Promise.all(processes.map((each) => logged(each, line)));

    const ends = await Promise.all(processes.map(stopProcess));

    expect(ends.map(({ code }) => code)).toEqual([0, 0, 0]);
    expect(Math.max(...ends.map(({ tookMs }) => tookMs))).toBeLessThan(GRACE_MS / 2);
  });
});

test('at SIGTERM while Redis is frozen and connections are open, every process exits with 0 within half of the grace', async () => {
  await redis.start();
  const service = await anyService({ REDIS_URL: redis.uri });
  const processes = PROGRAMS.map((file) => startProcess(file, service.environment));
  await Promise.all(processes.map((each) => logged(each, 'ready')));
  // One connection of each process's producer, two more of each worker, one of this service, and the test's own.
  await eventually('all are connected', async () => (await countClients(redis.uri)) >= 9);
  await redis.signal('SIGSTOP');

  const ends = await Promise.all(processes.map(stopProcess));

  await redis.signal('SIGCONT');
  expect(ends.map(({ code }) => code)).toEqual([0, 0, 0]);
  expect(Math.max(...ends.map(({ tookMs }) => tookMs))).toBeLessThan(GRACE_MS / 2);
});

async function countClients(uri: string): Promise<number> {
  const client = new Redis(uri);
  const lines = (await client.client('LIST')) as string;
  client.disconnect();
  return lines.trim().split('\n').length;
}

describe('the API at SIGTERM', () => {
  test('under npm, repeated SIGTERMs to the whole process group break no keep-alive connection, and tell clients to close', async () => {
    const service = await anyService();
    const { apiKey } = await anyPartner(service);
    const npm = await startScript('start:api', service.environment, await temporaryFolder());
    const { url } = await logged(npm, 'ready');
    const clients = startKeepAliveClients(String(url), apiKey, 32, mulberry32(1));
    await eventually('all have called', () => clients.counts.answered > 64);

    npm.signal('SIGTERM');
    await logged(npm, 'stopping');
    npm.signal('SIGTERM');
    const { code } = await npm.exited;
    await clients.stop();

    const { reset, failed, toldToClose } = clients.counts;
    expect({ reset, failed, code }).toEqual({ reset: 0, failed: 0, code: 0 });
    expect(toldToClose).toBeGreaterThanOrEqual(32);
  });

  test('signals at the same time or later change nothing, but a Ctrl-C a second later forces the exit', async () => {
    const { environment } = await anyService();
    const api = startProcess('src/main/api.ts', environment);
    const url = String((await api.ready)['url']);
    const unfinished = openRaw(url, 'POST / HTTP/1.1\r\nHost: api\r\nContent-Length: 9\r\n\r\n');
    await once(unfinished.socket, 'connect');
    for (const signal of ['SIGTERM', 'SIGINT'] as const) api.signal(signal);
    await logged(api, 'stopping');

    // Within a second, a further Ctrl-C would not force the exit.
    await delay(1200);
    for (const signal of ['SIGTERM', 'SIGHUP'] as const) api.signal(signal);
    // Time for the signals to take effect.
    await delay(200);
    await expect(fetch(url)).rejects.toThrow('fetch failed');
    expect(unfinished.socket.destroyed).toBe(false);

    api.signal('SIGINT');
    expect(await api.exited).toEqual({ code: 1, signal: null });
    unfinished.socket.destroy();
  });

  test('completes requests, responds once more on keep-alive connections, accepts no new ones, and exits', async () => {
    const service = await anyService();
    const { partner, slot } = await startScene(service);
    const slotId = slot();
    const api = startProcess('src/main/api.ts', service.environment);
    const url = String((await api.ready)['url']);
    await eventually('the API is ready', async () => (await fetch(`${url}/readyz`)).ok);
    const silent = openRaw(url);
    const idle = openRaw(url, 'GET /healthz HTTP/1.1\r\nHost: api\r\n\r\n');
    await eventually('the idle connection has its answer', () => idle.text().includes('"ok"'));
    const body = JSON.stringify({ slot_id: slotId });
    const head = headOf('POST', `${url}/api/v1/partner/holds`, [
      ['x-api-key', partner.apiKey],
      ['Content-Type', 'application/json'],
      ['Content-Length', body.length],
    ]);
    const inProgress = openRaw(url, head + body.slice(0, 5));
    await once(inProgress.socket, 'connect');
    // Once the API has responded to this later request, it has read the head of the earlier one.
    await fetch(`${url}/healthz`);

    const stopping = stopProcess(api);
    await logged(api, 'stopping');
    const isRefused = async () => (await fetch(`${url}/healthz`).catch(() => undefined)) === undefined;
    await eventually('new connections are refused', isRefused);
    // A keep-alive connection gets one more response, which closes it.
    idle.socket.write('GET /readyz HTTP/1.1\r\nHost: api\r\n\r\n');
    inProgress.socket.write(body.slice(5));
    const { code, tookMs } = await stopping;
    const last = repliesIn(idle.text()).at(-1);

    expect([last?.status, last?.body]).toEqual([503, { status: 'stopping', redis: 'ok' }]);
    expect(last?.headers.get('connection')).toBe('close');

    expect(inProgress.text()).toMatch(/^HTTP\/1\.1 201 /);
    expect(code).toBe(0);
    // The API has not waited for the silent connection, which it would cut later.
    expect(tookMs).toBeLessThan(8000);
    expect(await rowOf(service, 'reservations', {})).toMatchObject({ slotId, status: 'ACTIVE' });
    for (const { socket } of [silent, idle, inProgress]) socket.destroy();
  });
});

test('the API listens for partners as configured, and for operators only on loopback by default', async () => {
  const { environment } = await anyService();
  const settings = { ...environment, HOST: '0.0.0.0', WEBHOOK_ALLOW_PRIVATE_NETWORKS: 'false' };
  const { url, adminUrl } = await startProcess('src/main/api.ts', settings).ready;
  // Another address of this machine. Only a listener on all addresses responds there.
  const atOtherAddress = (address: unknown) => String(address).replace('127.0.0.1', '127.0.0.2');

  expect((await fetch(`${atOtherAddress(url)}/healthz`)).status).toBe(200);
  expect((await fetch(`${String(adminUrl)}/sign-in`)).status).toBe(200);
  await expect(fetch(`${atOtherAddress(adminUrl)}/sign-in`)).rejects.toMatchObject({ cause: { code: 'ECONNREFUSED' } });
});
