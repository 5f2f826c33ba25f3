import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { CertificationReport } from '../../src/partners/certification.rules.ts';
import type { Client } from '../support/client.ts';
import type { Json, Partner } from '../support/factories.ts';
import { anyPartner, expectStatus, operatorOf } from '../support/factories.ts';
import type { SharedService } from '../support/service-host.ts';
import { sharedService } from '../support/service-host.ts';
import { errorOf, verdict } from '../support/verdict.ts';
import type { Outcome } from './certification-report.ts';
import { certificationReport } from './certification-report.ts';

const PARTNERS = '/api/v1/operator/partners';

let service: SharedService;
let operator: Client;
let partner: Partner;
beforeAll(async () => {
  service = sharedService();
  operator = operatorOf(service);
  partner = await anyPartner(service, []);
});
afterAll(() => service.stop());

const reportOf = (outcomes: readonly [Outcome, Outcome], changed: Partial<CertificationReport> = {}) =>
  certificationReport(partner.id, outcomes, changed);

const certify = (body: Json, id = partner.id) => operator.post(`${PARTNERS}/${id}/certify`, body);
const attached = async (id = partner.id) =>
  expectStatus(await operator.get(`${PARTNERS}/${id}/certification-report`), 200);

describe('a report that is attached at certification', () => {
  test('is kept whole, summed up with its partner, and replaced by a later one', async () => {
    const { id } = await anyPartner(service, []);
    expect(await attached(id)).toEqual({ partner_id: id, attached_at: null, report: null });
    const first = reportOf(['passed', 'not_tried'], { partner_id: id });
    const certified = expectStatus(await certify({ notes: 'Run 1', report: first }, id), 200);
    const summary = { integration: 'Box Office', suite_version: '1.0.0', ended_at: first.ended_at };
    expect(certified['certification_report']).toEqual({
      ...summary,
      ...{ verdict: 'incomplete', passed: 1, not_tried: 1 },
    });
    expect(await attached(id)).toEqual({
      ...{ partner_id: id, attached_at: expect.stringMatching(/Z$/), report: first },
    });
    const second = reportOf(['passed', 'passed'], { partner_id: id });
    const again = expectStatus(await certify({ report: second }, id), 200);
    expect(again).toMatchObject({
      ...{ certified_at: certified['certified_at'], certification_notes: 'Run 1' },
      certification_report: { ...summary, verdict: 'passed', passed: 2, not_tried: 0 },
    });
    expect((await attached(id))['report']).toEqual(second);
    expect(expectStatus(await certify({ notes: 'Run 3' }, id), 200)['certification_report']).toMatchObject({
      passed: 2,
    });
  });

  test.each<[what: string, path: string, report: () => Json]>([
    [
      'of another partner',
      'report.partner_id',
      () => reportOf(['passed', 'passed'], { partner_id: '0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b02' }),
    ],
    ['that failed', 'report.verdict', () => reportOf(['passed', 'failed'])],
    [
      'whose verdict is better than its scenarios',
      'report.verdict',
      () => reportOf(['passed', 'failed'], { verdict: 'passed' }),
    ],
    [
      'that counts otherwise than its scenarios',
      'report.summary.passed',
      () =>
        reportOf(['passed', 'failed'], {
          verdict: 'passed',
          summary: { passed: 2, failed: 0, not_tried: 0 },
        }),
    ],
    ['of a deployment', 'report.mode', () => ({ ...reportOf(['passed', 'passed']), mode: 'service' })],
    [
      'of a later form',
      'report.format',
      () => ({ ...reportOf(['passed', 'passed']), format: 'partner-booking-certification/2' }),
    ],
    ['without scenarios', 'report.scenarios', () => ({ ...reportOf(['passed', 'passed']), scenarios: [] })],
    ['that is text', 'report', () => 'passed' as unknown as Json],
  ])('%s is rejected, and the partner is as it was', async (_what, path, report) => {
    const before = expectStatus(await operator.get(`${PARTNERS}/${partner.id}`), 200);
    const reply = await certify({ notes: 'no', report: report() });
    expect(verdict(reply)).toBe(`400 VALIDATION_ERROR ${path}`);
    expect(errorOf(reply)['message']).not.toContain('undefined');
    expect(expectStatus(await operator.get(`${PARTNERS}/${partner.id}`), 200)).toEqual(before);
    expect((await attached())['report']).toBeNull();
  });

  test('is of a partner that exists', async () => {
    const missing = '0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b99';
    const report = reportOf(['passed', 'passed'], { partner_id: missing });
    expect(verdict(await certify({ report }, missing))).toBe('404 PARTNER_NOT_FOUND');
    expect(verdict(await operator.get(`${PARTNERS}/${missing}/certification-report`))).toBe(
      '404 PARTNER_NOT_FOUND',
    );
  });
});
