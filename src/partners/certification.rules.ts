import { SUITE } from './certification-suite.ts';

/** The form of reports that this release reads. */
export const REPORT_FORMAT = 'partner-booking-certification/1';

export const OUTCOMES = ['passed', 'failed', 'not_tried'] as const;
type Outcome = (typeof OUTCOMES)[number];

/** `incomplete`: none failed, and at least one could not be tried. */
export const VERDICTS = ['passed', 'failed', 'incomplete'] as const;
type Verdict = (typeof VERDICTS)[number];

/** A run of the certification, as `partner certify` writes it; its instants are by the clock of whoever ran it. */
export type CertificationReport = {
  format: typeof REPORT_FORMAT;
  mode: 'partner';
  suite_version: string;
  /** In the sandbox. */
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

/** To whom a report is attached, and when. In production partners have other ids than in the sandbox, of which a report is. */
export type Attachment = { partnerId: string; mode: 'sandbox' | 'production'; now: Date };

export type ReportFault = { path: string; message: string };

/** How far the clock of whoever ran the certification may be ahead. */
const SKEW_MS = 5 * 60_000;

const UNTOUCHED = 'Attach the report as partner certify wrote it.';

/**
 * Why a report is not attached to the partner; undefined where it is. It comes from the partner, and a person reads the verdict alone:
 * it must have every scenario that this release asks for, and what it says of itself must follow from them.
 */
export function faultOfReport(report: CertificationReport, attachment: Attachment): ReportFault | undefined {
  return (
    faultOfRun(report, attachment) ??
    faultOfSuite(report) ??
    faultOfScenarios(report) ??
    faultOfVerdict(report)
  );
}

/** Whether it is of a suite that this release does not know: whether it has all of that suite's scenarios cannot be told. */
export const isOfNewerSuite = ({ suite_version: version }: CertificationReport): boolean =>
  compareVersions(version, SUITE.version) > 0;

function faultOfRun(
  { partner_id: of, ended_at: endedAt }: CertificationReport,
  { partnerId, mode, now }: Attachment,
): ReportFault | undefined {
  if (mode === 'sandbox' && of !== partnerId)
    return {
      path: 'report.partner_id',
      message: `is ${of}: the report is of another partner. Attach the one of ${partnerId}.`,
    };
  if (endedAt.getTime() > now.getTime() + SKEW_MS)
    return {
      path: 'report.ended_at',
      message: `is to come: it is ${now.toISOString()}. Set the clock of the machine, and run the certification again.`,
    };
  return undefined;
}

/** Suites only grow: a newer one has all scenarios of this release's. */
function faultOfSuite(report: CertificationReport): ReportFault | undefined {
  const { suite_version: version, scenarios } = report;
  if (compareVersions(version, SUITE.version) < 0)
    return {
      path: 'report.suite_version',
      message: `is ${version}, and this service asks for ${SUITE.version}. Run the certification again with the client that this service serves.`,
    };
  const ids = new Set(scenarios.map(({ id }) => id));
  const missing = SUITE.scenarios.filter((id) => !ids.has(id));
  if (missing.length > 0)
    return {
      path: 'report.scenarios',
      message: `lacks ${missing.length} of the ${SUITE.scenarios.length} scenarios of suite ${SUITE.version}, ${missing[0]} among them. ${UNTOUCHED}`,
    };
  if (ids.size > SUITE.scenarios.length && !isOfNewerSuite(report))
    return { path: 'report.scenarios', message: `has scenarios that suite ${version} has not. ${UNTOUCHED}` };
  return undefined;
}

/** What was seen is said where it did not pass, what to mend where it failed. */
function faultOfScenarios({ scenarios }: CertificationReport): ReportFault | undefined {
  const at = scenarios.findIndex(
    ({ outcome, finding, remedy }) =>
      (finding === null) !== (outcome === 'passed') || (remedy === null) === (outcome === 'failed'),
  );
  const scenario = scenarios[at];
  if (scenario === undefined) return undefined;
  return {
    path: `report.scenarios.${at}`,
    message: `is ${scenario.outcome}: finding is null where it passed and remedy where it did not fail, and there otherwise. ${UNTOUCHED}`,
  };
}

function faultOfVerdict({ scenarios, summary, verdict }: CertificationReport): ReportFault | undefined {
  const countOf = (outcome: Outcome) => scenarios.filter((each) => each.outcome === outcome).length;
  const miscounted = OUTCOMES.find((outcome) => summary[outcome] !== countOf(outcome));
  if (miscounted !== undefined)
    return {
      path: `report.summary.${miscounted}`,
      message: `is ${summary[miscounted]}, and ${countOf(miscounted)} of its scenarios are ${miscounted}. ${UNTOUCHED}`,
    };
  const expected = countOf('failed') > 0 ? 'failed' : countOf('not_tried') > 0 ? 'incomplete' : 'passed';
  if (verdict !== expected)
    return {
      path: 'report.verdict',
      message: `is ${verdict}, and ${expected} by its scenarios. ${UNTOUCHED}`,
    };
  if (verdict === 'failed')
    return {
      path: 'report.verdict',
      message: `is failed: ${countOf('failed')} of ${scenarios.length} scenarios failed. To certify the partner all the same, leave the report out and say why in notes.`,
    };
  return undefined;
}

/** Of `1.10.0` and `1.9.0` the first is the newer. */
const compareVersions = (one: string, other: string): number =>
  one.localeCompare(other, 'en', { numeric: true });
