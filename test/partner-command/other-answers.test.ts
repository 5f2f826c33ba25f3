import type { ServerResponse } from 'node:http';
import { afterAll, expect, test } from '@jest/globals';
import { eventually } from '../support/eventually.ts';
import { startStubServer } from '../support/stub-server.ts';
import { partner, startPartner } from './partner.ts';

let answer: (response: ServerResponse) => void;
const { url, close } = await startStubServer((_request, response) => answer(response));
afterAll(() => close());

const service = { url, apiKey: 'pk_sandbox_any' };
const run = (...args: string[]) => partner(service, args);
const HTML = { 'content-type': 'text/html', server: 'nginx' };
const JSON_TYPE = { 'content-type': 'application/json' };

test.each([
  [404, HTML, '<p>', 'responded with 404 (text/html, nginx), and not as the Partner Booking Service does.'],
  [403, JSON_TYPE, '{"error": {"code": 403, "message": ["no"]}}', 'responded with 403 (application/json)'],
  [404, JSON_TYPE, '{"error": {"code": "Gone", "message": "m", "details": 1}}', 'responded with 404'],
  [401, JSON_TYPE, '{"error": "unauthorized"}', 'responded with 401'],
  [400, JSON_TYPE, 'null', 'responded with 400'],
  [302, { location: '/login' }, '', 'responded with 302'],
  [200, JSON_TYPE, '{"hello": "world"}', '200 (application/json, body: partner_id must be a text)'],
  [200, JSON_TYPE, '[]', 'responded with 200 (application/json, body: it must be an object)'],
])(
  'status ends with 3 after %i %j %j, and its message describes the response',
  async (status, headers, body, message) => {
    answer = (response) => void response.writeHead(status, headers).end(body);
    const { code, out, err } = await run('status');
    expect([code, out]).toEqual([3, '']);
    expect(err).toContain(message);
    expect(err).toContain('Give the address of the service with --base-url');
  },
);

const CONFIRM = ['confirm', 'h', '--name', 'A', '--phone', '+919876543210', '--payment-reference', 'p'];

test.each([
  ['<h1>Sign in</h1>', HTML, 'a body that is not JSON'],
  ['{"ok": true}', JSON_TYPE, 'must be '],
])('each command ends with 3 if it gets 200 and %j', async (body, headers, message) => {
  answer = (response) => void response.writeHead(200, headers).end(body);
  const commands = [['status'], ['hold', '--venue', 'v', '--date', '2026-11-24'], ['hold', 'a-slot'], CONFIRM];
  for (const { code, err } of await Promise.all(commands.map((args) => run(...args))))
    expect([code, err]).toEqual([3, expect.stringContaining(message)]);
});

/** Answers each call with 429 and this Retry-After. */
const beBusyFor = (seconds: number) => {
  const error = { code: 'RATE_LIMITED', message: 'Too many calls.', request_id: 'r' };
  const headers = { ...JSON_TYPE, 'retry-after': String(seconds) };
  answer = (response) => void response.writeHead(429, headers).end(JSON.stringify({ error }));
};

test.each([[['status']], [['listen', '--forward-to', 'http://127.0.0.1:1023']]])(
  '%j says that it waits, and until when, but not in the output for programs',
  async (args) => {
    beBusyFor(50);
    const started = await startPartner(service, [...args, '--json']);
    await eventually('the message', () =>
      /\(429.*\); trying again in (50|51) s, at \d\d:\d\d:\d\d UTC\.\n$/.test(started.printed.err),
    );
    started.interrupt();
    expect(await started.ended).toMatchObject({ code: 130, out: '' });
  },
);

test('a command that would have to wait an hour ends instead, and says when to call again', async () => {
  beBusyFor(3600);
  const { code, err } = await run('status');
  expect([code, err]).toEqual([1, expect.stringMatching(/^ {2}try again: in 1 h, at \d\d:\d\d:\d\d UTC$/m)]);
});
