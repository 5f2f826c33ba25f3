import type { Level } from './scenario.ts';

export type Verdict = 'passed' | 'failed' | 'incomplete';
export type ScenarioOutcome = 'passed' | 'failed' | 'not_tried';

export type ScenarioReport = {
  id: string;
  level: Level;
  title: string;
  outcome: ScenarioOutcome;
  duration_ms: number;
  /** The observation, or why the scenario was not tried. */
  finding: string | null;
  remedy: string | null;
};

/** The report of a run, for operators and programs. */
export type Report = {
  format: 'partner-booking-certification/1';
  mode: 'partner' | 'service';
  suite_version: string;
  partner_id: string;
  integration: string;
  base_url: string;
  started_at: string;
  ended_at: string;
  verdict: Verdict;
  summary: Record<ScenarioOutcome, number>;
  scenarios: ScenarioReport[];
};

export function summaryOf(scenarios: readonly ScenarioReport[]): Report['summary'] {
  const count = (outcome: ScenarioOutcome) => scenarios.filter((each) => each.outcome === outcome).length;
  return { passed: count('passed'), failed: count('failed'), not_tried: count('not_tried') };
}

export function verdictOf({ passed, failed, not_tried: notTried }: Report['summary']): Verdict {
  if (failed > 0) return 'failed';
  return notTried > 0 || passed === 0 ? 'incomplete' : 'passed';
}

/** What a report of each mode proves, and what it does not. */
export const PROOF_NOTES: Record<Report['mode'], string> = {
  partner:
    'Passed scenarios prove what the integration did on this sandbox, at this time. They prove nothing about untested behaviour, nor that the same program runs in production.',
  service:
    'Passed scenarios prove what the built-in model integration did on this deployment; a failure is the deployment’s fault, not a partner’s. They prove nothing about partners, nor about sending deliveries: the runner signs and posts the events of the feed itself.',
};
