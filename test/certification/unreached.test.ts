import { afterAll, expect, test } from '@jest/globals';
import { hostedService } from '../support/service-host.ts';
import { anyCandidate, certifyModel, certifyServed, startFront, withOutcome } from './certification-scene.ts';
import { serveModel } from './command-line.ts';

const service = await hostedService({ hasWorkers: true });
const candidate = await anyCandidate(service);
afterAll(() => service.stop());

test('an integration that ends during a run fails nothing: the rest is not tried', async () => {
  const integration = await serveModel(candidate);
  const chosen = ['venues-listed', 'hold-placed', 'hold-answer-lost', 'genuine-accepted'];
  let closing = Promise.resolve();
  const report = await certifyServed(candidate, integration, chosen, {
    onEnd: ({ id }) => {
      if (id === 'venues-listed') closing = integration.close();
    },
  });
  await closing;
  expect([withOutcome(report, 'passed'), withOutcome(report, 'failed')]).toEqual([{ 'venues-listed': null }, {}]);
  const finding = 'The integration was not reached: place_hold got no answer: ECONNREFUSED.';
  expect(withOutcome(report, 'not_tried')).toMatchObject({ 'hold-placed': finding, 'hold-answer-lost': finding });
});

test('an integration that breaks off during an action fails, because the scenario may have caused it', async () => {
  const integration = await serveModel(candidate);
  // Close the integration while it waits for the answer to its hold.
  const front = await startFront(service.url, async ({ method, path }) => {
    if (method === 'POST' && path === '/api/v1/partner/holds') await integration.close();
  });
  const report = await certifyServed({ ...candidate, baseUrl: front.url }, integration, ['hold-placed']);
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
