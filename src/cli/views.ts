import { WEEKDAYS } from '../platform/calendar.ts';
import { onOneLine } from '../platform/unseen-text.rules.ts';
import { cellText, fitTable } from './table.ts';
import { emphasise, type Terminal, widthOf, writeLine, writeWrapped } from './terminal.ts';
import { isObject, objectsOf, textOf } from './values.ts';

export function showListing(terminal: Terminal, fields: readonly string[], rows: readonly unknown[]): void {
  if (rows.length === 0) {
    writeLine(terminal.out, 'None found.');
    return;
  }
  const { lines, omitted } = fitTable(fields, objectsOf(rows), widthOf(terminal));
  for (const [index, line] of lines.entries()) writeLine(terminal.out, index === 0 ? emphasise(terminal, line) : line);
  if (omitted.length === 0) return;
  writeLine(terminal.out);
  const remark = `Not shown, for lack of space: ${omitted.join(', ')}. Use --json to see everything.`;
  writeWrapped(terminal, remark);
}

/** Prints each field on an uncut line, so ids and secrets can be copied, and then lists of objects as tables. */
export function showObject(terminal: Terminal, object: Readonly<Record<string, unknown>>): void {
  const fields = flattened(isSchedule(object) ? hoursByDay(object) : object);
  const isTable = ([, value]: [string, unknown]) => objectsOf(value).length > 0;
  const lines = fields.filter((field) => !isTable(field));
  const width = Math.max(0, ...lines.map(([name]) => name.length));
  for (const [name, value] of lines) {
    const label = emphasise(terminal, name.padEnd(width));
    writeLine(terminal.out, `${label}  ${onOneLine(inWords(value))}`.trimEnd());
  }
  for (const [name, value] of fields.filter(isTable)) {
    const rows = objectsOf(value);
    writeLine(terminal.out, `\n${name}:`);
    showListing(terminal, [...new Set(rows.flatMap((row) => Object.keys(row)))], rows);
  }
}

/** The fields of an object and of nested ones, with dotted names. */
function flattened(object: Readonly<Record<string, unknown>>, prefix = ''): [string, unknown][] {
  return Object.entries(object).flatMap(([key, value]): [string, unknown][] =>
    isObject(value) ? flattened(value, `${prefix}${key}.`) : [[`${prefix}${key}`, value]],
  );
}

function inWords(value: unknown): string {
  if (value === null || value === undefined) return '-';
  return Array.isArray(value) && value.length === 0 ? 'none' : cellText(value);
}

function isSchedule(object: Readonly<Record<string, unknown>>): boolean {
  return isObject(object['weekly']) && Array.isArray(object['exceptions']);
}

/** A schedule's hours by weekday and date, after its other fields. */
export function hoursByDay({
  weekly,
  exceptions,
  ...others
}: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const week = isObject(weekly) ? weekly : {};
  return {
    ...others,
    ...Object.fromEntries(WEEKDAYS.map((day) => [day, hoursIn(week[day])])),
    ...Object.fromEntries(objectsOf(exceptions).map(({ date, hours }) => [textOf(date), hoursIn(hours)])),
  };
}

/** `06:00-12:00, 16:00-23:00`, or `closed`. */
function hoursIn(openings: unknown): string {
  const spans = objectsOf(openings).map(({ start, end }) => `${textOf(start)}-${textOf(end)}`);
  return spans.length === 0 ? 'closed' : spans.toSorted().join(', ');
}
