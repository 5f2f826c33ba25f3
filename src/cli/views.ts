import { WEEKDAYS } from '../platform/calendar.ts';
import type { Column } from './columns.ts';
import { instant, plain, prose, shortInstant, span } from './columns.ts';
import { fitTable } from './table.ts';
import type { Terminal } from './terminal.ts';
import { emphasise, printable, widthOf, wrapped, writeLine } from './terminal.ts';
import { isObject, objectsOf, textOf } from './values.ts';

/** Prints a listing as a table, and says what had no room in it. */
export function showListing(terminal: Terminal, columns: readonly Column[], rows: readonly unknown[]): void {
  if (rows.length === 0) {
    writeLine(terminal.out, 'None found.');
    return;
  }
  const { lines, omitted } = fitTable(columns, objectsOf(rows), widthOf(terminal));
  const [heading = '', ...body] = lines;
  writeLine(terminal.out, emphasise(terminal, heading));
  for (const line of body) writeLine(terminal.out, line);
  if (omitted.length === 0) return;
  writeLine(terminal.out);
  const remark = `Not shown, for lack of space: ${omitted.join(', ')}. Use --json to see everything.`;
  for (const line of wrapped(remark, widthOf(terminal))) writeLine(terminal.out, line);
}

/** Prints one object: a line for each field, whole, so that ids and secrets can be copied; lists of objects as tables below. */
export function showObject(terminal: Terminal, object: Readonly<Record<string, unknown>>): void {
  const { lines, tables } = isSchedule(object)
    ? { lines: scheduleLines(object), tables: [] }
    : flatten(object, '');
  const width = Math.max(0, ...lines.map(([name]) => name.length));
  for (const [name, value] of lines) {
    const label = emphasise(terminal, name.padEnd(width));
    writeLine(terminal.out, `${label}  ${printable(value)}`.trimEnd());
  }
  for (const [name, rows] of tables) {
    writeLine(terminal.out);
    writeLine(terminal.out, `${name}:`);
    showListing(terminal, columnsOf(rows), rows);
  }
}

type Flattened = { lines: [string, string][]; tables: [string, Record<string, unknown>[]][] };

function flatten(object: Readonly<Record<string, unknown>>, prefix: string): Flattened {
  const result: Flattened = { lines: [], tables: [] };
  for (const [key, value] of Object.entries(object)) {
    const name = `${prefix}${key}`;
    const rows = objectsOf(value);
    if (rows.length > 0) result.tables.push([name, rows]);
    else if (isObject(value)) {
      const inner = flatten(value, `${name}.`);
      result.lines.push(...inner.lines);
      result.tables.push(...inner.tables);
    } else result.lines.push([name, inWords(value)]);
  }
  return result;
}

function inWords(value: unknown): string {
  if (value === null || value === undefined) return '-';
  if (!Array.isArray(value)) return shortInstant(textOf(value));
  return value.length === 0 ? 'none' : value.map(textOf).join(', ');
}

/** The fields of a list of objects; ids and instants are whole, anything else may be cut. */
function columnsOf(rows: readonly Record<string, unknown>[]): Column[] {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  return names.map((name) => {
    if (/(^|_)id$/.test(name)) return plain(name);
    return /_at$|_start$/.test(name) ? instant(name) : prose(name);
  });
}

function isSchedule(object: Readonly<Record<string, unknown>>): boolean {
  return isObject(object['weekly']) && Array.isArray(object['exceptions']);
}

function scheduleLines({ resource_id: id, weekly, exceptions }: Record<string, unknown>): [string, string][] {
  const week = isObject(weekly) ? weekly : {};
  return [
    ['resource_id', textOf(id)],
    ...WEEKDAYS.map((weekday): [string, string] => [weekday, hoursIn(week[weekday])]),
    ...objectsOf(exceptions).map(({ date, hours }): [string, string] => [textOf(date), hoursIn(hours)]),
  ];
}

/** `06:00-12:00, 16:00-23:00`, or `closed`. */
export function hoursIn(openings: unknown): string {
  const spans = objectsOf(openings).map(({ start, end }) => span(start, end));
  return spans.length === 0 ? 'closed' : spans.join(', ');
}
