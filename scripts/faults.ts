/**
 * `npm run test:faults -- [--write] [jest arguments]`: tests each promise of docs/guarantees.md. Starts whole systems
 * and injects faults (test/faults), and prints for each promise the result, the number of tries, the seed and the
 * duration. Fails if an experiment fails or a promise was not tried. Takes some 45 minutes on two cores.
 *
 * PROPERTY_SEED draws other histories. `--write` updates docs/evidence/guarantees.md. Jest arguments select a part.
 */

import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { PROMISES } from '../test/faults/promises.ts';
import type { Finding } from '../test/faults/report.ts';
import { runExperiments } from './experiments.ts';
import { asMarkdown, asText } from './faults/table.ts';
import { withFigures } from './figures-in-page.ts';

const EVIDENCE = path.join(import.meta.dirname, '../docs/evidence/guarantees.md');
/** Run one suite at a time: a concurrent experiment would disturb the measurements. */
const EXPERIMENTS = ['test/faults', 'test/reservations/slot.race.test.ts', '--runInBand'];

const args = process.argv.slice(2);
const jestArguments = args.filter((each) => each !== '--write');
const { code, minutes, machine, ...experiments } = await runExperiments<Finding>(
  'faults',
  jestArguments.length > 0 ? jestArguments : EXPERIMENTS,
);
const findings = experiments.findings.toSorted((a, b) => a.promise - b.promise);
console.log(asText(findings));
const untriedPromises = Object.keys(PROMISES).filter((id) => !findings.some(({ promise }) => String(promise) === id));
const isComplete = jestArguments.length > 0 || untriedPromises.length === 0;
if (!isComplete) console.log(`Promises not tried: ${untriedPromises.join(', ')}`);
console.log(
  `${findings.length} experiments in ${minutes} min: ${code === 0 && isComplete ? 'every promise held' : 'some failed, see above'}`,
);
if (args.includes('--write') && code === 0 && isComplete) {
  const text = await readFile(EVIDENCE, 'utf8');
  await writeFile(EVIDENCE, withFigures(text, 'faults', asMarkdown(findings, `${machine}, ${minutes} min in all`)));
}
process.exitCode = code === 0 && isComplete ? 0 : 1;
