import { CsvError, parse } from 'csv-parse/sync';
import type { Fault } from './file-content.ts';
import { faultOfFile } from './file-content.ts';

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

const ALL_COLUMNS: ReadonlySet<string> = new Set(['kind', ...Object.values(COLUMNS_OF).flat()]);

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

type Parsed = { record: string[]; raw: string };
type Line = { line: number; record: string[] };

/** A sheet as spreadsheets export it: commas, semicolons or tabs, quotes where needed, LF or CRLF, `sep=;` in front or not. */
export function readSheet(text: string): { rows: Cells[]; faults: Fault[] } {
  const [, separator, afterFirst] = /^sep=(.)\r?\n([^]*)$/.exec(text) ?? [];
  const body = afterFirst ?? text;
  const skipped = afterFirst === undefined ? 0 : 1;
  let lastLine = skipped;
  try {
    const lines = linesOf(body, separator ?? delimiterOf(body), skipped, (line) => {
      lastLine = line;
    });
    const [heading, ...rest] = lines;
    return heading === undefined
      ? { rows: [], faults: [faultOfFile('the file is empty')] }
      : rowsOf(heading, rest);
  } catch (err) {
    if (!(err instanceof CsvError)) throw err;
    const reason =
      err.code === 'CSV_QUOTE_NOT_CLOSED'
        ? 'a quote that opens here is never closed'
        : (err.message.split(':')[0] ?? '');
    return { rows: [], faults: [faultOfFile(`this is not CSV: ${reason}`, lastLine + 1)] };
  }
}

/** The one that the first line has most of. */
function delimiterOf(text: string): string {
  const [first = ''] = text.split('\n');
  const counted = [',', ';', '\t'].map((each) => ({ each, count: first.split(each).length }));
  return counted.toSorted((a, b) => b.count - a.count)[0]?.each ?? ',';
}

function linesOf(text: string, delimiter: string, skipped: number, onLine: (line: number) => void): Line[] {
  const lines: Line[] = [];
  parse(text, {
    ...{ delimiter, bom: true, trim: true, info: true, raw: true },
    ...{ skip_empty_lines: true, relax_column_count: true },
    on_record: (parsed: unknown, { lines: end }) => {
      const { record, raw } = parsed as Parsed;
      // `lines` is where the record ends; a cell may have line breaks in it.
      const line = end - (raw.trimEnd().split('\n').length - 1) + skipped;
      if (record.some((cell) => cell !== '')) lines.push({ line, record });
      onLine(end + skipped);
      return null;
    },
  });
  return lines;
}

function rowsOf(heading: Line, lines: readonly Line[]): { rows: Cells[]; faults: Fault[] } {
  const columns = heading.record.map((name) => name.toLowerCase().replaceAll(/\s+/g, '_'));
  const faults = headingFaults(heading, columns);
  if (faults.length > 0) return { rows: [], faults };
  const rows = lines.map(({ line, record }) => ({
    line,
    cells: Object.fromEntries(
      columns
        .map((column, index) => [column, record[index] ?? ''] as const)
        .filter(([, cell]) => cell !== ''),
    ),
  }));
  for (const { line, record } of lines) {
    if (record.slice(columns.length).every((cell) => cell === '')) continue;
    faults.push(
      faultOfFile(`has more cells than the first line: ${record.length}, not ${columns.length}`, line),
    );
  }
  return { rows, faults };
}

function headingFaults({ line }: Line, columns: readonly string[]): Fault[] {
  const named = columns.filter((column) => column !== '');
  const unknown = named.filter((column) => !ALL_COLUMNS.has(column));
  const repeated = named.filter((column, index) => named.indexOf(column) !== index);
  return [
    ...(named.includes('kind') && named.includes('venue')
      ? []
      : [faultOfFile('the first line must name the columns, including kind and venue', line)]),
    ...unknown.map((column) => ({ ...faultOfFile('is not a known column', line), path: column })),
    ...repeated.map((column) => ({
      ...faultOfFile('is the name of more than one column', line),
      path: column,
    })),
  ];
}
