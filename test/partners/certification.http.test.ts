import { afterAll, describe, expect, test } from '@jest/globals';
import SUITE from '../../docs/certification-suite.json' with { type: 'json' };
import { createClient } from '../support/client.ts';
import { anyPartner, expectStatus, type Json, operatorOf } from '../support/factories.ts';
import type * as Beside from '../support/listeners-beside.in-host.ts';
import { OPERATOR_KEY } from '../support/service-environment.ts';
import { hostedService } from '../support/service-host.ts';
import { verdict } from '../support/verdict.ts';
import { certificationReport, type Outcome, type SentReport } from './certification-report.ts';

const PARTNERS = '/api/v1/operator/partners';
const OTHER_PARTNER_ID = '0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b02';
const ALL = SUITE.scenarios.length;

const service = await hostedService();
const operator = operatorOf(service);
afterAll(() => service.stop());
const partner = await anyPartner(service, []);

const reportOf = (first: readonly Outcome[] = [], changed: Json = {}) =>
  certificationReport(partner.id, first, changed);

/** The report with its first scenario changed. */
const withFirst = (changed: Partial<SentReport['scenarios'][number]>, report = reportOf()) => ({
  ...report,
  scenarios: report.scenarios.map((each, index) => (index === 0 ? { ...each, ...changed } : each)),
});

/** A report of only these scenarios, all passed. */
const reportOfOnly = (scenarios: SentReport['scenarios'], changed: Json = {}) =>
  reportOf([], { scenarios, summary: { passed: scenarios.length, failed: 0, not_tried: 0 }, ...changed });

const extraScenario: SentReport['scenarios'][number] = {
  id: 'scenario-of-a-newer-suite',
  level: 1,
  title: 'Any',
  outcome: 'passed',
  duration_ms: 1,
  finding: null,
  remedy: null,
};

const certify = (body: Json, id = partner.id) => operator.post(`${PARTNERS}/${id}/certify`, body);
const attached = async (id = partner.id) =>
  expectStatus(await operator.get(`${PARTNERS}/${id}/certification-report`), 200);

describe('a report attached to a certification', () => {
  test('is stored completely, summarised with the partner, and replaced by a later one', async () => {
    const { id } = await anyPartner(service, []);
    expect(await attached(id)).toEqual({ partner_id: id, attached_at: null, report: null });
    const first = reportOf(['not_tried'], { partner_id: id });
    const certified = expectStatus(await certify({ notes: 'Run 1', report: first }, id), 200);
    const summary = { integration: 'Box Office', suite_version: SUITE.version, ended_at: first.ended_at };
    const ofFirst = { ...summary, verdict: 'incomplete', passed: ALL - 1, not_tried: 1 };
    expect(certified['certification_report']).toEqual(ofFirst);
    expect(await attached(id)).toEqual({ partner_id: id, attached_at: expect.stringMatching(/Z$/), report: first });
    const second = reportOf([], { partner_id: id });
    const again = expectStatus(await certify({ report: second }, id), 200);
    expect(again).toMatchObject({
      certified_at: certified['certified_at'],
      certification_notes: 'Run 1',
      certification_report: { ...summary, verdict: 'passed', passed: ALL, not_tried: 0 },
    });
    expect((await attached(id))['report']).toEqual(second);
    expect(expectStatus(await certify({ notes: 'Run 3' }, id), 200)['certification_report']).toMatchObject({
      passed: ALL,
    });
  });

  test.each<[what: string, path: string, report: () => Json]>([
    ['of another partner', 'report.partner_id', () => reportOf([], { partner_id: OTHER_PARTNER_ID })],
    ['that failed', 'report.verdict', () => reportOf(['passed', 'failed'])],
    ['whose verdict is better than its scenarios', 'report.verdict', () => reportOf(['failed'], { verdict: 'passed' })],
    [
      'whose summary does not match its scenarios',
      'report.summary.passed',
      () => reportOf(['failed'], { verdict: 'passed', summary: { passed: ALL, failed: 0, not_tried: 0 } }),
    ],
    ['of a service, not of a partner', 'report.mode', () => reportOf([], { mode: 'service' })],
    ['of a later format', 'report.format', () => reportOf([], { format: 'partner-booking-certification/2' })],
    ['of one scenario', 'report.scenarios', () => reportOfOnly(reportOf().scenarios.slice(0, 1))],
    [
      'of scenarios that are not in the suite',
      'report.scenarios',
      () => reportOfOnly([...reportOf().scenarios, extraScenario]),
    ],
    ['of an older suite', 'report.suite_version', () => reportOf([], { suite_version: '0.10.0' })],
    ['that ends in the future', 'report.ended_at', () => reportOf([], { ended_at: inMinutes(10) })],
    ['that ended before it began', 'report.started_at', () => reportOf([], { started_at: '2026-11-20T10:01:00.001Z' })],
    ['with a finding for a passed scenario', 'report.scenarios.0', () => withFirst({ finding: 'The hold was lost.' })],
    ['with a remedy for a passed scenario', 'report.scenarios.0', () => withFirst({ remedy: 'Mend it.' })],
    [
      'that does not say why a scenario was not tried',
      'report.scenarios.0',
      () => withFirst({ finding: null }, reportOf(['not_tried'])),
    ],
  ])('%s is rejected, and changes nothing', async (_what, path, report) => {
    const before = expectStatus(await operator.get(`${PARTNERS}/${partner.id}`), 200);
    const reply = await certify({ notes: 'no', report: report() });
    expect(verdict(reply)).toBe(`400 VALIDATION_ERROR ${path}`);
    expect(expectStatus(await operator.get(`${PARTNERS}/${partner.id}`), 200)).toEqual(before);
    expect((await attached())['report']).toBeNull();
  });

  test('may have a newer suite, and a clock slightly ahead', async () => {
    const { id } = await anyPartner(service, []);
    const times = { started_at: inMinutes(1), ended_at: inMinutes(2) };
    const newer = reportOfOnly([...reportOf().scenarios, extraScenario], { partner_id: id, suite_version: '99.0.0' });
    const certified = expectStatus(await certify({ report: { ...newer, ...times } }, id), 200);
    expect(certified['certification_report']).toMatchObject({ suite_version: '99.0.0', passed: ALL + 1 });
  });

  test('may have another partner_id in production: that of the sandbox', async () => {
    const { listenBeside } = service.inHost<typeof Beside>('test/support/listeners-beside.in-host.ts');
    const production = createClient(await listenBeside('admin', { serviceMode: 'production' }), OPERATOR_KEY);
    const { id } = await anyPartner(service, []);
    const report = reportOf([], { partner_id: OTHER_PARTNER_ID });
    expectStatus(await production.post(`${PARTNERS}/${id}/certify`, { report }), 200);
    expect(await attached(id)).toMatchObject({ partner_id: id, report: { partner_id: OTHER_PARTNER_ID } });
  });

  test('needs an existing partner', async () => {
    const missing = '0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b99';
    const report = reportOf([], { partner_id: missing });
    expect(verdict(await certify({ report }, missing))).toBe('404 PARTNER_NOT_FOUND');
    expect(verdict(await operator.get(`${PARTNERS}/${missing}/certification-report`))).toBe('404 PARTNER_NOT_FOUND');
  });
});

const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString();
