import { beforeEach } from '@jest/globals';
import { noteFinding } from '../support/findings.ts';
import type { PromiseId } from './promises.ts';

/** The finding of one experiment: a row in the table of `npm run test:faults`. */
export type Finding = {
  promise: PromiseId;
  /** What was done: `kill -9 of the API under load`. */
  experiment: string;
  /** How often or how much: `20 kills, 4,312 acknowledged calls`. */
  count: string;
  /** The result in figures: `0 lost, 3 deliveries repeated (0.07 %)`. */
  result: string;
  /** The random seed, which repeats the run. */
  seed?: number;
  tookMs: number;
};

/** When the running test began, by `performance.now()`. */
let testBeganAt = 0;
beforeEach(() => {
  testBeganAt = performance.now();
});

/** Reports a finding after its expectations have passed. It began at `beganAt`, or with its test. */
export function report({ beganAt = testBeganAt, ...finding }: Omit<Finding, 'tookMs'> & { beganAt?: number }): void {
  noteFinding({ ...finding, tookMs: Math.round(performance.now() - beganAt) } satisfies Finding);
}
