import { appendFileSync, mkdirSync } from 'node:fs';
import path from 'node:path';
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
  /** Where chance was drawn from one; it repeats the run. */
  seed?: number;
  tookMs: number;
};

/** Where the findings of a run are collected, a line of JSON each; only `npm run test:faults` asks for it. */
const FINDINGS = process.env['FAULT_FINDINGS'];

/** Notes what an experiment found, once what it must hold has been expected. Times are those of `performance.now()`. */
export function report({ beganAt, ...finding }: Omit<Finding, 'tookMs'> & { beganAt: number }): void {
  if (FINDINGS === undefined) return;
  mkdirSync(path.dirname(FINDINGS), { recursive: true });
  const row: Finding = { ...finding, tookMs: Math.round(performance.now() - beganAt) };
  appendFileSync(FINDINGS, `${JSON.stringify(row)}\n`);
}
