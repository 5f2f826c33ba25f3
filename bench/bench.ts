/**
 * `npm run bench`: measures each path of the built service and the path's limit in one run. docs/performance.md
 * explains the rows; `--help` lists the options.
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
import { measuredSince } from './measured.ts';
import { openBench, say } from './open-bench.ts';
import type { Options } from './options.ts';
import { parseOptions, USAGE } from './options.ts';
import { projectFolder } from './processes.ts';
import { buildProduct } from './product/product.ts';
import { largestCosts } from './profile.ts';
import type { Report } from './report.ts';
import type { Bench } from './rows/row.ts';
import { ROWS } from './rows/rows.ts';
import { asTable } from './table.ts';

const PAGE = path.join(projectFolder, 'docs/evidence/performance.md');
const CHART = path.join(projectFolder, 'docs/performance.svg');

const WARM_CALLS = 1500;
const WARM_SECONDS = 12;

const cleanup = createCleanup();
const failed: string[] = [];
let profiled: string | undefined;

async function measure(options: Options): Promise<Report> {
  const { only, runs, seconds } = options;
  const beganAt = performance.now();
  say('Building the product ...');
  await buildProduct();
  say('Starting it ...');
  const bench = await openBench(options, cleanup.add);
  await warmUp(bench);
  const wanted = ROWS.filter(({ name }) => only.length === 0 || only.includes(name));
  const figures: Report['figures'] = {};
  for (const row of wanted) {
    const rowBeganAt = performance.now();
    try {
      await bench.product.runWorkers(row.workers);
      Object.assign(figures, await row.measure(bench));
      say(`${row.name}: ${((performance.now() - rowBeganAt) / 1000).toFixed(0)} s`);
    } catch (error) {
      // Measure the other rows; the run still fails.
      failed.push(row.name);
      say(`${row.name} FAILED: ${(error as Error).stack}`);
    }
  }
  const measured = measuredSince(beganAt);
  return {
    ...measured,
    machine: { ...measured.machine, memoryGb: Math.round(totalmem() / 1e9) },
    runs,
    seconds,
    figures,
    othersShare: bench.othersShare(),
  };
}

/** Calls the product before any row, so that no row measures the first calls of a process. */
async function warmUp(bench: Bench): Promise<void> {
  const { product, apiKeys, venue } = bench;
  const pace = { kind: 'count', count: WARM_CALLS, withinSeconds: WARM_SECONDS } as const;
  const params = { port: product.port, apiKeys, venue, first: bench.takeSlots(WARM_CALLS) };
  await bench.callProduct({ step: 'place-hold', params, pace });
}

async function main(options: Options): Promise<number> {
  const { from, json, chart, before: beforeFile, write, check } = options;
  profiled = options.profile;
  const before = beforeFile === undefined ? undefined : await readReport(beforeFile);
  const report = from === undefined ? await measure(options) : await readReport(from);
  if (json !== undefined) await writeFile(json, `${JSON.stringify(report, null, 2)}\n`);
  for (const file of [...(chart === undefined ? [] : [chart]), ...(write ? [CHART] : [])])
    await writeFile(file, asChart(report, before));
  if (write)
    await writeFile(PAGE, withFigures(await readFile(PAGE, 'utf8'), 'bench', `${asMarkdown(report, before)}\n`));
  console.log(asTable(report));
  if (failed.length > 0) say(`Not measured: ${failed.join(', ')}`);
  return failed.length > 0 || (check && missed(report).length > 0) ? 1 : 0;
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
    for (const line of profiled === undefined ? [] : await largestCosts(profiled)) say(line);
  }
}
process.exit(exitCode);
