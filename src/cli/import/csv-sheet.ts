import { CsvError, parse } from 'csv-parse/sync';
import type { Cells } from './csv-cells.ts';
import { ALL_COLUMNS } from './csv-cells.ts';
import type { Fault } from './file-content.ts';
import { faultOfFile } from './file-content.ts';

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
        ? 'a quotation mark that opens here is never closed'
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
      : [faultOfFile('the first line must name the columns, kind and venue among them', line)]),
    ...unknown.map((column) => ({ ...faultOfFile('is no column that there is', line), path: column })),
    ...repeated.map((column) => ({ ...faultOfFile('is the name of two columns', line), path: column })),
  ];
}
