import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createIntegration } from '../../packages/client/src/certification/actions.ts';
import { httpTransport } from '../../packages/client/src/certification/transports.ts';

const DEADLINE_MS = 300;

let answer: (response: ServerResponse) => void = (response) => response.end('{}');
const server = createServer((_request, response) => answer(response));
let url: string;
beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/certification`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const integrationAt = (address: string) =>
  createIntegration(httpTransport(address, new AbortController().signal, DEADLINE_MS));
const answering = (status: number, text: string) => {
  answer = (response) => void response.writeHead(status).end(text);
};

test('a result, and a refusal with its alternatives, are what came of an action', async () => {
  answering(200, '{"venues": [{"venue_id": "v1", "name": "Arena"}], "more": 1}');
  const integration = integrationAt(url);
  expect((await integration.do('list_venues', {})).venues).toEqual([{ venue_id: 'v1', name: 'Arena' }]);
  answering(200, '{"error": {"code": "SLOT_NOT_AVAILABLE"}, "alternatives": ["s2"]}');
  const input = { order_id: 'o1', slot_id: 's1' };
  const refusal = await integration.refuse('place_hold', input, 'SLOT_NOT_AVAILABLE');
  expect(refusal.alternatives).toEqual(['s2']);
  await expect(integration.do('place_hold', input)).rejects.toThrow('place_hold reported SLOT_NOT_AVAILABLE');
  await expect(integration.refuse('place_hold', input, 'HOLD_EXPIRED')).rejects.toThrow(
    'place_hold reported SLOT_NOT_AVAILABLE, where the service had said HOLD_EXPIRED',
  );
});

test.each([
  [
    200,
    '<html>\n<h1>Welcome</h1>',
    'list_venues answered something that is not JSON: <html> <h1>Welcome</h1>',
  ],
  [500, 'TypeError: x', 'list_venues answered 500 instead of 200: TypeError: x'],
  [404, 'no', /list_venues is not offered: .*\/certification\/list_venues answered 404/],
  [302, '', 'list_venues answered 302 instead of 200: (nothing)'],
  [200, '{}', 'The result of list_venues has another shape: venues must be a list.'],
  [200, '{"venues": [{"name": 3}]}', 'venues[0].venue_id must be a text; venues[0].name must be a text'],
])('%i %j is a finding that says so', async (status, text, finding) => {
  answering(status, text);
  await expect(integrationAt(url).do('list_venues', {})).rejects.toThrow(finding);
});

test('an action that is not answered in time, or by nobody, is a finding that says so', async () => {
  answer = () => undefined;
  await expect(integrationAt(url).do('reconcile', {})).rejects.toThrow(
    'reconcile did not answer within 0.3 s',
  );
  const closed = createServer();
  closed.listen(0, '127.0.0.1');
  await once(closed, 'listening');
  const nobody = `http://127.0.0.1:${(closed.address() as AddressInfo).port}`;
  await new Promise((resolve) => {
    closed.close(resolve);
  });
  await expect(integrationAt(nobody).do('reconcile', {})).rejects.toThrow(
    'reconcile got no answer: ECONNREFUSED',
  );
});
