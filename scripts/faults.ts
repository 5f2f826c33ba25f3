/**
 * `npm run test:faults`: kills, freezes and deceives a whole system of its own, as test/faults says, and prints what each
 * promise of docs/guarantees.md was found to be worth: how often it was tried, with which seed, how long it took. Fails where an
 * experiment does, or a promise was not tried. Takes up to 30 minutes on two cores.
 *
 * PROPERTY_SEED draws other histories and moments. With `--write`, the figures land in docs/evidence/guarantees.md. Further arguments
 * are given to jest, to run a part.
 */

import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { PROMISES } from '../test/faults/promises.ts';
import type { Finding } from '../test/faults/report.ts';
import { runExperiments } from './experiments.ts';
import { asMarkdown, asText } from './faults/table.ts';
import { withFigures } from './figures-in-page.ts';

const EVIDENCE = path.join(import.meta.dirname, '../docs/evidence/guarantees.md');
/** One after the other: what is measured must not be disturbed by another experiment. */
const EXPERIMENTS = ['test/faults', 'test/reservations/slot.race.test.ts', '--runInBand'];

const args = process.argv.slice(2);
const wanted = args.filter((each) => each !== '--write');
const { code, minutes, machine, ...found } = await runExperiments<Finding>(
  'faults',
  wanted.length > 0 ? wanted : EXPERIMENTS,
);
const findings = found.findings.toSorted((a, b) => a.promise - b.promise);
console.log(asText(findings));
const untried = Object.keys(PROMISES).filter((id) => !findings.some(({ promise }) => String(promise) === id));
const isWhole = wanted.length > 0 || untried.length === 0;
if (!isWhole) console.log(`Nothing was found out about: ${untried.join(', ')}`);
console.log(
  `${findings.length} experiments in ${minutes} min: ${code === 0 && isWhole ? 'every promise held' : 'there are faults, see above'}`,
);
if (args.includes('--write') && code === 0 && isWhole) {
  const text = await readFile(EVIDENCE, 'utf8');
  await writeFile(EVIDENCE, withFigures(text, 'faults', asMarkdown(findings, `${machine}, ${minutes} min in all`)));
}
process.exitCode = code === 0 && isWhole ? 0 : 1;
