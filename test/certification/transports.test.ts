import type { ServerResponse } from 'node:http';
import { afterAll, expect, test } from '@jest/globals';
import { createIntegration } from '../../packages/client/src/certification/actions.ts';
import { httpTransport } from '../../packages/client/src/certification/transports.ts';
import { startStubServer } from '../support/stub-server.ts';

let answer: (response: ServerResponse) => void = (response) => response.end('{}');
const server = await startStubServer((_request, response) => answer(response));
const url = `${server.url}/certification`;
afterAll(() => server.close());

const integrationAt = (address: string, deadlineMs = 30_000) =>
  createIntegration(httpTransport(address, new AbortController().signal, deadlineMs));
const answering = (status: number, text: string) => {
  answer = (response) => void response.writeHead(status).end(text);
};

test('an action returns a result, or a rejection with alternatives', async () => {
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
  [200, '<html>\n<h1>Welcome</h1>', 'answered something that is not JSON: <html> <h1>Welcome</h1>'],
  [500, 'TypeError: x', 'list_venues answered 500 instead of 200: TypeError: x'],
  [404, 'no', /list_venues is not offered: .*\/certification\/list_venues answered 404/],
  [302, '', 'list_venues answered 302 instead of 200: (nothing)'],
  [200, '{}', 'venues must be a list.'],
  [200, '{"venues": [{"name": 3}]}', 'venues[0].venue_id must be a text; venues[0].name must be a text'],
])('%i %j is a finding that says so', async (status, text, finding) => {
  answering(status, text);
  await expect(integrationAt(url).do('list_venues', {})).rejects.toThrow(finding);
});

test('an action without a response in time, or at a port where nothing listens, is a finding', async () => {
  answer = () => undefined;
  const late = integrationAt(url, 300).do('reconcile', {});
  await expect(late).rejects.toThrow('reconcile did not answer within 0.3 s');
  const away = integrationAt('http://127.0.0.1:1023').do('reconcile', {});
  await expect(away).rejects.toThrow('reconcile got no answer: ECONNREFUSED');
});
