import { parseArgs } from 'node:util';

export type Options = {
  /** Names of rows; empty: all. */
  only: string[];
  json: string | undefined;
  chart: string | undefined;
  /** Print and draw the report in this file, and measure nothing. */
  from: string | undefined;
  /** An earlier report, to stand beside this one. */
  before: string | undefined;
  /** Put figures into docs/evidence/performance.md, and the chart beside docs/performance.md. */
  write: boolean;
  /** A folder for a processor profile of each process of the product. */
  profile: string | undefined;
  check: boolean;
  /** Bookings of the past in the rows that have many. */
  bookings: number;
  runs: number;
  seconds: number;
};

export const USAGE = `npm run bench -- [options]

  --only ROW,ROW   these rows alone
  --runs N         how often everything is measured; its median counts (3)
  --seconds N      how long each run is measured (2.5)
  --bookings N     how many there are in rows that have many (50000)
  --json FILE      writes the figures
  --chart FILE     draws the ratios as SVG
  --from FILE      measures nothing: takes the figures that --json wrote
  --before FILE    figures of an earlier run, for the chart and the page
  --write          puts figures into docs/evidence/performance.md, and the chart into docs/
  --profile FOLDER a processor profile of each process, and its largest costs
  --check          exits with 1 where a figure misses its goal
`;

/** @throws Error in words for people */
export function parseOptions(args: readonly string[], rowNames: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: 'string' },
      runs: { type: 'string', default: '3' },
      seconds: { type: 'string', default: '2.5' },
      bookings: { type: 'string', default: '50000' },
      json: { type: 'string' },
      chart: { type: 'string' },
      from: { type: 'string' },
      profile: { type: 'string' },
      before: { type: 'string' },
      write: { type: 'boolean', default: false },
      check: { type: 'boolean', default: false },
    },
  });
  const only = (values.only ?? '').split(',').filter((name) => name !== '');
  const unknown = only.filter((name) => !rowNames.includes(name));
  if (unknown.length > 0)
    throw new Error(`There is no row ${unknown.join(', ')}. The rows are ${rowNames.join(', ')}.`);
  const { json, chart, from, before, write, profile, check } = values;
  const [runs, bookings] = [count('--runs', values.runs), count('--bookings', values.bookings)];
  const seconds = positive('--seconds', values.seconds);
  return { only, json, chart, from, before, write, profile, check, bookings, runs, seconds };
}

export function count(name: string, text: string): number {
  const value = positive(name, text);
  if (!Number.isInteger(value)) throw new Error(`${name} must be a whole number`);
  return value;
}

function positive(name: string, text: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new Error(`${name} must be a number above 0, and is ${text}`);
  return value;
}
