import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { inParallel } from '../support/in-parallel.ts';
import { hostedService } from '../support/service-host.ts';
import type * as Extremes from './extremes.in-host.ts';
import { sendAs } from './injection-attack.ts';
import type { Target } from './injection-scene.ts';
import { injectionScene } from './injection-scene.ts';
import { createSender } from './injection-sender.ts';
import { legalRequest } from './injection-template.ts';

const LONGEST_MS = 2000;
const AT_A_TIME = 4;

const service = await hostedService({ overrides: { RATE_LIMIT_PER_MINUTE: '0' } });
const inHost = service.inHost<typeof Extremes>('test/http/extremes.in-host.ts');
const sender = createSender();
let targets: Target[];
beforeAll(async () => {
  targets = await injectionScene(service);
});
afterAll(async () => {
  sender.close();
  await service.stop();
});

/** Asks for its life while `work` goes on; returns how long the slowest answer took. */
async function slowestLifeMs(work: () => Promise<void>): Promise<number> {
  const done = new AbortController();
  let slowestMs = 0;
  const watching = (async () => {
    while (!done.signal.aborted) {
      const askedAt = performance.now();
      expect((await fetch(`${service.url}/healthz`)).status).toBe(200);
      slowestMs = Math.max(slowestMs, performance.now() - askedAt);
      await delay(20);
    }
  })();
  try {
    await work();
  } finally {
    done.abort();
    await watching;
  }
  return slowestMs;
}

test('every route answers within 2 s with each parameter at either end of what it might be, and keeps no other waiting', async () => {
  const slow: string[] = [];
  const failed: string[] = [];
  let answered = 0;
  const slowestMs = await slowestLifeMs(async () => {
    for (const [index, which] of (['partner', 'operator'] as const).entries()) {
      const target = targets[index] as Target;
      const calls = await inHost.extremeCalls(which, target.known);
      await inParallel(calls, AT_A_TIME, async ({ id, template }) => {
        const askedAt = performance.now();
        const { status } = await sendAs(sender, target, legalRequest(template));
        if (performance.now() - askedAt > LONGEST_MS) slow.push(id);
        if (status >= 500) failed.push(`${status} ${id}`);
        answered += 1;
      });
    }
  });
  expect([slow, failed]).toEqual([[], []]);
  expect(slowestMs).toBeLessThan(LONGEST_MS);
  expect(answered).toBeGreaterThan(500);
}, 300_000);
