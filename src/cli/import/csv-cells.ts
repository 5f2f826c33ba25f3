import type { Fault } from './file-content.ts';

/** What the cells of a row are about, by its kind; the first names it, those before the others say where it belongs. */
export const COLUMNS_OF = {
  venue: ['venue', 'city', 'address', 'time_zone', 'status'],
  resource: [
    ...['venue', 'city', 'resource', 'resource_type', 'sport_category', 'duration_minutes', 'price_rupees'],
    ...['operating_hours_start', 'operating_hours_end', 'shares_space_with', 'status'],
  ],
  schedule: ['venue', 'city', 'resource', 'days_of_week', 'date', 'hours'],
  price_rule: [
    ...['venue', 'city', 'resource', 'price_rule', 'price_rupees', 'multiplier', 'days_of_week'],
    ...['start_time', 'end_time', 'from_date', 'to_date', 'priority'],
  ],
} as const;

export type Kind = keyof typeof COLUMNS_OF;
export const KINDS = Object.keys(COLUMNS_OF) as Kind[];

export const ALL_COLUMNS: ReadonlySet<string> = new Set(['kind', ...Object.values(COLUMNS_OF).flat()]);

/** A row of the sheet: its cells that are not empty, by column. */
export type Cells = { line: number; cells: Readonly<Record<string, string>> };

const NUMBERS = new Set(['duration_minutes', 'price_rupees', 'multiplier', 'priority']);
const TIMES = new Set(['operating_hours_start', 'operating_hours_end', 'start_time', 'end_time']);
const LISTS = new Set(['shares_space_with', 'days_of_week']);

/** The value that a cell stands for; text that cannot be one stays, for the schema to say what is wrong with it. */
export function valueOf(column: string, cell: string): unknown {
  if (NUMBERS.has(column)) return /^-?\d+(\.\d+)?$/.test(cell) ? Number(cell) : cell;
  if (TIMES.has(column)) return timeOf(cell);
  return LISTS.has(column) ? listIn(cell, column) : cell;
}

/** Spreadsheets drop the first zero of 06:00, and some add seconds. */
function timeOf(cell: string): string {
  const [, hours = '', minutes] = /^(\d?\d):(\d\d)(?::00)?$/.exec(cell) ?? [];
  return minutes === undefined ? cell : `${hours.padStart(2, '0')}:${minutes}`;
}

/** Names may have commas in them, days cannot. */
export function listIn(cell: string, column: string): string[] {
  const items = cell.split(column === 'shares_space_with' ? '|' : /[|,;\s]+/).map((item) => item.trim());
  const named = items.filter((item) => item !== '');
  return column === 'days_of_week' ? named.map((item) => item.toLowerCase()) : named;
}

type Opening = { start: string; end: string };

/** `06:00-12:00|16:00-23:00`, or `closed`; undefined where it is neither. */
export function openingsIn(cell: string): Opening[] | undefined {
  if (cell.toLowerCase() === 'closed') return [];
  const openings = cell.split(/[|,;]/).map((part) => /^\s*([\d:]+)\s*[-–]\s*([\d:]+)\s*$/.exec(part));
  if (openings.some((opening) => opening === null)) return undefined;
  return openings.map((opening) => ({ start: timeOf(opening?.[1] ?? ''), end: timeOf(opening?.[2] ?? '') }));
}

/** What a row is called in a message. */
export function subjectOf({ cells }: Cells): string {
  return [cells['venue'], cells['resource'], cells['price_rule']]
    .filter((name) => name !== undefined)
    .join(' / ');
}

export const faultIn = (row: Cells, path: string, message: string): Fault => ({
  ...{ line: row.line, subject: subjectOf(row), path, message },
});
