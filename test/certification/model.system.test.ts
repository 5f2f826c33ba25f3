import { afterAll, expect, test } from '@jest/globals';
import { SCENARIOS } from '../../packages/client/src/certification/scenarios.ts';
import { anyPartner, type Json } from '../support/factories.ts';
import { rowsOf } from '../support/rows.ts';
import { hostedService } from '../support/service-host.ts';
import { anyCandidate, certifyModel, startFront, withOutcome } from './certification-scene.ts';
import { ROWS } from './defects.ts';

/** Scenarios of level 6 that together choose slots in every way of that level. */
const RECEIVING_SCENARIOS = ['tampered-refused', 'genuine-accepted', 'disorder-survived', 'outage-recovered'];

// The default rate limit of a deployment.
const service = await hostedService({ hasWorkers: true, overrides: { RATE_LIMIT_PER_MINUTE: '600' } });
afterAll(() => service.stop());
const candidate = await anyCandidate(service);

test('every scenario catches a defective integration, and every defect is caught by a scenario', () => {
  const ids = SCENARIOS.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  expect(new Set(ROWS.flatMap(({ caughtBy }) => caughtBy))).toEqual(new Set(ids));
});

test('the model integration passes every scenario, and the run leaves no hold or booking', async () => {
  const report = await certifyModel(candidate);
  expect(withOutcome(report, 'failed')).toEqual({});
  expect(withOutcome(report, 'not_tried')).toEqual({});
  expect([report.mode, report.verdict]).toEqual(['service', 'passed']);
  expect(await rowsOf(service, 'reservations', { status: { $in: ['ACTIVE', 'BOOKED'] } })).toEqual([]);
});

test('a few slots are enough, and one run does not affect the next', async () => {
  const resource = { operating_hours_start: '06:00', operating_hours_end: '07:00' };
  const small = await anyCandidate(service, { resource });
  const [venueId = ''] = small.venueIds;
  const { apiKey } = await anyPartner(service, [venueId]);
  const only = SCENARIOS.filter(({ level }) => level === 6).map(({ id }) => id);
  for (let run = 1; run <= 2; run += 1) {
    const report = await certifyModel({ ...small, apiKey }, [], only);
    expect([run, withOutcome(report, 'failed')]).toEqual([run, {}]);
    expect(report.summary.passed).toBe(only.length);
  }
});

test('a sandbox that lacks something leaves a run incomplete, and the report says so', async () => {
  const poor = await anyCandidate(service, { hasPackage: false });
  const report = await certifyModel(poor, [], ['hold-placed', 'credit-consumed']);
  expect(withOutcome(report, 'passed')).toEqual({ 'hold-placed': null });
  expect(withOutcome(report, 'not_tried')['credit-consumed']).toMatch(/^The catalogue has no active package/);
  expect(report.verdict).toBe('incomplete');
  const { apiKey } = await anyPartner(service, []);
  const without = await certifyModel({ ...poor, apiKey }, [], ['hold-placed', 'empty-day-shown']);
  expect(without.summary).toMatchObject({ passed: 0, failed: 0 });
  expect(withOutcome(without, 'not_tried')).toMatchObject({
    'hold-placed': expect.stringMatching(/^The sandbox has no free slot/),
    'empty-day-shown': expect.stringMatching(/^No active venue is granted/),
  });
});

test('slots that another partner takes meanwhile fail no scenario: each scenario chooses others', async () => {
  const contested = await anyCandidate(service);
  const rival = await anyPartner(service, contested.venueIds);
  const taken = new Map<string, string>();
  let holdId: string | undefined;
  const front = await startFront(service.url, async ({ method, path, body }) => {
    const [, sold] = /\/slots\/([^/]+)\/walk-in$/.exec(path) ?? [];
    const kind = path === '/api/v1/partner/holds' && method === 'POST' ? 'hold' : sold && 'sale';
    if (kind === undefined) {
      // Release the slot before anyone reads it again.
      if (holdId !== undefined) await rival.api.post(`/api/v1/partner/holds/${holdId}/cancel`);
      holdId = undefined;
    } else if (!taken.has(kind)) {
      const slotId = sold ?? String(body['slot_id']);
      const held = await rival.api.post('/api/v1/partner/holds', { slot_id: slotId });
      if (held.status !== 201) return;
      taken.set(kind, slotId);
      holdId = String((held.body as Json)['hold_id']);
    }
  });
  const losses: string[] = [];
  try {
    const only = SCENARIOS.filter(({ level, id }) => level < 6 || RECEIVING_SCENARIOS.includes(id)).map(({ id }) => id);
    const report = await certifyModel({ ...contested, baseUrl: front.url }, [], only, ({ id }) => {
      if (taken.size > 0) losses.push(id);
      taken.clear();
    });
    expect(withOutcome(report, 'failed')).toEqual({});
    expect(report.summary.passed).toBe(only.length);
    expect(losses.length).toBeGreaterThan(35);
  } finally {
    await front.close();
  }
});
