import { appendFileSync } from 'node:fs';

/** Passes a finding of an experiment to the script that runs the experiments (scripts/experiments.ts). */
export function noteFinding(finding: object): void {
  const file = process.env['FINDINGS'];
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(finding)}\n`);
}
