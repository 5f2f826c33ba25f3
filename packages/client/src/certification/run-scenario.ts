import { PartnerApiError, PartnerConnectionError } from '../errors.ts';
import { isNotRunning } from './actions.ts';
import type { ScenarioReport } from './report.ts';
import type { Scenario } from './scenario.ts';
import { Finding, NotTried } from './scenario.ts';
import { SCENARIOS } from './scenarios.ts';
import type { Trial } from './trial.ts';

/** If the runner's call with a reported id gets one of these errors, the integration's report is wrong. */
const WRONG_REPORT_CODES = new Set(
  'HOLD_NOT_FOUND BOOKING_NOT_FOUND PURCHASE_NOT_FOUND INVALID_HOLD_STATE HOLD_EXPIRED'.split(' '),
);

const MAX_FINDING_LENGTH = 2000;
const INTERRUPTED = 'The run was interrupted.';

export type RunOptions = {
  /** Default: all. Other scenarios are reported as not tried. */
  isChosen?: (scenario: Scenario) => boolean;
  onBegin?: (scenario: Scenario) => void;
  onEnd?: (report: ScenarioReport) => void;
};

/** Runs the chosen scenarios in order. Reports other scenarios, and all after an interruption, as not tried. */
export async function runAll(
  { isChosen = () => true, onBegin, onEnd }: RunOptions,
  trial: Trial,
  waitForCalls: () => Promise<void>,
  giveBack: () => Promise<void>,
): Promise<ScenarioReport[]> {
  const reports: ScenarioReport[] = [];
  for (const scenario of SCENARIOS) {
    if (!isChosen(scenario)) {
      reports.push(notTried(scenario, 'It was not chosen for this run.'));
      continue;
    }
    await waitForCalls().catch(() => undefined);
    if (trial.signal.aborted) {
      reports.push(notTried(scenario, INTERRUPTED));
      continue;
    }
    onBegin?.(scenario);
    const report = await runScenario(scenario, trial, giveBack);
    reports.push(report);
    onEnd?.(report);
  }
  return reports;
}

/** Runs a scenario, then cleans up. Rejects only if the runner itself fails. */
async function runScenario(scenario: Scenario, trial: Trial, giveBack: () => Promise<void>): Promise<ScenarioReport> {
  const startedAt = performance.now();
  const failure = await failureOf(() => untilInterrupted(scenario.run(trial), trial.signal));
  const report = reportOf(scenario, failure, trial);
  await giveBack();
  const finding = report.finding === null ? null : readable(report.finding);
  return { ...report, finding, duration_ms: Math.round(performance.now() - startedAt) };
}

/** Makes a finding printable and short: it may quote the integration. */
function readable(finding: string): string {
  const text = finding.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, '\u{fffd}');
  return text.length > MAX_FINDING_LENGTH ? `${text.slice(0, MAX_FINDING_LENGTH)}…` : text;
}

function notTried({ id, level, title }: Scenario, finding: string): ScenarioReport {
  return { id, level, title, outcome: 'not_tried', duration_ms: 0, finding, remedy: null };
}

function reportOf(scenario: Scenario, failure: Error | undefined, { signal, proxy }: Trial): ScenarioReport {
  const { id, level, title, remedy } = scenario;
  if (failure === undefined)
    return { id, level, title, outcome: 'passed', duration_ms: 0, finding: null, remedy: null };
  if (signal.aborted) return notTried(scenario, INTERRUPTED);
  if (failure instanceof NotTried) return notTried(scenario, failure.message);
  if (isNotRunning(failure)) return notTried(scenario, `The integration was not reached: ${failure.message}`);
  const unreached = proxy.calls.find((call) => call.unreached !== undefined);
  if (failure instanceof Finding && unreached !== undefined)
    return notTried(
      scenario,
      `The sandbox was not reached by the integration’s call ${unreached.operation ?? unreached.path}: ${unreached.unreached}.`,
    );
  if (failure instanceof Finding)
    return { id, level, title, outcome: 'failed', duration_ms: 0, finding: failure.message, remedy };
  if (failure instanceof PartnerApiError && WRONG_REPORT_CODES.has(failure.code)) {
    const finding = `The service contradicts the integration’s report: ${failure.message} (${failure.code})`;
    return { id, level, title, outcome: 'failed', duration_ms: 0, finding, remedy };
  }
  if (failure instanceof PartnerApiError)
    return notTried(
      scenario,
      `The sandbox rejected a call of the runner itself: ${failure.message} (${failure.code}, request ${failure.requestId ?? 'without an id'})`,
    );
  if (failure instanceof PartnerConnectionError)
    return notTried(scenario, 'The sandbox did not answer a call of the runner itself.');
  return notTried(scenario, `The runner itself failed: ${failure.message}. Please report it.`);
}

async function failureOf(work: () => Promise<void>): Promise<Error | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** Rejects when the signal aborts, even while `work` goes on. */
async function untilInterrupted(work: Promise<void>, signal: AbortSignal): Promise<void> {
  let interrupt = () => undefined as void;
  const interruption = new Promise<never>((_resolve, reject) => {
    interrupt = () => reject(new NotTried(INTERRUPTED));
    if (signal.aborted) interrupt();
    else signal.addEventListener('abort', interrupt, { once: true });
  });
  try {
    await Promise.race([work, interruption]);
  } finally {
    signal.removeEventListener('abort', interrupt);
    work.catch(() => undefined);
  }
}
