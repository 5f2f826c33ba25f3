import SUITE from '../../docs/certification-suite.json' with { type: 'json' };
import type { FieldFault } from '../domain/errors.ts';

export const REPORT_FORMAT = 'partner-booking-certification/1';

export const OUTCOMES = ['passed', 'failed', 'not_tried'] as const;
type Outcome = (typeof OUTCOMES)[number];

/** `incomplete`: no scenario failed, and at least one could not be tried. */
export const VERDICTS = ['passed', 'failed', 'incomplete'] as const;
type Verdict = (typeof VERDICTS)[number];

/** A report as `partner certify` writes it; its instants are by the clock of the machine that ran it. */
export type CertificationReport = {
  format: typeof REPORT_FORMAT;
  mode: 'partner';
  suite_version: string;
  partner_id: string;
  integration: string;
  base_url: string;
  started_at: Date;
  ended_at: Date;
  verdict: Verdict;
  summary: Record<Outcome, number>;
  scenarios: {
    id: string;
    level: number;
    title: string;
    outcome: Outcome;
    duration_ms: number;
    finding: string | null;
    remedy: string | null;
  }[];
};

/** The partner and service for which a report is attached. The partner id in a report is the one in the sandbox. */
type Attachment = { partnerId: string; mode: 'sandbox' | 'production'; now: Date };

const SKEW_MS = 5 * 60_000;

const ATTACH_UNCHANGED = 'Attach the unchanged report of partner certify.';

/**
 * Why a report is rejected; undefined if it is valid. The report comes from the partner, and operators read only its
 * verdict. So it must have every required scenario, and a summary and verdict that follow from the scenarios.
 */
export function faultOfReport(
  report: CertificationReport,
  { partnerId, mode, now }: Attachment,
): FieldFault | undefined {
  const { partner_id: reportPartnerId, suite_version: version, scenarios, summary, verdict } = report;
  const fault = (path: string, message: string): FieldFault => ({ path: `report.${path}`, message });
  if (mode === 'sandbox' && reportPartnerId !== partnerId)
    return fault(
      'partner_id',
      `is ${reportPartnerId}: the report is of another partner. Attach the one of ${partnerId}.`,
    );
  if (report.ended_at.getTime() > now.getTime() + SKEW_MS)
    return fault(
      'ended_at',
      `is in the future: the service's clock shows ${now.toISOString()}. Set the clock of the machine, and run the certification again.`,
    );
  if (compareVersions(version, SUITE.version) < 0)
    return fault(
      'suite_version',
      `is ${version}, but this service requires ${SUITE.version}. Run the certification again with the client that this service serves.`,
    );
  // Suites only grow: newer ones have all scenarios of this one.
  const ids = new Set(scenarios.map(({ id }) => id));
  const missing = SUITE.scenarios.filter((id) => !ids.has(id));
  if (missing.length > 0)
    return fault(
      'scenarios',
      `lacks ${missing.length} of the ${SUITE.scenarios.length} scenarios of suite ${SUITE.version}, ${missing[0]} among them. ${ATTACH_UNCHANGED}`,
    );
  if (ids.size > SUITE.scenarios.length && !isOfNewerSuite(report))
    return fault('scenarios', `has scenarios that are not in suite ${version}. ${ATTACH_UNCHANGED}`);
  const faultyIndex = scenarios.findIndex(
    ({ outcome, finding, remedy }) =>
      (finding === null) !== (outcome === 'passed') || (remedy === null) === (outcome === 'failed'),
  );
  if (faultyIndex !== -1)
    return fault(
      `scenarios.${faultyIndex}`,
      `has the outcome ${scenarios[faultyIndex]?.outcome}, but its finding or remedy does not fit: a passed scenario has no finding, and only a failed one has a remedy. ${ATTACH_UNCHANGED}`,
    );
  const countOf = (outcome: Outcome) => scenarios.filter((each) => each.outcome === outcome).length;
  for (const outcome of OUTCOMES)
    if (summary[outcome] !== countOf(outcome))
      return fault(
        `summary.${outcome}`,
        `is ${summary[outcome]}, but ${countOf(outcome)} scenarios of the report have the outcome ${outcome}. ${ATTACH_UNCHANGED}`,
      );
  const expected = countOf('failed') > 0 ? 'failed' : countOf('not_tried') > 0 ? 'incomplete' : 'passed';
  if (verdict !== expected)
    return fault('verdict', `is ${verdict}, but its scenarios make it ${expected}. ${ATTACH_UNCHANGED}`);
  if (verdict === 'failed')
    return fault(
      'verdict',
      `is failed: ${countOf('failed')} of ${scenarios.length} scenarios failed. To certify the partner anyway, omit the report and give the reason in notes.`,
    );
  return undefined;
}

/** Whether the suite is newer than this release, which then cannot check that all its scenarios are present. */
export const isOfNewerSuite = ({ suite_version: version }: CertificationReport): boolean =>
  compareVersions(version, SUITE.version) > 0;

/** `1.10.0` is newer than `1.9.0`. */
const compareVersions = (one: string, other: string): number => one.localeCompare(other, 'en', { numeric: true });
