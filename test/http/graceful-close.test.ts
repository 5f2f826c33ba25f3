import { afterAll, expect, test } from '@jest/globals';
import express from 'express';
import { listen } from '../../src/http/listen.ts';
import { converse } from './raw-connection.ts';

const CLIENTS = 50;

const app = express();
app.get('/', (_req, res) => {
  res.json({});
});
const listener = await listen(app, '127.0.0.1', 0);
afterAll(() => listener.close());

const request = (url: string) => converse(url, 'GET / HTTP/1.1\r\nHost: any\r\n\r\n');

test('clients that the system has connected get their responses, even if the listener closes before accepting them', async () => {
  const responses = Array.from({ length: CLIENTS }, () => request(listener.url));
  // After this turn of the event loop, the operating system has connected the clients, but none is accepted yet.
  await new Promise<void>((done) => process.nextTick(done));
  const closed = listener.close();
  const received = await Promise.all(responses);
  await closed;
  expect(received.filter((each) => !each.startsWith('HTTP/1.1 200 OK'))).toEqual([]);
  await expect(fetch(listener.url)).rejects.toThrow('fetch failed');
});

test('an idle connection stays open for the configured time; Keep-Alive states one second less', async () => {
  const brief = await listen(app, '127.0.0.1', 0, { keepAliveTimeoutMs: 2000 });
  const beganAtMs = performance.now();
  const response = await request(brief.url);
  const tookMs = performance.now() - beganAtMs;
  await brief.close();
  expect(response).toMatch(/^Keep-Alive: timeout=1\r$/m);
  expect(tookMs).toBeGreaterThan(1500);
  expect(tookMs).toBeLessThan(10_000);
});
