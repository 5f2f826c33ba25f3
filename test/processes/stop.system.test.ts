import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Redis } from 'ioredis';
import { startKeepAliveClients } from '../faults/keep-alive-clients.ts';
import { repliesIn } from '../http/raw-connection.ts';
import { eventually } from '../support/eventually.ts';
import { anyPartner, anyVenue, freeSlotIds } from '../support/factories.ts';
import { freePort, type OwnRedis, ownRedis, temporaryFolder } from '../support/own-servers.ts';
import { mulberry32 } from '../support/random.ts';
import { rowOf } from '../support/rows.ts';
import { type Service, startService } from '../support/service.ts';
import { endProcesses, logged, startProcess, startScript, stopProcess } from '../support/worker-process.ts';

const PROGRAMS = ['src/main/api.ts', 'workers/hold-expiry.ts', 'workers/webhook-delivery.ts'];
/** The time that an orchestrator waits before it kills a process. */
const GRACE_MS = 25_000;

let redis: OwnRedis;
beforeAll(async () => {
  redis = await ownRedis();
});
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

describe('at SIGTERM every process ends with exit code 0 well within its grace', () => {
  let environment: Record<string, string>;
  let nowhere: Record<string, string>;
  beforeAll(async () => {
    ({ environment } = await anyService());
    const [mongodPort, redisPort] = [await freePort(), await freePort()];
    nowhere = {
      MONGODB_URI: `mongodb://127.0.0.1:${mongodPort}/partner_booking?replicaSet=embedded`,
      REDIS_URL: `redis://127.0.0.1:${redisPort}`,
    };
  });

  test.each<{ situation: string; away: string[]; sign: string }>([
    { situation: 'with nothing to do', away: [], sign: 'ready' },
    { situation: 'while Redis is away', away: ['REDIS_URL'], sign: 'ready' },
    {
      situation: 'while MongoDB and Redis are away',
      away: ['MONGODB_URI', 'REDIS_URL'],
      sign: 'waiting for MongoDB: it cannot be reached yet',
    },
  ])('$situation', async ({ away, sign }) => {
    const missing = Object.fromEntries(away.map((name) => [name, nowhere[name] ?? '']));
    const processes = PROGRAMS.map((file) => startProcess(file, { ...environment, ...missing }));
    await Promise.all(processes.map((each) => logged(each, sign)));
    if (away.length > 0) {
      await Promise.all(processes.map((each) => logged(each, 'waiting for Redis: it cannot be reached')));
    }

    const ends = await Promise.all(processes.map(stopProcess));

    expect(ends.map(({ code }) => code)).toEqual([0, 0, 0]);
    expect(Math.max(...ends.map(({ tookMs }) => tookMs))).toBeLessThan(GRACE_MS / 2);
  });
});

test('with a frozen Redis and open connections, every process ends equally', async () => {
  await redis.start();
  const service = await anyService({ REDIS_URL: redis.uri });
  const processes = PROGRAMS.map((file) => startProcess(file, service.environment));
  await Promise.all(processes.map((each) => logged(each, 'ready')));
  // One producer for each process, two more for each worker, one for this service, and the test's own connection.
  await eventually('all are connected', async () => (await countClients(redis.uri)) >= 9);
  await redis.signal('SIGSTOP');

  const ends = await Promise.all(processes.map(stopProcess));

  await redis.signal('SIGCONT');
  expect(ends.map(({ code }) => code)).toEqual([0, 0, 0]);
  expect(Math.max(...ends.map(({ tookMs }) => tookMs))).toBeLessThan(GRACE_MS / 2);
});

async function countClients(uri: string): Promise<number> {
  const asker = new Redis(uri);
  const lines = (await asker.client('LIST')) as string;
  asker.disconnect();
  return lines.trim().split('\n').length;
}

describe('the API at SIGTERM', () => {
  /** Sends `text` to the API over its own connection. */
  async function send(url: string, text: string): Promise<{ socket: Socket; received: () => string }> {
    const chunks: Buffer[] = [];
    const { port } = new URL(url);
    const socket = connect(Number(port), '127.0.0.1');
    socket.on('data', (chunk) => void chunks.push(chunk)).on('error', () => undefined);
    await new Promise((resolve) => socket.once('connect', resolve));
    socket.write(text);
    return { socket, received: () => Buffer.concat(chunks).toString() };
  }

  test('under npm, repeated SIGTERMs to the whole group break no kept connection, and tell clients to close', async () => {
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

  test('further signals and a simultaneous Ctrl-C change nothing; a Ctrl-C a second later forces', async () => {
    const { environment } = await anyService();
    const api = startProcess('src/main/api.ts', environment);
    const held = await send(
      String((await api.ready)['url']),
      'POST / HTTP/1.1\r\nHost: api\r\nContent-Length: 9\r\n\r\n',
    );
    for (const signal of ['SIGTERM', 'SIGINT'] as const) api.signal(signal);
    await logged(api, 'stopping');

    // A further Ctrl-C forces the end only after a second.
    await delay(1200);
    for (const signal of ['SIGTERM', 'SIGHUP'] as const) api.signal(signal);
    // Time for the signals to take effect.
    await delay(200);
    await expect(fetch(String((await api.ready)['url']))).rejects.toThrow('fetch failed');
    expect(held.socket.destroyed).toBe(false);

    api.signal('SIGINT');
    expect(await api.exited).toEqual({ code: 1, signal: null });
    held.socket.destroy();
  });

  test('completes requests, answers on kept connections, accepts no new ones, and ends', async () => {
    const service = await anyService();
    const venue = await anyVenue(service);
    const partner = await anyPartner(service, [venue.id]);
    const [slotId] = await freeSlotIds(partner, venue.id);
    const api = startProcess('src/main/api.ts', service.environment);
    const url = String((await api.ready)['url']);
    await eventually('the API is ready', async () => (await fetch(`${url}/readyz`)).ok);
    const silent = await send(url, '');
    const idle = await send(url, 'GET /healthz HTTP/1.1\r\nHost: api\r\n\r\n');
    await eventually('the idle connection has its answer', () => idle.received().includes('"ok"'));
    const body = JSON.stringify({ slot_id: slotId });
    const head = [
      'POST /api/v1/partner/holds HTTP/1.1',
      'Host: api',
      `x-api-key: ${partner.apiKey}`,
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
    ].join('\r\n');
    const inProgress = await send(url, `${head}\r\n\r\n${body.slice(0, 5)}`);
    // After the response to this later request, the API has read the other request's head.
    await fetch(`${url}/healthz`);

    const stopping = stopProcess(api);
    await logged(api, 'stopping');
    await eventually('new connections are refused', () =>
      fetch(`${url}/healthz`).then(
        () => false,
        () => true,
      ),
    );
    // A kept connection gets one more response, which closes it.
    idle.socket.write('GET /readyz HTTP/1.1\r\nHost: api\r\n\r\n');
    inProgress.socket.write(body.slice(5));
    const { code, tookMs } = await stopping;
    const last = repliesIn(idle.received()).at(-1);

    expect([last?.status, last?.body]).toEqual([503, { status: 'stopping', redis: 'ok' }]);
    expect(last?.headers.get('connection')).toBe('close');

    expect(inProgress.received()).toMatch(/^HTTP\/1\.1 201 /);
    expect(code).toBe(0);
    // Sooner than the API would have cut the remaining connections.
    expect(tookMs).toBeLessThan(8000);
    expect(await rowOf(service, 'reservations', {})).toMatchObject({ slotId, status: 'ACTIVE' });
    for (const { socket } of [silent, idle, inProgress]) socket.destroy();
  });
});

test('the API listens as configured, and for operators on loopback only by default', async () => {
  const { environment } = await anyService();
  const settings = { ...environment, HOST: '0.0.0.0', WEBHOOK_ALLOW_PRIVATE_NETWORKS: 'false' };
  const { url, adminUrl } = await startProcess('src/main/api.ts', settings).ready;
  // Another address of this machine. Only a listener on all addresses responds there.
  const elsewhere = (at: unknown) => String(at).replace('127.0.0.1', '127.0.0.2');

  expect((await fetch(`${elsewhere(url)}/healthz`)).status).toBe(200);
  expect((await fetch(`${String(adminUrl)}/sign-in`)).status).toBe(200);
  await expect(fetch(`${elsewhere(adminUrl)}/sign-in`)).rejects.toMatchObject({ cause: { code: 'ECONNREFUSED' } });
});
