// Estimates from measured figures what a given traffic needs: `node --import tsx scripts/capacity.ts --help`.

import { readFile } from 'node:fs/promises';
import type { Figures } from './capacity/model.ts';
import { capacityOf } from './capacity/model.ts';
import { parseOptions } from './capacity/options.ts';
import { asText } from './capacity/report.ts';

const { traffic, json } = parseOptions(process.argv.slice(2));
const file = new URL('./capacity/figures.json', import.meta.url);
const figures = JSON.parse(await readFile(file, 'utf8')) as Figures;
const { measured, machine } = figures;
const capacity = capacityOf(traffic, figures);
console.log(
  json ? JSON.stringify({ traffic, ...capacity, measured, machine }, null, 2) : asText(capacity, traffic, figures),
);
