import { appendFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { AlertKind } from '../../src/alerts/alert-types.ts';
import { eventually } from '../support/eventually.ts';
import type { TrialSystem } from './trial-system.ts';

/** One fault, and the alerts that it must raise. To try another alert, add a row to one of the `*.trials.ts`. */
export type Trial = {
  /** What is done: `hold expiry is killed`. */
  fault: string;
  /** Alerts of Prometheus. */
  alerts: readonly string[];
  /** The service's own. */
  kinds?: readonly AlertKind[];
  inflict: (system: TrialSystem) => Promise<unknown>;
  /** Only ends the fault: whatever it has led to must mend itself. */
  mend: (system: TrialSystem) => Promise<unknown>;
  /** How long it may take until all are over: those of Prometheus by the windows of their rules, own ones have to be calm for a minute. */
  clearsWithinMs?: number;
};

/** What came of one alert in one trial, in seconds since the fault was made, or mended. */
export type TrialFinding = { alert: string; fault: string; firedAfter: number; clearedAfter: number };

const FIRES_WITHIN_MS = 60_000;
const FINDINGS = process.env['ALERT_FINDINGS'];
const POLL_MS = 500;
/** So long the deadline of a wait goes on beyond what is allowed, so that the figure is told rather than that there is none. */
const PATIENCE_MS = 60_000;

/** Whether an alert, of either side, is raised now. */
async function isRaised(system: TrialSystem, alert: string): Promise<boolean> {
  if (alert.startsWith('Booking')) return (await system.prometheus.firing()).has(alert);
  const found = await system.db
    .collection('alerts')
    .findOne({ kind: alert, isOpen: true }, { maxTimeMS: 2000 });
  return found !== null;
}

/** Waits until every alert is raised, or none; returns after how many milliseconds each was. */
async function until(
  system: TrialSystem,
  alerts: readonly string[],
  raised: boolean,
  withinMs: number,
): Promise<number[]> {
  const beganAt = performance.now();
  const wait = async (alert: string) => {
    const what = `${alert} ${raised ? 'fires' : 'is over'}`;
    await eventually(
      what,
      async () => {
        if ((await isRaised(system, alert)) === raised) return true;
        await delay(POLL_MS);
        return false;
      },
      withinMs,
    );
    return performance.now() - beganAt;
  };
  return Promise.all(alerts.map(wait));
}

/** Makes the fault, waits for its alerts, mends it, and waits until they are over. Throws where one of that takes too long. */
export async function runTrial(system: TrialSystem, trial: Trial): Promise<TrialFinding[]> {
  const all = [...trial.alerts, ...(trial.kinds ?? [])];
  await until(system, all, false, 180_000);
  const beganAt = performance.now();
  let tookMs: number;
  let fired: number[];
  try {
    await trial.inflict(system);
    tookMs = performance.now() - beganAt;
    fired = await until(system, all, true, FIRES_WITHIN_MS + PATIENCE_MS);
  } finally {
    await trial.mend(system);
  }
  const cleared = await until(system, all, false, trial.clearsWithinMs ?? 120_000);
  const findings = all.map((alert, index) => ({
    ...{ alert, fault: trial.fault },
    firedAfter: Math.round((tookMs + (fired[index] ?? 0)) / 100) / 10,
    clearedAfter: Math.round((cleared[index] ?? 0) / 100) / 10,
  }));
  if (FINDINGS !== undefined)
    for (const finding of findings) appendFileSync(FINDINGS, `${JSON.stringify(finding)}\n`);
  const late = findings.filter(({ firedAfter }) => firedAfter * 1000 > FIRES_WITHIN_MS);
  if (late.length > 0) throw new Error(`Later than 60 s after the fault: ${JSON.stringify(late)}`);
  return findings;
}
