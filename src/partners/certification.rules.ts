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
  const [first] = faultsOf(report, attachment);
  return first && { ...first, path: `report.${first.path}` };
}

function* faultsOf(
  report: CertificationReport,
  { partnerId, mode, now }: Attachment,
): Generator<ReportFault> {
  const { partner_id: of, suite_version: version, scenarios, summary, verdict } = report;
  if (mode === 'sandbox' && of !== partnerId)
    yield {
      path: 'partner_id',
      message: `is ${of}: the report is of another partner. Attach the one of ${partnerId}.`,
    };
  if (report.ended_at.getTime() > now.getTime() + SKEW_MS)
    yield {
      path: 'ended_at',
      message: `is to come: it is ${now.toISOString()}. Set the clock of the machine, and run the certification again.`,
    };
  if (compareVersions(version, SUITE.version) < 0)
    yield {
      path: 'suite_version',
      message: `is ${version}, and this service asks for ${SUITE.version}. Run the certification again with the client that this service serves.`,
    };
  // Suites only grow: a newer one has all scenarios of this release's.
  const ids = new Set(scenarios.map(({ id }) => id));
  const missing = SUITE.scenarios.filter((id) => !ids.has(id));
  if (missing.length > 0)
    yield {
      path: 'scenarios',
      message: `lacks ${missing.length} of the ${SUITE.scenarios.length} scenarios of suite ${SUITE.version}, ${missing[0]} among them. ${UNTOUCHED}`,
    };
  if (ids.size > SUITE.scenarios.length && !isOfNewerSuite(report))
    yield { path: 'scenarios', message: `has scenarios that suite ${version} has not. ${UNTOUCHED}` };
  for (const [at, { outcome, finding, remedy }] of scenarios.entries())
    if ((finding === null) !== (outcome === 'passed') || (remedy === null) === (outcome === 'failed'))
      yield {
        path: `scenarios.${at}`,
        message: `is ${outcome}: finding is null where it passed and remedy where it did not fail, and there otherwise. ${UNTOUCHED}`,
      };
  const countOf = (outcome: Outcome) => scenarios.filter((each) => each.outcome === outcome).length;
  for (const outcome of OUTCOMES)
    if (summary[outcome] !== countOf(outcome))
      yield {
        path: `summary.${outcome}`,
        message: `is ${summary[outcome]}, and ${countOf(outcome)} of its scenarios are ${outcome}. ${UNTOUCHED}`,
      };
  const expected = countOf('failed') > 0 ? 'failed' : countOf('not_tried') > 0 ? 'incomplete' : 'passed';
  if (verdict !== expected)
    yield { path: 'verdict', message: `is ${verdict}, and ${expected} by its scenarios. ${UNTOUCHED}` };
  if (verdict === 'failed')
    yield {
      path: 'verdict',
      message: `is failed: ${countOf('failed')} of ${scenarios.length} scenarios failed. To certify the partner all the same, leave the report out and say why in notes.`,
    };
}

/** Whether it is of a suite that this release does not know: whether it has all of that suite's scenarios cannot be told. */
export const isOfNewerSuite = ({ suite_version: version }: CertificationReport): boolean =>
  compareVersions(version, SUITE.version) > 0;

/** Of `1.10.0` and `1.9.0` the first is the newer. */
const compareVersions = (one: string, other: string): number =>
  one.localeCompare(other, 'en', { numeric: true });
