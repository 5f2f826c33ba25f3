/**
 * `node --import tsx scripts/alert-trials.ts [--write] [jest arguments]`: measures the alerts of docs/operations.md.
 * Kills, freezes, pauses and starves parts of real services, which a real Prometheus watches with the rules of
 * deploy/prometheus. Prints how many seconds after the fault each alert fires, and how many seconds after the repair it
 * clears. Fails if an alert takes longer than 60 s, never fires or never clears. Takes about 12 minutes on two cores,
 * and three more to build Prometheus.
 *
 * `--write` updates docs/evidence/alerts.md. Jest arguments select a part.
 */

import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { prometheusBinary } from '../test/alert-trials/prometheus.ts';
import { SLOW } from '../test/alert-trials/slow-rules.ts';
import type { TrialFinding } from '../test/alert-trials/trial.ts';
import { runExperiments } from './experiments.ts';
import { withFigures } from './figures-in-page.ts';

const EVIDENCE = path.join(import.meta.dirname, '../docs/evidence/alerts.md');

const seconds = (value: number): string => `${value.toFixed(1)} s`;
const nameOf = ({ alert }: TrialFinding): string => `${alert}${alert in SLOW ? ' *' : ''}`;

function asText(findings: readonly TrialFinding[]): string {
  const rows = findings.map((each) =>
    [
      nameOf(each).padEnd(32),
      seconds(each.firedAfter).padStart(8),
      seconds(each.clearedAfter).padStart(8),
      ` ${each.fault}`,
    ].join(' '),
  );
  return [`${'Alert'.padEnd(32)} ${'fires'.padStart(8)} ${'clears'.padStart(8)}  after`, ...rows].join('\n');
}

function asMarkdown(findings: readonly TrialFinding[], machine: string): string {
  const rows = findings.map((each) =>
    [nameOf(each), each.fault, seconds(each.firedAfter), seconds(each.clearedAfter)].join(' | '),
  );
  return [
    `Measured on ${machine}.`,
    '',
    '| Alert | Fault | Fires after | Clears after |',
    '|---|---|---|---|',
    ...rows.map((row) => `| ${row} |`),
    '',
  ].join('\n');
}

const args = process.argv.slice(2);
const jestArguments = args.filter((each) => each !== '--write');
await prometheusBinary();
const { code, minutes, machine, ...experiments } = await runExperiments<TrialFinding>('alerts', jestArguments);
const keyOf = ({ alert, fault }: TrialFinding): string => `${alert} ${fault}`;
const findings = experiments.findings.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
const measuredOn = `${machine}, ${minutes} min in all`;
console.log(`\n${asText(findings)}\n* with a window of one or two minutes instead of its own\n${measuredOn}`);
if (args.includes('--write') && code === 0 && jestArguments.length === 0) {
  const text = await readFile(EVIDENCE, 'utf8');
  await writeFile(EVIDENCE, withFigures(text, 'alert-trials', asMarkdown(findings, measuredOn)));
}
process.exitCode = code;
