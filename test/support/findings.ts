import { appendFileSync } from 'node:fs';

/** Notes what an experiment found, for the script that runs its tier (scripts/experiments.ts). */
export function noteFinding(finding: object): void {
  const file = process.env['FINDINGS'];
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(finding)}\n`);
}
