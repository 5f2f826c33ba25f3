import SUITE from '../../docs/certification-suite.json' with { type: 'json' };
import type { CertificationReport } from '../../src/partners/certification.rules.ts';
import type { Json } from '../support/factories.ts';

export type Outcome = CertificationReport['scenarios'][number]['outcome'];

/** A report as sent to the service. */
export type SentReport = Omit<CertificationReport, 'started_at' | 'ended_at'> & {
  started_at: string;
  ended_at: string;
};

/** A consistent report of the whole suite: the first scenarios have these outcomes, the others passed. */
export function certificationReport(partnerId: string, first: readonly Outcome[] = [], changed: Json = {}): SentReport {
  const outcomes = SUITE.scenarios.map((_, index) => first[index] ?? 'passed');
  const countOf = (outcome: Outcome) => outcomes.filter((each) => each === outcome).length;
  return {
    format: 'partner-booking-certification/1',
    mode: 'partner',
    suite_version: SUITE.version,
    partner_id: partnerId,
    integration: 'Box Office',
    base_url: 'http://127.0.0.1:3000',
    started_at: '2026-11-20T10:00:00.000Z',
    ended_at: '2026-11-20T10:01:00.000Z',
    verdict: countOf('failed') > 0 ? 'failed' : countOf('not_tried') > 0 ? 'incomplete' : 'passed',
    summary: { passed: countOf('passed'), failed: countOf('failed'), not_tried: countOf('not_tried') },
    scenarios: outcomes.map((outcome, index) => ({
      id: SUITE.scenarios[index] ?? '',
      level: 1,
      title: `Scenario ${index + 1}`,
      outcome,
      duration_ms: 12,
      finding: outcome === 'passed' ? null : 'Nothing came.',
      remedy: outcome === 'failed' ? 'Mend it.' : null,
    })),
    ...changed,
  };
}
