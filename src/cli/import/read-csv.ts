import { priceRuleBody } from '../../catalog/venues/price-rules.schemas.ts';
import { createResourceBody, createVenueBody } from '../../catalog/venues/venues.schemas.ts';
import { fieldsOf } from '../../http/query-faults.ts';
import { groupBy } from '../../platform/group-by.ts';
import type { Json } from '../values.ts';
import { dateIn, listIn, openingsIn, valueOf } from './cell-values.ts';
import { readSheet, type SheetRow } from './csv-sheet.ts';
import { type Fault, type FileContent, nameKey, subjectOf, unreadable } from './file-content.ts';

const KIND_NAMES = ['venue', 'resource', 'schedule', 'price_rule'] as const;
type Kind = (typeof KIND_NAMES)[number];

/** The columns that name the parents of a row, and the row's fields as in the operator API. */
const KINDS: Readonly<Record<Kind, { parents: readonly string[]; fields: readonly string[] }>> = {
  venue: { parents: [], fields: fieldsOf(createVenueBody) },
  resource: { parents: ['venue', 'city'], fields: fieldsOf(createResourceBody) },
  schedule: { parents: ['venue', 'city', 'resource'], fields: ['days_of_week', 'date', 'hours'] },
  price_rule: { parents: ['venue', 'city', 'resource'], fields: fieldsOf(priceRuleBody) },
};

/** The column of a field. The field `name` is in the column `venue`, `resource` or `price_rule`. */
const columnOf = (kind: Kind, field: string) => (field === 'name' ? kind : field);

function columnsOf(kind: Kind): string[] {
  const { parents, fields } = KINDS[kind];
  return ['kind', ...parents, ...fields.map((field) => columnOf(kind, field))];
}

type Row = SheetRow & { kind: Kind; fields: Json };
type Venue = Json & { resources: Resource[] };
type Resource = Json & { schedule?: Schedule; price_rules: unknown[] };
type Schedule = { weekly: Record<string, unknown[]>; exceptions: unknown[] };

/** Reads a flat sheet: a row for each venue, resource, part of a schedule and price rule; `kind` distinguishes them. */
export function readCsv(text: string): FileContent {
  const { rows: all, separator, faults } = readSheet(text, new Set(KIND_NAMES.flatMap(columnsOf)));
  if (faults.length > 0) return unreadable(...faults);
  const rows = all.flatMap((row) => rowOf(row, separator, faults));
  /** The line of each object of the content. */
  const lines = new Map<unknown, number>();
  const atLine = <Part>(part: Part, line: number): Part => {
    if (!lines.has(part)) lines.set(part, line);
    return part;
  };
  const rowsOf = (kind: Kind) => rows.filter((row) => row.kind === kind);
  const venues = rowsOf('venue').map(({ fields, line }): Venue => atLine({ ...fields, resources: [] }, line));
  const venuesByName = byName(venues);
  for (const row of rowsOf('resource')) {
    const resource = atLine({ ...row.fields, price_rules: [] }, row.line);
    venueOf(row, venuesByName, faults)?.resources.push(resource);
  }
  const resourcesByName = new Map(venues.map((venue) => [venue, byName(venue.resources)]));
  const resourceOf = (row: Row): Resource | undefined => {
    const venue = venueOf(row, venuesByName, faults);
    if (venue === undefined) return undefined;
    const [found] = resourcesByName.get(venue)?.get(nameKey(row.cells['resource'])) ?? [];
    if (found === undefined)
      faults.push(faultIn(row, 'resource', 'there is no resource row of this name at the venue'));
    return found;
  };
  for (const row of rowsOf('price_rule')) resourceOf(row)?.price_rules.push(atLine(row.fields, row.line));
  for (const row of rowsOf('schedule')) {
    const resource = resourceOf(row);
    if (resource === undefined) continue;
    resource.schedule ??= atLine({ weekly: {}, exceptions: [] }, row.line);
    addHours(resource.schedule, row, atLine, faults);
  }
  const content = { venues };
  const lineOf = (path: string) => {
    let [part, line]: [unknown, number] = [content, 1];
    for (const key of path.split('.')) {
      part = (Object(part) as Json)[key];
      line = lines.get(part) ?? line;
    }
    return line;
  };
  return { content, lineOf, faults };
}

function rowOf(row: SheetRow, separator: string, faults: Fault[]): Row[] {
  const { cells } = row;
  const kind = KIND_NAMES.find((each) => each === cells['kind']?.toLowerCase().replaceAll(/[\s-]+/g, '_'));
  if (kind === undefined) {
    faults.push(faultIn(row, 'kind', `must be one of ${KIND_NAMES.join(', ')}`));
    return [];
  }
  for (const column of Object.keys(cells).filter((each) => !columnsOf(kind).includes(each)))
    faults.push(faultIn(row, column, `is not a column of a ${kind} row`));
  const fields = KINDS[kind].fields.flatMap((field) => {
    const cell = cells[columnOf(kind, field)];
    return cell === undefined ? [] : [[field, valueOf(field, cell, separator)]];
  });
  return [{ ...row, kind, fields: Object.fromEntries(fields) as Json }];
}

const faultIn = ({ line, cells }: SheetRow, path: string, message: string): Fault => ({
  line,
  subject: subjectOf(cells['venue'], cells['resource'], cells['price_rule']),
  path,
  message,
});

type ByName<Named> = ReadonlyMap<string, Named[]>;

function byName<Named extends Json>(rows: readonly Named[]): ByName<Named> {
  return groupBy(rows, ({ name }) => nameKey(name));
}

function venueOf(row: Row, venues: ByName<Venue>, faults: Fault[]): Venue | undefined {
  const { venue, city } = row.cells;
  const sameName = venues.get(nameKey(venue)) ?? [];
  const found = sameName.filter((each) => city === undefined || nameKey(each['city']) === nameKey(city));
  // `checkContent` reports duplicate venues.
  if (found.length === 1 || (found.length > 1 && city !== undefined)) return found[0];
  const message =
    found.length === 0
      ? 'there is no venue row of this name in the file'
      : 'several venues in the file have this name: fill in the city';
  faults.push(faultIn(row, 'venue', message));
  return undefined;
}

function addHours(
  { weekly, exceptions }: Schedule,
  row: Row,
  atLine: <Part>(part: Part, line: number) => Part,
  faults: Fault[],
): void {
  const { days_of_week: days, date, hours = '' } = row.cells;
  const openings = openingsIn(hours);
  if (openings === undefined)
    faults.push(faultIn(row, 'hours', 'must be times such as 06:00-12:00|16:00-23:00, or closed'));
  else if ((days === undefined) === (date === undefined))
    faults.push(faultIn(row, 'days_of_week', 'fill in either this or date'));
  else if (date !== undefined) exceptions.push(atLine({ date: dateIn(date), hours: openings }, row.line));
  for (const day of listIn(days ?? '', 'days_of_week')) {
    // The schema would miss a name that every object inherits, such as `constructor`.
    if (day in Object.prototype) faults.push(faultIn(row, 'days_of_week', `${day} is no day of the week`));
    else (weekly[day] ??= atLine([], row.line)).push(...(openings ?? []));
  }
}
