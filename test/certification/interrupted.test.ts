import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, expect, test } from '@jest/globals';
import { rowsOf } from '../support/rows.ts';
import { hostedService } from '../support/service-host.ts';
import { anyCandidate, certifyModel, certifyServed, startFront, withOutcome } from './certification-scene.ts';
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
  expect(await rowsOf(service, 'reservations', { status: { $in: ['ACTIVE', 'BOOKED'] } })).toEqual([]);
});

test('an integration that ends during a run fails nothing: the rest is not tried', async () => {
  const fragile = await serveModel(candidate);
  const chosen = ['venues-listed', 'hold-placed', 'hold-answer-lost', 'genuine-accepted'];
  let closing = Promise.resolve();
  const report = await certifyServed(candidate, fragile, chosen, {
    onEnd: ({ id }) => {
      if (id === 'venues-listed') closing = fragile.close();
    },
  });
  await closing;
  expect([withOutcome(report, 'passed'), withOutcome(report, 'failed')]).toEqual([{ 'venues-listed': null }, {}]);
  const finding = 'The integration was not reached: place_hold got no answer: ECONNREFUSED.';
  expect(withOutcome(report, 'not_tried')).toMatchObject({ 'hold-placed': finding, 'hold-answer-lost': finding });
});

test('an integration that breaks off during an action fails, because the scenario may have caused it', async () => {
  const fragile = await serveModel(candidate);
  // Close the integration while it waits for the answer to its hold.
  const front = await startFront(service.url, async ({ method, path }) => {
    if (method === 'POST' && path === '/api/v1/partner/holds') await fragile.close();
  });
  const report = await certifyServed({ ...candidate, baseUrl: front.url }, fragile, ['hold-placed']);
  await front.close();
  expect(withOutcome(report, 'failed')).toEqual({
    'hold-placed': expect.stringMatching(/^place_hold got no answer: /),
  });
});

test.each([
  ['the integration’s calls', '/api/v1/partner/holds', /^The sandbox was not reached by the integration/],
  ['every call', '', /^The sandbox /],
])('a sandbox that does not accept %s during a run fails nothing', async (_what, pathPrefix, finding) => {
  let isAway = false;
  const front = await startFront(service.url, async ({ path }) => {
    if (isAway && path.startsWith(pathPrefix)) throw new Error('away');
  });
  const chosen = ['venues-listed', 'hold-placed'];
  const report = await certifyModel({ ...candidate, baseUrl: front.url }, [], chosen, ({ id }) => {
    if (id === 'venues-listed') isAway = true;
  });
  await front.close();
  expect(withOutcome(report, 'passed')).toEqual({ 'venues-listed': null });
  expect(withOutcome(report, 'not_tried')['hold-placed']).toMatch(finding);
});
