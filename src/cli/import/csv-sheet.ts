import { CsvError, parse } from 'csv-parse/sync';
import { type Fault, faultOfFile } from './file-content.ts';

export type SheetRow = { line: number; cells: Readonly<Record<string, string>> };

type Line = { line: number; record: string[] };
type Sheet = { rows: SheetRow[]; separator: string; faults: Fault[] };

/** A first line that names the separator, as Excel reads and writes it. */
const SEPARATOR = /^\s*"?sep=(.)"?[^\S\n]*\n/i;

/**
 * Reads a sheet as exported by spreadsheets: commas, semicolons or tabs, quotes if needed, LF or CRLF, optionally after
 * a line such as `sep=;`. The heading must name known columns only.
 */
export function readSheet(text: string, columns: ReadonlySet<string>): Sheet {
  // csv-parse counts a CRLF within a cell as two lines.
  const body = text.replaceAll(/\r\n?/g, '\n');
  const [separatorLine = '', separator = separatorOf(body)] = SEPARATOR.exec(body) ?? [];
  const lines: Line[] = [];
  // Empty lines replace the separator line, so that line numbers stay correct.
  const table = '\n'.repeat(separatorLine.split('\n').length - 1) + body.slice(separatorLine.length);
  const fault = readLines(table, separator, lines);
  const [heading, ...others] = lines;
  if (fault !== undefined) return { rows: [], separator, faults: [fault] };
  if (heading === undefined) return { rows: [], separator, faults: [faultOfFile('the file is empty')] };
  const names = heading.record.map((name) => name.trim().toLowerCase().replaceAll(/\s+/g, '_'));
  const faults = [...headingFaults(heading, names, columns), ...unnamedColumns(heading, names, others)];
  return { rows: faults.length > 0 ? [] : others.map((line) => cellsOf(names, line)), separator, faults };
}

function separatorOf(text: string): string {
  const [heading = ''] = text.trimStart().split('\n');
  const counts = [',', ';', '\t'].map((each) => ({ each, count: heading.split(each).length }));
  return counts.toSorted((a, b) => b.count - a.count)[0]?.each ?? ',';
}

const TEXT_AFTER_QUOTE = 'there is text after a closing quote. Within a quoted cell, write each quote twice.';
const NOT_CSV: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'a quote that opens here is never closed',
  CSV_INVALID_CLOSING_QUOTE: TEXT_AFTER_QUOTE,
  CSV_NON_TRIMABLE_CHAR_AFTER_CLOSING_QUOTE: TEXT_AFTER_QUOTE,
  INVALID_OPENING_QUOTE: 'there is a quote within a cell. Put the cell in quotes, and write the quote as two.',
};

/** Adds the non-blank lines of the sheet to `lines`; returns a fault if one cannot be read. */
function readLines(text: string, delimiter: string, lines: Line[]): Fault | undefined {
  let end = 0;
  try {
    parse(text, {
      delimiter,
      trim: true,
      skip_empty_lines: true,
      relax_column_count: true,
      on_record: (record: string[], info) => {
        end = info.lines;
        const height = record.join('').split('\n').length;
        const line = end - height + 1;
        if (record.some((cell) => cell !== '')) lines.push({ line, record });
        return null;
      },
    });
    return undefined;
  } catch (err) {
    if (!(err instanceof CsvError)) throw err;
    const reason = NOT_CSV[err.code] ?? 'this record cannot be read';
    return faultOfFile(`this is not CSV: ${reason}`, end + 1);
  }
}

function cellsOf(names: readonly string[], { line, record }: Line): SheetRow {
  const cells = names.map((name, index) => [name, withSingleSpaces(name, record[index] ?? '')] as const);
  return { line, cells: Object.fromEntries(cells.filter(([, cell]) => cell !== '')) };
}

/** The cell with single spaces. Line breaks stay in `hours`, where they separate times. */
function withSingleSpaces(column: string, cell: string): string {
  return cell.replaceAll(column === 'hours' ? /[^\S\n]+/g : /\s+/g, ' ').trim();
}

/** Columns with cells but no name, such as row numbers added by a program. */
function unnamedColumns({ line }: Line, names: readonly string[], lines: readonly Line[]): Fault[] {
  const width = lines.reduce((most, { record }) => Math.max(most, record.length), 0);
  return Array.from({ length: width }, (_, index) => index).flatMap((index) => {
    const isNamed = (names[index] ?? '') !== '';
    const used = isNamed ? undefined : lines.find(({ record }) => (record[index] ?? '') !== '');
    if (used === undefined) return [];
    const message = `column ${index + 1} of the sheet: has no name, but has cells, the first of them in line ${used.line}. Name the column, or delete it.`;
    return [faultOfFile(message, line)];
  });
}

function headingFaults({ line }: Line, names: readonly string[], columns: ReadonlySet<string>): Fault[] {
  const faults = names
    .filter((name) => name !== '')
    .flatMap((path, index, named) => {
      if (!columns.has(path)) return [{ ...faultOfFile('is not a known column', line), path }];
      if (named.indexOf(path) === index) return [];
      return [{ ...faultOfFile('is the name of more than one column', line), path }];
    });
  if (names.includes('kind') && names.includes('venue')) return faults;
  return [faultOfFile('the first line must name the columns, including kind and venue', line), ...faults];
}
