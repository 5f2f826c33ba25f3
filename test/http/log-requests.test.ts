import { connect } from 'node:net';
import { afterAll, beforeEach, expect, test } from '@jest/globals';
import { createBaseApp } from '../../src/http/base-app.ts';
import { errorHandler } from '../../src/http/error-handler.ts';
import { listen } from '../../src/http/listen.ts';
import { readJson } from '../../src/http/read-json.ts';
import { createLogger } from '../../src/platform/logger.ts';
import { eventually } from '../support/eventually.ts';

let lines: Record<string, unknown>[] = [];
const write = (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>);
const app = createBaseApp(createLogger('api', 'info', { write }));
app.get('/thing/:name', (_req, res) => {
  res.locals['caller'] = { partnerId: 'the-partner', keyId: 'the-key' };
  res.json({});
});
app.get('/public', (_req, res) => void res.json({}));
app.get('/broken', () => {
  throw new Error('the cause');
});
app.post('/body', readJson, (_req, res) => void res.json({}));
app.use(errorHandler);
const listener = await listen(app, '127.0.0.1', 0);
afterAll(() => listener.close());
beforeEach(() => {
  lines = [];
});

const get = (path: string, headers: Record<string, string> = {}) => fetch(listener.url + path, { headers });
const logged = (count: number) => eventually(`${count} lines`, async () => (lines.length >= count ? lines : undefined));

const ID = expect.stringMatching(/^[0-9a-f-]{36}$/);
const IDS = { request_id: ID, server_request_id: ID };
const COMMON_FIELDS = {
  ...IDS,
  level: 'info',
  time: expect.stringMatching(/^\d{4}-.*Z$/),
  service: 'api',
  duration_ms: expect.any(Number),
  method: 'GET',
  status: 200,
  address: '127.0.0.1',
  msg: 'request completed',
};
const WITH_STACK = { type: 'Error', stack: expect.stringContaining('\n    at ') };

test('a request is one line with exactly these fields', async () => {
  await get('/thing/Asha?name=Asha', { 'x-request-id': 'mine' });
  await get('/public');
  expect(await logged(2)).toEqual([
    {
      ...COMMON_FIELDS,
      request_id: 'mine',
      path: '/thing/[other]',
      partner_id: 'the-partner',
      key_id: 'the-key',
    },
    { ...COMMON_FIELDS, path: '/public' },
  ]);
  expect(lines[1]?.['request_id']).toBe(lines[1]?.['server_request_id']);
});

test('an error is a separate line with its cause and the same ids, before that of the request', async () => {
  await get('/broken', { 'x-request-id': 'mine' });
  const [fault, line] = await logged(2);
  const { time, service } = COMMON_FIELDS;
  expect(fault).toEqual({
    ...IDS,
    level: 'error',
    time,
    service,
    request_id: 'mine',
    msg: 'unexpected error',
    err: { ...WITH_STACK, message: 'the cause' },
  });
  expect(line).toEqual({
    ...COMMON_FIELDS,
    level: 'error',
    request_id: 'mine',
    path: '/broken',
    status: 500,
    msg: 'request failed',
    err: { ...WITH_STACK, message: 'failed with status code 500' },
  });
  expect(fault?.['server_request_id']).toBe(line?.['server_request_id']);
  expect(lines).toHaveLength(2);
});

test('a request whose caller disconnects is also logged', async () => {
  const socket = connect(Number(new URL(listener.url).port), '127.0.0.1');
  const head = 'Content-Type: application/json\r\nContent-Length: 100';
  socket.write(`POST /body HTTP/1.1\r\nHost: 127.0.0.1\r\n${head}\r\n\r\n{`, () => socket.destroy());
  const [line] = await logged(1);
  expect(line).toMatchObject({ ...IDS, method: 'POST', path: '/body', msg: 'request aborted' });
});
