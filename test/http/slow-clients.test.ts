import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, expect, test } from '@jest/globals';
import express from 'express';
import type { ListenerLimits } from '../../src/http/listen.ts';
import { listen } from '../../src/http/listen.ts';
import { createPartnerApp } from '../../src/main/partner-app.ts';
import { report } from '../faults/report.ts';
import type { Durations } from '../support/durations.ts';
import { durationsDuring } from '../support/durations.ts';
import { anyPartner, expectStatus } from '../support/factories.ts';
import { isLongTier, scaled } from '../support/scale.ts';
import { startService } from '../support/service.ts';
import { verdict } from '../support/verdict.ts';
import type { RawConnection } from './raw-connection.ts';
import { openRaw, repliesIn } from './raw-connection.ts';

/** The documented maximum with production limits. Only the long tier checks it; `npm test` has shorter limits. */
const CUT_WITHIN_MS = 15_000;
const SHORT_LIMITS: Partial<ListenerLimits> = {
  headersTimeoutMs: 2000,
  requestTimeoutMs: 2400,
  takeResponseTimeoutMs: 2000,
  checkEveryMs: 200,
};
const NOISE_MS = 250;
const HEAD = 'GET /healthz HTTP/1.1\r\nHost: a\r\n';
const POST =
  'POST /api/v1/partner/holds HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 90000\r\n';
/** Requests whose responses exceed the buffers of both sockets. The service reads files while it sends them. */
const MANY_LARGE_ANSWERS = 'GET /openapi.json HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(40);
const MANY_FILES = 'GET /docs/reference/swagger-ui-bundle.js HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(10);

const service = await startService();
/** Server-side sockets of clients that request large responses. */
const sending = new Set<Socket>();
const app = express()
  .use(['/openapi.json', '/docs'], ({ socket }, _response, next) => {
    sending.add(socket);
    next();
  })
  .use(createPartnerApp(service.context));
/** The service on a listener with these limits. */
const listener = await listen(app, '127.0.0.1', 0, isLongTier ? {} : SHORT_LIMITS);
const partner = await anyPartner({ ...service, url: listener.url });
/** The app on a server without time limits. */
const patient = createServer({ requestTimeout: 0, headersTimeout: 0 }, createPartnerApp(service.context));
await new Promise<void>((resolve) => {
  patient.listen(0, '127.0.0.1', resolve);
});
afterAll(async () => {
  patient.closeAllConnections();
  patient.close();
  await listener.close();
  await service.stop();
});

type SlowClient = (url: string) => RawConnection;

/** Sends `begin`, then a byte from time to time. */
const dripping =
  (begin: string): SlowClient =>
  (url) => {
    const connection = openRaw(url, begin);
    const timer = setInterval(() => connection.socket.write('x'), scaled(1000, 200));
    void connection.closed.then(() => clearInterval(timer));
    return connection;
  };

/** Sends `requests`, but reads no responses. */
const notReading =
  (requests: string): SlowClient =>
  (url) => {
    const connection = openRaw(url, requests);
    connection.socket.pause();
    return connection;
  };

const DRIPPERS = scaled(60, 20);
const READERS = scaled(10, 4);

const SLOW_CLIENTS: [string, SlowClient, number][] = [
  ['drips its headers', dripping(`${HEAD}X-Drip: `), DRIPPERS],
  ['drips its body', dripping(`${POST}x-api-key: ${partner.apiKey}\r\n\r\n{"a": "`), DRIPPERS],
  ['sends nothing', (url) => openRaw(url), DRIPPERS],
  ['does not read its answers', notReading(MANY_LARGE_ANSWERS), READERS],
  ['does not read files', notReading(MANY_FILES), READERS],
];

/** How long an ordinary client waits for responses, which must be 200, until `until` settles. */
const normalCalls = (until: Promise<unknown>): Promise<Durations> =>
  durationsDuring(until, 50, async () => expectStatus(await partner.api.get('/api/v1/partner/venues'), 200));

/** Resolves when the server has cut all connections, or after two minutes. */
async function untilCut(connections: readonly RawConnection[]): Promise<void> {
  const deadline = AbortSignal.timeout(120_000);
  const isOver = () => deadline.aborted;
  while (!isOver() && (sending.size < 2 * READERS || [...sending].some(({ destroyed }) => !destroyed))) await delay(50);
  // A paused socket notices its end only when it reads again.
  for (const { socket } of connections) socket.resume();
  while (!isOver() && connections.some(({ socket }) => !socket.closed)) await delay(50);
}

test('clients that are slow on purpose are cut in time, and do not slow down others', async () => {
  const before = await normalCalls(delay(scaled(5000, 100)));

  const slow = SLOW_CLIENTS.map(([name, open, count]) => ({
    name,
    connections: Array.from({ length: count }, () => open(listener.url)),
  }));
  const address = patient.address() as AddressInfo;
  const controlConnections = SLOW_CLIENTS.map(([, open]) => open(`http://127.0.0.1:${address.port}`));
  const all = slow.flatMap(({ connections }) => connections.map(({ closed }) => closed));
  const during = await normalCalls(untilCut(slow.flatMap(({ connections }) => connections)));

  const stillOpen = slow.map(({ name, connections }) => [
    name,
    connections.filter(({ socket }) => !socket.closed).length,
  ]);
  expect(stillOpen).toEqual(SLOW_CLIENTS.map(([name]) => [name, 0]));
  const openMs = await Promise.all(all);
  if (isLongTier) {
    expect(Math.max(...openMs)).toBeLessThan(CUT_WITHIN_MS);
    expect(during.p99).toBeLessThan(5 * before.p99 + NOISE_MS);
  }
  // Control: without the limits, no client is cut.
  expect(controlConnections.map(({ socket }) => socket.closed)).toEqual(SLOW_CLIENTS.map(() => false));
  for (const { socket } of controlConnections) socket.destroy();
  const cut = slow.flatMap(({ name, connections }) =>
    name.startsWith('does not read') ? [] : connections.map(({ text }) => repliesIn(text()).map(verdict)),
  );
  expect(new Set(cut.map(String))).toEqual(new Set(['408 REQUEST_TIMEOUT']));
  report({
    promise: 8,
    experiment: 'clients of the API that drip headers or body, send nothing, or do not read',
    count: `${all.length} connections`,
    result: `all cut, the last after ${Math.round(Math.max(...openMs))} ms; others: p99 ${before.p99} ms before (${before.count} calls), ${during.p99} ms meanwhile (${during.count} calls; p50 ${before.p50} and ${during.p50} ms)`,
  });
}, 180_000);
