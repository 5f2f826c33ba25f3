import stringWidth from 'string-width';
import wrapAnsi from 'wrap-ansi';
import { WEEKDAYS } from '../platform/calendar.ts';
import { onOneLine } from '../platform/unseen-text.rules.ts';
import { emphasise, type Terminal, widthOf, writeLine, writeWrapped } from './terminal.ts';
import { isObject, type Json, objectsOf, textOf } from './values.ts';

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

/** Prints each field on a whole line, so that ids and secrets can be copied. Tables of lists of objects follow. */
export function showObject(terminal: Terminal, object: Json): void {
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
function flattened(object: Json, prefix = ''): [string, unknown][] {
  return Object.entries(object).flatMap(([key, value]): [string, unknown][] =>
    isObject(value) ? flattened(value, `${prefix}${key}.`) : [[`${prefix}${key}`, value]],
  );
}

function inWords(value: unknown): string {
  if (value === null || value === undefined) return '-';
  return Array.isArray(value) && value.length === 0 ? 'none' : cellText(value);
}

function isSchedule(object: Json): boolean {
  return isObject(object['weekly']) && Array.isArray(object['exceptions']);
}

/** A schedule's hours by weekday and date, after its other fields. */
export function hoursByDay({ weekly, exceptions, ...others }: Json): Json {
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

const GAP = 2;
const SHORTEST_CUT = 12;
/** Ids to copy, instants and enumerated words are never cut. */
const NEVER_CUT = /(?:^|_)(?:id|at|start|type|kind|state|status)$/;

/** A table that fits, with its heading first; `omitted` are the fields without room. */
type FittedTable = { lines: string[]; omitted: string[] };

type Column = { field: string; cells: string[]; width: number; shortest: number };

/**
 * The rows as lines of at most `width` characters. If necessary, texts are cut to 12 characters, or to the length of
 * their heading if that is longer; then the last columns are left out, but never the first one.
 */
export function fitTable(fields: readonly string[], rows: readonly Json[], width: number): FittedTable {
  const columns = fields.map((field): Column => {
    const cells = [field, ...rows.map((row) => onOneLine(cellText(row[field])))];
    const widest = cells.reduce((most, cell) => Math.max(most, stringWidth(cell)), 0);
    const shortest = NEVER_CUT.test(field) ? widest : Math.min(widest, Math.max(SHORTEST_CUT, field.length));
    return { field, cells, width: widest, shortest };
  });
  const excess = (key: 'width' | 'shortest') =>
    columns.reduce((total, column) => total + column[key] + GAP, -GAP) - width;
  const omitted: string[] = [];
  while (columns.length > 1 && excess('shortest') > 0) omitted.unshift(columns.pop()?.field ?? '');
  // Cuts the widest columns first, so that short texts stay complete.
  for (let left = excess('width'); left > 0; left -= 1) {
    const [widest] = columns.filter((each) => each.width > each.shortest).toSorted((a, b) => b.width - a.width);
    if (widest === undefined) break;
    widest.width -= 1;
  }
  const lines = [{}, ...rows].map((_, index) =>
    columns
      .map((column) => fitText(column.cells[index] ?? '', column.width))
      .join(' '.repeat(GAP))
      .trimEnd(),
  );
  return { lines, omitted };
}

/** A value in few words: a list with commas, an object by its state or kind, a short instant. */
export function cellText(value: unknown): string {
  if (Array.isArray(value)) return value.map(cellText).join(', ');
  if (!isObject(value)) return shortInstant(textOf(value));
  const { state, status_code: statusCode, error, kind } = value;
  return textOf(state ?? statusCode ?? error ?? kind ?? value);
}

/** `2026-11-21T04:30:00.000Z` becomes `2026-11-21T04:30Z`, still ISO 8601. */
function shortInstant(text: string): string {
  return text.replace(/(?::00)?\.000Z$/, 'Z').replace(/\.\d{3}Z$/, 'Z');
}

/** The text as wide as its column: padded, or cut between two letters with an ellipsis. */
export function fitText(text: string, width: number): string {
  const missing = width - stringWidth(text);
  if (missing >= 0) return text + ' '.repeat(missing);
  const [kept = ''] = wrapAnsi(text, width - 1, { hard: true, wordWrap: false, trim: false }).split('\n');
  return fitText(`${kept}…`, width);
}
