import { parseArgs } from 'node:util';

export type Options = {
  /** Names of rows. Empty: all rows. */
  only: string[];
  json: string | undefined;
  chart: string | undefined;
  /** Print and draw the report in this file instead of measuring. */
  from: string | undefined;
  /** The file of an earlier report to compare with. */
  before: string | undefined;
  /** Update the figures in docs/evidence/performance.md and the chart docs/performance.svg. */
  write: boolean;
  /** A folder for a CPU profile of each process of the product. */
  profile: string | undefined;
  check: boolean;
  /** Past bookings in the rows `bookings` and `growth-kept`. */
  bookings: number;
  runs: number;
  seconds: number;
};

export const USAGE = `npm run bench -- [options]

  --only ROW,ROW   measures only these rows
  --runs N         measurements of each row; the median counts (3)
  --seconds N      duration of each measurement (2.5)
  --bookings N     past bookings in the rows bookings and growth-kept (50000)
  --json FILE      writes the figures
  --chart FILE     draws the ratios as SVG
  --from FILE      reads the figures that --json wrote instead of measuring
  --before FILE    figures of an earlier run, for the chart and the page
  --write          updates docs/evidence/performance.md and docs/performance.svg
  --profile FOLDER writes a CPU profile of each process, and prints its largest costs
  --check          exits with 1 if a figure misses its goal
`;

/** @throws Error that names the invalid option or unknown row */
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
