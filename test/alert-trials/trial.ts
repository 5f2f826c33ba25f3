import { setTimeout as delay } from 'node:timers/promises';
import type { AlertKind } from '../../src/operations/alerts/alert-types.ts';
import { eventually } from '../support/eventually.ts';
import { noteFinding } from '../support/findings.ts';
import type { Part, TrialSystem } from './trial-system.ts';

/** One fault, and the alerts that it must raise. To try another alert, add a row to one of the `*.trials.ts`. */
export type Trial = {
  /** Description of the fault: `hold expiry is killed`. */
  fault: string;
  /** The process or queue that the alerts must name, if they name any. */
  part?: Part;
  /** Alerts of Prometheus. */
  alerts: readonly string[];
  /** The service's own alerts. */
  kinds?: readonly AlertKind[];
  inflict: (system: TrialSystem) => Promise<unknown>;
  /** Ends the fault. Its consequences must disappear by themselves. */
  mend: (system: TrialSystem) => Promise<unknown>;
  /** How long the alerts may last after `mend`: the window of the rule, or for the service's own alerts a minute. */
  clearsWithinMs?: number;
};

/** One trial, or several concurrent ones whose faults do not affect each other's alerts. */
export type TrialRow = Trial | readonly Trial[];

/** When an alert fired and was over, in seconds after the fault began and after it was mended. */
export type TrialFinding = { alert: string; fault: string; firedAfter: number; clearedAfter: number };

const FIRES_WITHIN_MS = 60_000;
const POLL_MS = 500;
const JOB_PREFIX = 'partner-booking-';
/** Waits this much longer than allowed, so that a late alert is reported with its time. */
const PATIENCE_MS = 60_000;

/** Whether an alert of Prometheus or the service is raised now: for `part` if given, otherwise for any. */
async function isRaised(system: TrialSystem, alert: string, part: Part | undefined): Promise<boolean> {
  const isOfPart = (name: string | undefined) => part === undefined || name === undefined || name === part;
  if (alert.startsWith('Booking'))
    return (await system.prometheus.firing()).some(
      ({ alertname, job, queue }) => alertname === alert && isOfPart(queue ?? job?.replace(JOB_PREFIX, '')),
    );
  const open = await system.db
    .collection<{ subject: string | null }>('alerts')
    .find({ kind: alert, isOpen: true }, { maxTimeMS: 2000 })
    .toArray();
  return open.some(({ subject }) => isOfPart(subject ?? undefined));
}

/** Waits until every alert is raised, or until none is; returns the milliseconds for each alert. */
async function waitForAlerts(
  system: TrialSystem,
  { fault, part, alerts, kinds = [] }: Trial,
  shouldBeRaised: boolean,
  withinMs: number,
): Promise<number[]> {
  const beganAt = performance.now();
  const wait = async (alert: string) => {
    const what = `${alert} ${shouldBeRaised ? 'fires' : 'is over'} (${fault})`;
    await eventually(
      what,
      async () => {
        if ((await isRaised(system, alert, part)) === shouldBeRaised) return true;
        await delay(POLL_MS);
        return false;
      },
      withinMs,
    );
    return performance.now() - beganAt;
  };
  return Promise.all([...alerts, ...kinds].map(wait));
}

/** Causes the fault, waits for its alerts, mends it, and waits until they are over. Throws if a step takes too long. */
export async function runTrial(system: TrialSystem, trial: Trial): Promise<TrialFinding[]> {
  const all = [...trial.alerts, ...(trial.kinds ?? [])];
  await waitForAlerts(system, trial, false, 180_000);
  const beganAt = performance.now();
  let inflictedMs: number;
  let firedMs: number[];
  try {
    await trial.inflict(system);
    inflictedMs = performance.now() - beganAt;
    firedMs = await waitForAlerts(system, trial, true, FIRES_WITHIN_MS + PATIENCE_MS);
  } finally {
    await trial.mend(system);
  }
  const clearedMs = await waitForAlerts(system, trial, false, trial.clearsWithinMs ?? 120_000);
  const findings = all.map((alert, index) => ({
    alert,
    fault: trial.fault,
    firedAfter: Math.round((inflictedMs + (firedMs[index] ?? 0)) / 100) / 10,
    clearedAfter: Math.round((clearedMs[index] ?? 0) / 100) / 10,
  }));
  findings.forEach(noteFinding);
  const late = findings.filter(({ firedAfter }) => firedAfter * 1000 > FIRES_WITHIN_MS);
  if (late.length > 0) throw new Error(`Later than 60 s after the fault: ${JSON.stringify(late)}`);
  return findings;
}
