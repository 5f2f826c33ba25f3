import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, expect, test } from '@jest/globals';
import { rowsOf } from '../support/rows.ts';
import { hostedService } from '../support/service-host.ts';
import { anyCandidate, certifyServed, startFront } from './certification-scene.ts';
import { serveModel } from './command-line.ts';

/** Longer than the cleanup takes. */
const SLOW_MS = 400;

const service = await hostedService({ hasWorkers: true });
const candidate = await anyCandidate(service);
const integration = await serveModel(candidate);
afterAll(async () => {
  await integration.close();
  await service.stop();
});

test.each([
  ['the runner’s own hold', 'tampered-refused', '/api/v1/partner/holds', 1],
  ['the runner’s third hold', 'genuine-accepted', '/api/v1/partner/holds', 3],
  ['the runner’s own booking', 'genuine-accepted', '/api/v1/bookings/confirm', 1],
  ['a sale of the other channel', 'taken-slot-reported', '/walk-in', 1],
  ['the hold of the integration', 'hold-placed', '/api/v1/partner/holds', 1],
])('an interruption during %s leaves no claim', async (_what, scenario, pathEnd, nth) => {
  const stop = new AbortController();
  let callCount = 0;
  const front = await startFront(service.url, async ({ method, path }) => {
    if (method !== 'POST' || !path.endsWith(pathEnd)) return;
    callCount += 1;
    if (callCount !== nth) return;
    stop.abort();
    await delay(SLOW_MS);
  });
  const interruptible = { ...candidate, baseUrl: front.url };
  const report = await certifyServed(interruptible, integration, [scenario], { signal: stop.signal });
  await front.close();
  expect([callCount >= nth, report.summary.passed, report.summary.failed]).toEqual([true, 0, 0]);
  const claims = await rowsOf(service, 'reservations', {});
  const live = claims.filter(({ status }) => ['ACTIVE', 'BOOKED'].includes(status));
  expect(live.map(({ status, partnerId, slotId }) => ({ status, partnerId, slotId }))).toEqual([]);
});
