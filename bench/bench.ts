/**
 * `npm run bench`: measures each path of the built service and, in the same run, the limit that the path is compared
 * with. docs/performance.md explains the rows; `--help` lists the options.
 */

import { readFile, writeFile } from 'node:fs/promises';
import { totalmem } from 'node:os';
import path from 'node:path';
import { withFigures } from '../scripts/figures-in-page.ts';
import { createCleanup } from '../src/development/cleanup.ts';
import { onStopSignal } from '../src/platform/stop-signals.ts';
import { asChart } from './chart.ts';
import { missed } from './goals.ts';
import { asMarkdown } from './markdown.ts';
import { measurementSince } from './measurement.ts';
import { openBench, say } from './open-bench.ts';
import type { Options } from './options.ts';
import { parseOptions, USAGE } from './options.ts';
import { projectFolder } from './processes.ts';
import { buildProduct } from './product/product.ts';
import { largestCosts } from './profile.ts';
import type { Report } from './report.ts';
import { freshSlots } from './rows/place-holds.ts';
import type { Bench } from './rows/row.ts';
import { ROWS } from './rows/rows.ts';
import { asTable } from './table.ts';

const PAGE = path.join(projectFolder, 'docs/evidence/performance.md');
const CHART = path.join(projectFolder, 'docs/performance.svg');

const WARM_CALLS = 1500;
const WARM_SECONDS = 12;

const cleanup = createCleanup();
const failedRows: string[] = [];
let profileFolder: string | undefined;

async function measure(options: Options): Promise<Report> {
  const { only, runs, seconds } = options;
  const beganAt = performance.now();
  say('Building the product ...');
  await buildProduct();
  say('Starting it ...');
  const bench = await openBench(options, cleanup.add);
  await warmUp(bench);
  const rows = ROWS.filter(({ name }) => only.length === 0 || only.includes(name));
  const figures: Report['figures'] = {};
  for (const row of rows) {
    const rowBeganAt = performance.now();
    try {
      await bench.product.runWorkers(row.workers);
      Object.assign(figures, await row.measure(bench));
      say(`${row.name}: ${((performance.now() - rowBeganAt) / 1000).toFixed(0)} s`);
    } catch (error) {
      // Measure the other rows; the run still fails.
      failedRows.push(row.name);
      say(`${row.name} FAILED: ${(error as Error).stack}`);
    }
  }
  const measurement = measurementSince(beganAt);
  return {
    ...measurement,
    machine: { ...measurement.machine, memoryGb: Math.round(totalmem() / 1e9) },
    runs,
    seconds,
    figures,
    othersShare: bench.othersShare(),
  };
}

/** Calls the product before the rows: the first calls of a process are slow. */
async function warmUp(bench: Bench): Promise<void> {
  const pace = { kind: 'count', count: WARM_CALLS, withinSeconds: WARM_SECONDS } as const;
  await bench.callProduct({ step: 'place-hold', params: freshSlots(bench, WARM_CALLS), pace });
}

async function main(options: Options): Promise<number> {
  const { from, json, chart, before: beforeFile, write, check } = options;
  profileFolder = options.profile;
  const before = beforeFile === undefined ? undefined : await readReport(beforeFile);
  const report = from === undefined ? await measure(options) : await readReport(from);
  if (json !== undefined) await writeFile(json, `${JSON.stringify(report, null, 2)}\n`);
  for (const file of [chart, write ? CHART : undefined])
    if (file !== undefined) await writeFile(file, asChart(report, before));
  if (write)
    await writeFile(PAGE, withFigures(await readFile(PAGE, 'utf8'), 'bench', `${asMarkdown(report, before)}\n`));
  console.log(asTable(report));
  if (failedRows.length > 0) say(`Not measured: ${failedRows.join(', ')}`);
  return failedRows.length > 0 || (check && missed(report).length > 0) ? 1 : 0;
}

async function readReport(file: string): Promise<Report> {
  return JSON.parse(await readFile(file, 'utf8')) as Report;
}

let exitCode = 1;
onStopSignal(() => void cleanup.run().then(() => process.exit(1)));
if (process.argv.includes('--help')) {
  console.log(USAGE);
  exitCode = 0;
} else {
  try {
    exitCode = await main(
      parseOptions(
        process.argv.slice(2),
        ROWS.map(({ name }) => name),
      ),
    );
  } catch (error) {
    console.error((error as Error).stack);
  } finally {
    await cleanup.run();
    if (profileFolder !== undefined) for (const line of await largestCosts(profileFolder)) say(line);
  }
}
process.exit(exitCode);
