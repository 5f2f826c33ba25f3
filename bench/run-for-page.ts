import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { withFigures } from '../scripts/figures-in-page.ts';
import { createCleanup } from '../src/development/cleanup.ts';
import { onStopSignal } from '../src/platform/stop-signals.ts';
import type { Measurement } from './measurement.ts';
import { measurementSince } from './measurement.ts';
import { count } from './options.ts';
import { projectFolder } from './processes.ts';
import { buildProduct } from './product/product.ts';
import type { Bench } from './rows/row.ts';

const FLAG = { type: 'boolean' } as const;

/** A benchmark that writes its figures into a page of docs/. */
export type PageBench<Report extends Measurement, Count extends string, Text extends string> = {
  /** Name of the markers around the figures in the page. */
  name: string;
  /** Path of the page; default `docs/evidence/scaling.md`. */
  page?: string;
  usage: string;
  /** Options that are whole numbers above 0, with their defaults. */
  counts: Record<Count, number>;
  /** Options that are strings. */
  texts: readonly Text[];
  /** @throws BenchUsageError if an option is invalid */
  measure: (
    options: Record<Count, number> & Partial<Record<Text, string>>,
    onStop: Bench['onStop'],
  ) => Promise<Omit<Report, keyof Measurement>>;
  asText: (report: Report) => string;
  asMarkdown: (report: Report) => string;
  isMissed: (report: Report) => boolean;
};

/** An option is invalid. The message names the option and its allowed values. */
export class BenchUsageError extends Error {}

/**
 * Builds and measures the product, prints the figures, and writes them for `--json` and `--write`. Exit code: 0; 1 if
 * the run failed or `--check` finds a missed goal; 2 if an option is invalid.
 */
export async function runForPage<Report extends Measurement, Count extends string, Text extends string>(
  bench: PageBench<Report, Count, Text>,
): Promise<never> {
  const cleanup = createCleanup();
  onStopSignal(() => void cleanup.run().then(() => process.exit(1)));
  let exitCode = 1;
  try {
    const { help, json, write, check, options } = parse(bench);
    if (help) {
      process.stdout.write(bench.usage);
      process.exit(0);
    }
    const beganAt = performance.now();
    await buildProduct();
    const figures = await bench.measure(options, cleanup.add);
    const report = { ...figures, ...measurementSince(beganAt) } as Report;
    console.log(bench.asText(report));
    if (json !== undefined) await writeFile(json, `${JSON.stringify(report, null, 2)}\n`);
    if (write) {
      const page = path.join(projectFolder, bench.page ?? 'docs/evidence/scaling.md');
      const text = await readFile(page, 'utf8');
      await writeFile(page, withFigures(text, bench.name, `${bench.asMarkdown(report)}\n`));
    }
    exitCode = check && bench.isMissed(report) ? 1 : 0;
  } catch (error) {
    const isUsage = error instanceof BenchUsageError;
    console.error(isUsage ? `${error.message}\n\n${bench.usage}` : (error as Error).stack);
    if (isUsage) exitCode = 2;
  } finally {
    await cleanup.run();
  }
  process.exit(exitCode);
}

function parse<Report extends Measurement, Count extends string, Text extends string>({
  counts,
  texts,
}: PageBench<Report, Count, Text>) {
  const names = Object.keys(counts) as Count[];
  const values = readArguments([...names, ...texts, 'json']);
  const text = (name: string): string | undefined => {
    const value = values[name];
    return typeof value === 'string' ? value : undefined;
  };
  const options = Object.fromEntries([
    ...names.map((name) => [name, asUsage(() => count(`--${name}`, text(name) ?? String(counts[name])))]),
    ...texts.map((name) => [name, text(name)]),
  ]) as Record<Count, number> & Partial<Record<Text, string>>;
  const [help, write, check] = ['help', 'write', 'check'].map((name) => values[name] === true);
  return { help, write, check, json: text('json'), options };
}

function readArguments(texts: readonly string[]): Record<string, unknown> {
  const options = Object.fromEntries(texts.map((name) => [name, { type: 'string' } as const]));
  return asUsage(() => parseArgs({ options: { ...options, write: FLAG, check: FLAG, help: FLAG } }).values);
}

function asUsage<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new BenchUsageError((error as Error).message);
  }
}
