// What a service of a given size needs, by figures that were measured: `npm run capacity -- --help`.

import { readFile } from 'node:fs/promises';
import type { Figures } from './capacity/model.ts';
import { capacityOf } from './capacity/model.ts';
import { parseOptions, USAGE, UsageError } from './capacity/options.ts';
import { asText } from './capacity/report.ts';

async function main(): Promise<number> {
  const options = parseOptions(process.argv.slice(2));
  if (options === 'help') {
    process.stdout.write(USAGE);
    return 0;
  }
  const { traffic, json } = options;
  const file = new URL('./capacity/figures.json', import.meta.url);
  const figures = JSON.parse(await readFile(file, 'utf8')) as Figures;
  const capacity = capacityOf(traffic, figures);
  const shown = json
    ? JSON.stringify({ traffic, ...capacity, measured: figures.measured, machine: figures.machine }, null, 2)
    : asText(capacity, traffic, figures);
  process.stdout.write(`${shown}\n`);
  return 0;
}

process.exitCode = await main().catch((err: unknown) => {
  if (!(err instanceof UsageError)) throw err;
  console.error(`capacity: ${err.message}\nSee npm run capacity -- --help`);
  return 2;
});
