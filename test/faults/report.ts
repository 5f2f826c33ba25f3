import { noteFinding } from '../support/findings.ts';
import type { PromiseId } from './promises.ts';

/** What one experiment found; a row of the table of `npm run test:faults`. */
export type Finding = {
  promise: PromiseId;
  /** What was done: `kill -9 of the API under load`. */
  experiment: string;
  /** How often or how much: `20 kills, 4,312 acknowledged calls`. */
  count: string;
  /** What came of it, in figures: `0 lost, 3 deliveries repeated (0.07 %)`. */
  result: string;
  /** The random seed, which repeats the run. */
  seed?: number;
  tookMs: number;
};

/** Notes what an experiment found, once what it must hold has been expected. Times are those of `performance.now()`. */
export function report({ beganAt, ...finding }: Omit<Finding, 'tookMs'> & { beganAt: number }): void {
  noteFinding({ ...finding, tookMs: Math.round(performance.now() - beganAt) } satisfies Finding);
}
