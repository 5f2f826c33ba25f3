/**
 * `npm run test:faults`: kills, freezes and deceives a whole system of its own, as test/faults says, and prints what each
 * promise of docs/guarantees.md was found to be worth: how often it was tried, with which seed, how long it took. Fails where an
 * experiment does, or a promise was not tried. Takes up to 30 minutes on two cores.
 *
 * PROPERTY_SEED draws other histories and moments. With `--write`, the figures land in docs/guarantees.md. Further arguments
 * are given to jest, to run a part.
 */

import { spawn } from 'node:child_process';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import path from 'node:path';
import { PROMISES } from '../test/faults/promises.ts';
import type { Finding } from '../test/faults/report.ts';
import { asMarkdown, asText } from './faults/table.ts';
import { withFigures } from './figures-in-page.ts';

const root = path.resolve(import.meta.dirname, '..');
const FINDINGS = path.join(root, 'test-results/faults.jsonl');
const GUARANTEES = path.join(root, 'docs/guarantees.md');
/** One after the other: what is measured must not be disturbed by another experiment. */
const EXPERIMENTS = ['test/faults', 'test/reservations/slot.race.test.ts', '--runInBand'];

function runExperiments(args: readonly string[]): Promise<number> {
  const jest = spawn(
    process.execPath,
    ['--experimental-vm-modules', 'node_modules/jest/bin/jest.js', ...(args.length > 0 ? args : EXPERIMENTS)],
    { cwd: root, stdio: 'inherit', env: { ...process.env, TEST_TIER: 'faults', FAULT_FINDINGS: FINDINGS } },
  );
  return new Promise((resolve) => jest.once('close', (code) => resolve(code ?? 1)));
}

async function readFindings(): Promise<Finding[]> {
  const lines = (await readFile(FINDINGS, 'utf8').catch(() => '')).split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line) as Finding).toSorted((a, b) => a.promise - b.promise);
}

const args = process.argv.slice(2);
const wanted = args.filter((each) => each !== '--write');
await mkdir(path.dirname(FINDINGS), { recursive: true });
await rm(FINDINGS, { force: true });
const beganAt = performance.now();
const code = await runExperiments(wanted);
const minutes = ((performance.now() - beganAt) / 60_000).toFixed(1);
const findings = await readFindings();
console.log(asText(findings));
const untried = Object.keys(PROMISES).filter((id) => !findings.some(({ promise }) => String(promise) === id));
const isWhole = wanted.length > 0 || untried.length === 0;
if (!isWhole) console.log(`Nothing was found out about: ${untried.join(', ')}`);
console.log(
  `${findings.length} experiments in ${minutes} min: ${code === 0 && isWhole ? 'every promise held' : 'there are faults, see above'}`,
);
const machine = `${cpus().length} cores, Node ${process.versions.node}, ${new Date().toISOString().slice(0, 10)}, ${minutes} min in all`;
if (args.includes('--write') && code === 0 && isWhole) {
  const text = await readFile(GUARANTEES, 'utf8');
  await writeFile(GUARANTEES, withFigures(text, 'test:faults', asMarkdown(findings, machine)));
}
process.exitCode = code === 0 && isWhole ? 0 : 1;
