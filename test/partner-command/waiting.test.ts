import { expect, test } from '@jest/globals';
import { startFaultyProxy } from '../client/faulty-proxy.ts';
import { eventually } from '../support/eventually.ts';
import { partner, startPartner } from './partner.ts';

const busy = (seconds: number) =>
  startFaultyProxy('http://127.0.0.1:1', () => ({
    kind: 'answered',
    status: 429,
    headers: { 'retry-after': String(seconds), 'content-type': 'application/json' },
    body: JSON.stringify({ error: { code: 'RATE_LIMITED', message: 'Too many calls.', request_id: 'r' } }),
  }));

test.each([['status'], ['listen']])(
  '%s says that it waits, and until when, but not in the output for programs',
  async (command) => {
    const proxy = await busy(50);
    const args = command === 'listen' ? ['listen', '--forward-to', 'http://127.0.0.1:1023'] : [command];
    const started = await startPartner({ url: proxy.url, apiKey: 'pk_sandbox_any' }, [...args, '--json']);
    await eventually('the message', () =>
      /\(429.*\); trying again in (50|51) s, at \d\d:\d\d:\d\d UTC\.\n$/.test(started.printed.err),
    );
    started.interrupt();
    expect(await started.ended).toMatchObject({ code: 130, out: '' });
    await proxy.close();
  },
);

test('a command that would have to wait an hour ends instead, and says when to call again', async () => {
  const proxy = await busy(3600);
  const { code, err } = await partner({ url: proxy.url, apiKey: 'pk_sandbox_any' }, ['status']);
  await proxy.close();
  expect([code, err]).toEqual([1, expect.stringMatching(/^ {2}try again: in 1 h, at \d\d:\d\d:\d\d UTC$/m)]);
});
