import { networkInterfaces } from 'node:os';
import { afterAll, expect, test } from '@jest/globals';
import { startProxy } from '../../packages/client/src/certification/proxy.ts';
import { startStubServer } from '../support/stub-server.ts';

const SENT = '{"slot_id":"s1","idempotency_key":"k1"}';

// Echoes the request.
const service = await startStubServer((request, response) => {
  response.writeHead(201, { 'content-type': 'application/json', etag: '"1"' });
  request.pipe(response);
});
const proxy = await startProxy({ baseUrl: service.url, port: 0, onAnswer: () => undefined });
afterAll(async () => {
  await proxy.close();
  await service.close();
});

test('without a fault a call arrives unchanged, and is recorded with its key and answer', async () => {
  const headers = { 'content-type': 'application/json', 'x-api-key': 'pk_1' };
  const response = await fetch(`${proxy.url}/api/v1/partner/holds?a=1`, { method: 'POST', headers, body: SENT });
  expect([response.status, response.headers.get('etag'), await response.text()]).toEqual([201, '"1"', SENT]);
  const answer = { status: 201, body: JSON.parse(SENT) };
  expect(proxy.calls).toMatchObject([{ operation: 'placeHold', key: 'k1', isFaulted: false, answer }]);
});

test('the proxy listens on this machine only', async () => {
  const { port } = new URL(proxy.url);
  const others = Object.values(networkInterfaces())
    .flat()
    .filter((each) => each !== undefined && !each.internal && each.family === 'IPv4');
  for (const each of others) await expect(fetch(`http://${each?.address}:${port}/`)).rejects.toThrow('fetch failed');
  expect(new URL(proxy.url).hostname).toBe('127.0.0.1');
});
