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

/** What a row is called in a message. */
export function subjectOf({ cells }: Cells): string {
  return [cells['venue'], cells['resource'], cells['price_rule']]
    .filter((name) => name !== undefined)
    .join(' / ');
}

export const faultIn = (row: Cells, path: string, message: string): Fault => ({
  ...{ line: row.line, subject: subjectOf(row), path, message },
});

type Line = { line: number; record: string[] };
type Sheet = { rows: Cells[]; separator: string; faults: Fault[] };

/** A first line in which Excel is told what separates the cells. */
const SEPARATOR = /^\s*"?sep=(.)"?[^\S\n]*\n/i;

/** A sheet as spreadsheets export it: commas, semicolons or tabs, quotes where needed, LF or CRLF, `sep=;` in front or not. */
export function readSheet(text: string): Sheet {
  const [heading = '', named] = SEPARATOR.exec(text) ?? [];
  const body = text.slice(heading.length);
  const separator = named ?? separatorOf(body);
  const lineAt = lineCounter(Buffer.from(body), linesIn(heading));
  try {
    const [columns, ...lines] = linesOf(body, separator, lineAt);
    if (columns === undefined) return { rows: [], separator, faults: [faultOfFile('the file is empty')] };
    return { ...rowsOf(columns, lines), separator };
  } catch (err) {
    if (!(err instanceof CsvError)) throw err;
    const reason = NOT_CSV[err.code] ?? 'this record cannot be read';
    const fault = faultOfFile(`this is not CSV: ${reason}`, lineAt.next());
    return { rows: [], separator, faults: [fault] };
  }
}

const BEHIND_QUOTE = 'there is text behind a closing quote. Within quotes, write a quote as two.';
const NOT_CSV: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'a quote that opens here is never closed',
  CSV_INVALID_CLOSING_QUOTE: BEHIND_QUOTE,
  CSV_NON_TRIMABLE_CHAR_AFTER_CLOSING_QUOTE: BEHIND_QUOTE,
  INVALID_OPENING_QUOTE:
    'there is a quote within a cell. Put the cell in quotes, and write the quote as two.',
};

/** The one that the first line has most of. */
function separatorOf(text: string): string {
  const [first = ''] = text.trimStart().split('\n');
  const counted = [',', ';', '\t'].map((each) => ({ each, count: first.split(each).length }));
  return counted.toSorted((a, b) => b.count - a.count)[0]?.each ?? ',';
}

const linesIn = (text: string): number => text.match(/\r\n?|\n/g)?.length ?? 0;

type LineCounter = {
  /** The line in which the record begins that ends before this byte; the records in their order. */
  ofRecordTo(end: number): number;
  /** The line in which the record after those begins. */
  next(): number;
};

/** Counts lines by where records end: csv-parse's own count takes a CRLF within a cell for two. */
function lineCounter(bytes: Buffer, skipped: number): LineCounter {
  let line = 1 + skipped;
  let position = 0;
  const passTo = (end: number): void => {
    line += linesIn(bytes.toString('latin1', position, end));
    position = end;
  };
  const skipBlank = (end: number): number => {
    const text = bytes.toString('latin1', position, end);
    const [blank = ''] = /^(?:[^\S\r\n]*(?:\r\n?|\n))*/.exec(text) ?? [];
    passTo(position + blank.length);
    return line;
  };
  return {
    next: () => skipBlank(bytes.length),
    ofRecordTo(end) {
      const first = skipBlank(end);
      passTo(end);
      return first;
    },
  };
}

function linesOf(text: string, delimiter: string, lineAt: LineCounter): Line[] {
  const lines: Line[] = [];
  parse(text, {
    ...{ delimiter, bom: true, trim: true, skip_empty_lines: true, relax_column_count: true },
    on_record: (record: string[], { bytes }) => {
      const line = lineAt.ofRecordTo(bytes);
      if (record.some((cell) => cell !== '')) lines.push({ line, record });
      return null;
    },
  });
  return lines;
}

function rowsOf(heading: Line, lines: readonly Line[]): Omit<Sheet, 'separator'> {
  const columns = heading.record.map((name) => name.trim().toLowerCase().replaceAll(/\s+/g, '_'));
  const faults = [...headingFaults(heading, columns), ...unnamedColumns(heading, columns, lines)];
  if (faults.length > 0) return { rows: [], faults };
  const rows = lines.map(({ line, record }) => ({
    line,
    cells: Object.fromEntries(
      columns
        .map((column, index) => [column, spaced(column, record[index] ?? '')] as const)
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

/** Without no-break spaces and spaces twice; a line break is one too, but in hours. */
function spaced(column: string, cell: string): string {
  const spaces = column === 'hours' ? /[^\S\n]+/g : /\s+/g;
  return cell.replaceAll('\r\n', '\n').replaceAll(spaces, ' ').trim();
}

/** Columns that have cells and no name, such as the row numbers that a program has put in front. */
function unnamedColumns({ line }: Line, columns: readonly string[], lines: readonly Line[]): Fault[] {
  const unnamed = columns.flatMap((column, index) => {
    const isUsed = column === '' && lines.some(({ record }) => (record[index] ?? '') !== '');
    return isUsed ? [index + 1] : [];
  });
  if (unnamed.length === 0) return [];
  const which = unnamed.length === 1 ? 'column' : 'columns';
  return [
    faultOfFile(
      `${which} ${unnamed.join(', ')} of the sheet: has cells but no name. Name it, or delete it.`,
      line,
    ),
  ];
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
