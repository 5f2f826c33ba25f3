import type { CertificationReport } from '../../src/partners/certification.rules.ts';

export type Outcome = CertificationReport['scenarios'][number]['outcome'];

/** A report with a scenario for each of these outcomes, true to itself. */
export function certificationReport(
  partnerId: string,
  outcomes: readonly Outcome[],
  changed: Partial<CertificationReport> = {},
): CertificationReport {
  const countOf = (outcome: Outcome) => outcomes.filter((each) => each === outcome).length;
  return {
    format: 'partner-booking-certification/1',
    mode: 'partner',
    suite_version: '1.0.0',
    partner_id: partnerId,
    integration: 'Box Office',
    base_url: 'http://127.0.0.1:3000',
    started_at: '2026-11-23T10:00:00.000Z',
    ended_at: '2026-11-23T10:01:00.000Z',
    verdict: countOf('failed') > 0 ? 'failed' : countOf('not_tried') > 0 ? 'incomplete' : 'passed',
    summary: { passed: countOf('passed'), failed: countOf('failed'), not_tried: countOf('not_tried') },
    scenarios: outcomes.map((outcome, index) => ({
      ...{ id: `scenario-${index + 1}`, level: index + 1, title: `Scenario ${index + 1}`, outcome },
      ...{ duration_ms: 12, finding: outcome === 'passed' ? null : 'Nothing came.', remedy: null },
    })),
    ...changed,
  };
}
