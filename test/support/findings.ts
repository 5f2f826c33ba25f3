import { appendFileSync } from 'node:fs';

/** Writes down a finding of an experiment for the script that runs its tier (scripts/experiments.ts). */
export function noteFinding(finding: object): void {
  const file = process.env['FINDINGS'];
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(finding)}\n`);
}
