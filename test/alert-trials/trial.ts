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
  of?: Part;
  /** Alerts of Prometheus. */
  alerts: readonly string[];
  /** The service's own alerts. */
  kinds?: readonly AlertKind[];
  inflict: (system: TrialSystem) => Promise<unknown>;
  /** Ends only the fault; its consequences must disappear by themselves. */
  mend: (system: TrialSystem) => Promise<unknown>;
  /** Time until all alerts are over: the windows of Prometheus's rules, or a calm minute for the service's. */
  clearsWithinMs?: number;
};

/** One trial, or several concurrent ones whose faults do not affect each other's alerts. */
export type TrialRow = Trial | readonly Trial[];

/** Result of one alert in a trial, in seconds since the fault began or was mended. */
export type TrialFinding = { alert: string; fault: string; firedAfter: number; clearedAfter: number };

const FIRES_WITHIN_MS = 60_000;
const POLL_MS = 500;
const JOB_PREFIX = 'partner-booking-';
/** Waits this much longer than allowed, to report the measured time. */
const PATIENCE_MS = 60_000;

/** Whether an alert of Prometheus or the service is raised now, for any process or queue or only for `of`. */
async function isRaised(system: TrialSystem, alert: string, of: Part | undefined): Promise<boolean> {
  const isOfIt = (name: string | undefined) => of === undefined || name === undefined || name === of;
  if (alert.startsWith('Booking'))
    return (await system.prometheus.firing()).some(
      ({ alertname, job, queue }) => alertname === alert && isOfIt(queue ?? job?.replace(JOB_PREFIX, '')),
    );
  const open = await system.db
    .collection<{ subject: string | null }>('alerts')
    .find({ kind: alert, isOpen: true }, { maxTimeMS: 2000 })
    .toArray();
  return open.some(({ subject }) => isOfIt(subject ?? undefined));
}

/** Waits until every alert is raised, or until none is; returns the milliseconds for each. */
async function until(
  system: TrialSystem,
  { fault, of, alerts, kinds = [] }: Trial,
  raised: boolean,
  withinMs: number,
): Promise<number[]> {
  const beganAt = performance.now();
  const wait = async (alert: string) => {
    const what = `${alert} ${raised ? 'fires' : 'is over'}, where ${fault}`;
    await eventually(
      what,
      async () => {
        if ((await isRaised(system, alert, of)) === raised) return true;
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
  await until(system, trial, false, 180_000);
  const beganAt = performance.now();
  let tookMs: number;
  let fired: number[];
  try {
    await trial.inflict(system);
    tookMs = performance.now() - beganAt;
    fired = await until(system, trial, true, FIRES_WITHIN_MS + PATIENCE_MS);
  } finally {
    await trial.mend(system);
  }
  const cleared = await until(system, trial, false, trial.clearsWithinMs ?? 120_000);
  const findings = all.map((alert, index) => ({
    alert,
    fault: trial.fault,
    firedAfter: Math.round((tookMs + (fired[index] ?? 0)) / 100) / 10,
    clearedAfter: Math.round((cleared[index] ?? 0) / 100) / 10,
  }));
  findings.forEach(noteFinding);
  const late = findings.filter(({ firedAfter }) => firedAfter * 1000 > FIRES_WITHIN_MS);
  if (late.length > 0) throw new Error(`Later than 60 s after the fault: ${JSON.stringify(late)}`);
  return findings;
}
