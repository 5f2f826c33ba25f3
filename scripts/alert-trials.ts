/**
 * `npm run test:alerts`: kills, freezes, pauses and starves parts of real services, each watched by a real Prometheus with the rules of
 * deploy/prometheus, and prints after how many seconds each alert of docs/operations.md fired, and was over once the fault was
 * mended. Fails where one fires later than 60 s after its fault, or not, or stays. Takes some 12 minutes on two cores, and three more where
 * Prometheus is to be built.
 *
 * `--json FILE` writes the figures, `--write` puts them into docs/operations.md. Further arguments are given to jest, to run a part.
 */

import { spawn } from 'node:child_process';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { prometheusBinary } from '../test/alert-trials/prometheus.ts';
import { SLOW } from '../test/alert-trials/slow-rules.ts';
import type { TrialFinding } from '../test/alert-trials/trial.ts';
import { withFigures } from './figures-in-page.ts';

const root = path.resolve(import.meta.dirname, '..');
const FINDINGS = path.join(root, 'test-results/alert-trials.jsonl');
const OPERATIONS = path.join(root, 'docs/operations.md');

function runTrials(args: readonly string[]): Promise<number> {
  const jest = spawn(
    process.execPath,
    ['--experimental-vm-modules', 'node_modules/jest/bin/jest.js', ...args],
    {
      ...{ cwd: root, stdio: 'inherit' },
      env: { ...process.env, TEST_TIER: 'alerts', ALERT_FINDINGS: FINDINGS },
    },
  );
  return new Promise((resolve) => jest.once('close', (code) => resolve(code ?? 1)));
}

async function readFindings(): Promise<TrialFinding[]> {
  const lines = (await readFile(FINDINGS, 'utf8').catch(() => '')).split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line) as TrialFinding);
}

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
  return [`${'Alert'.padEnd(32)} ${'fires'.padStart(8)} ${'is over'.padStart(8)}  after`, ...rows].join('\n');
}

function asMarkdown(findings: readonly TrialFinding[], machine: string): string {
  const rows = findings.map((each) =>
    [nameOf(each), each.fault, seconds(each.firedAfter), seconds(each.clearedAfter)].join(' | '),
  );
  return [
    `Measured on ${machine}.`,
    '',
    '| Alert | Fault | Fires after | Over after |',
    '|---|---|---|---|',
    ...rows.map((row) => `| ${row} |`),
    '',
  ].join('\n');
}

const { values, positionals } = parseArgs({
  options: { write: { type: 'boolean', default: false }, json: { type: 'string' } },
  allowPositionals: true,
});
await prometheusBinary();
await mkdir(path.dirname(FINDINGS), { recursive: true });
await rm(FINDINGS, { force: true });
const beganAt = performance.now();
const code = await runTrials(positionals);
const keyOf = ({ alert, fault }: TrialFinding): string => `${alert} ${fault}`;
const findings = (await readFindings()).toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
const machine = `${cpus().length} cores, Node ${process.versions.node}, ${new Date().toISOString().slice(0, 10)}, ${((performance.now() - beganAt) / 60_000).toFixed(1)} min in all`;
console.log(`\n${asText(findings)}\n* by a window of one or two minutes instead of its own\n${machine}`);
if (values.json !== undefined)
  await writeFile(values.json, `${JSON.stringify({ machine, findings }, null, 2)}\n`);
if (values.write && code === 0 && positionals.length === 0) {
  const text = await readFile(OPERATIONS, 'utf8');
  await writeFile(OPERATIONS, withFigures(text, 'test:alerts', asMarkdown(findings, machine)));
}
process.exitCode = code;
