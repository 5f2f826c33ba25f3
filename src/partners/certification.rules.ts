/** The form of reports that this release reads. */
export const REPORT_FORMAT = 'partner-booking-certification/1';

export const OUTCOMES = ['passed', 'failed', 'not_tried'] as const;
type Outcome = (typeof OUTCOMES)[number];

/** `incomplete`: none failed, and at least one could not be tried. */
export const VERDICTS = ['passed', 'failed', 'incomplete'] as const;
type Verdict = (typeof VERDICTS)[number];

/** A run of the certification, as `partner certify` writes it; instants are ISO 8601 by the clock of whoever ran it. */
export type CertificationReport = {
  format: typeof REPORT_FORMAT;
  mode: 'partner';
  suite_version: string;
  partner_id: string;
  integration: string;
  base_url: string;
  started_at: string;
  ended_at: string;
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

export type ReportFault = { path: string; message: string };

/**
 * Why a report is not attached to the partner; undefined where it is. What it says of itself must follow from its scenarios: it
 * comes from the partner, and a person reads the verdict alone.
 */
export function faultOfReport(report: CertificationReport, partnerId: string): ReportFault | undefined {
  const { scenarios, summary, verdict } = report;
  const countOf = (outcome: Outcome) => scenarios.filter((each) => each.outcome === outcome).length;
  if (report.partner_id !== partnerId)
    return {
      path: 'report.partner_id',
      message: `is ${report.partner_id}: the report is of another partner. Attach the one of ${partnerId}.`,
    };
  const miscounted = OUTCOMES.find((outcome) => summary[outcome] !== countOf(outcome));
  if (miscounted !== undefined)
    return {
      path: `report.summary.${miscounted}`,
      message: `is ${summary[miscounted]}, and ${countOf(miscounted)} of its scenarios are ${miscounted}. Attach the report as partner certify wrote it.`,
    };
  const expected = countOf('failed') > 0 ? 'failed' : countOf('not_tried') > 0 ? 'incomplete' : 'passed';
  if (verdict !== expected)
    return {
      path: 'report.verdict',
      message: `is ${verdict}, and ${expected} by its scenarios. Attach the report as partner certify wrote it.`,
    };
  if (verdict === 'failed')
    return {
      path: 'report.verdict',
      message: `is failed: ${countOf('failed')} of ${scenarios.length} scenarios failed. To certify the partner all the same, leave the report out and say why in notes.`,
    };
  return undefined;
}
