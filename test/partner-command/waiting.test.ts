import { expect, test } from '@jest/globals';
import { rareNotes } from '../../packages/client/src/cli/service-patience.ts';
import { startFaultyProxy } from '../client/faulty-proxy.ts';
import { eventually } from '../support/eventually.ts';
import { partner, startPartner } from './partner.ts';

test('of failures every 15 s those in the first minute are told ever more rarely, then one a minute for hours', () => {
  let nowMs = 0;
  const notes = rareNotes(() => nowMs);
  const toldAt: number[] = [];
  for (; nowMs < 6 * 3_600_000; nowMs += 15_000) if (notes.isDue()) toldAt.push(nowMs);
  expect(toldAt.slice(0, 3)).toEqual([0, 15_000, 45_000]);
  const silences = toldAt.slice(1).map((at, index) => at - (toldAt[index] ?? 0));
  expect(Math.max(...silences)).toBeLessThanOrEqual(60_000);
  notes.end();
  nowMs += 1;
  expect([notes.isDue(), notes.isDue(), notes.isDue()]).toEqual([true, true, false]);
});

const busy = (seconds: number) =>
  startFaultyProxy('http://127.0.0.1:1', () => ({
    kind: 'answered',
    status: 429,
    headers: { 'retry-after': String(seconds), 'content-type': 'application/json' },
    body: JSON.stringify({ error: { code: 'RATE_LIMITED', message: 'Too many calls.', request_id: 'r' } }),
  }));

test.each([['status'], ['listen']])(
  '%s says that it waits, and until when, not in what is for programs',
  async (command) => {
    const proxy = await busy(50);
    const args = command === 'listen' ? ['listen', '--forward-to', 'http://127.0.0.1:1023'] : [command];
    const started = await startPartner({ url: proxy.url, apiKey: 'pk_sandbox_any' }, [...args, '--json']);
    await eventually('it says so', () =>
      /\(429.*\); trying again in (50|51) s, at \d\d:\d\d:\d\d UTC\.\n$/.test(started.printed.err),
    );
    started.interrupt();
    expect(await started.ended).toMatchObject({ code: 130, out: '' });
    await proxy.close();
  },
);

test('where it does not wait so long, it says when to call again', async () => {
  const proxy = await busy(3600);
  const { code, err } = await partner({ url: proxy.url, apiKey: 'pk_sandbox_any' }, ['status']);
  await proxy.close();
  expect([code, err]).toEqual([1, expect.stringMatching(/^ {2}again: in 1 h, at \d\d:\d\d:\d\d UTC$/m)]);
});
