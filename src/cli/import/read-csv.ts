import { WEEKDAYS } from '../../platform/calendar.ts';
import { dateIn, listIn, openingsIn, TwoMeanings, valueOf } from './cell-values.ts';
import type { Cells, Kind } from './csv-sheet.ts';
import { COLUMNS_OF, faultIn, KINDS, readSheet, subjectOf } from './csv-sheet.ts';
import type { Fault, FileContent, FileResource, FileRow, FileVenue } from './file-content.ts';
import { nameKey, sameName } from './file-content.ts';

type Row = Cells & { kind: Kind };

/** Reads one flat sheet: a row for each venue, resource, part of a schedule and price rule, told apart by `kind`. */
export function readCsv(text: string): FileContent {
  const { rows: all, separator, faults } = readSheet(text);
  const rows = all.flatMap((row) => rowOf(row, faults));
  const of = (kind: Kind) => rows.filter((row) => row.kind === kind);
  /** `own` is the column that names it; those before it in its row say where it belongs. */
  const fileRow = (row: Row, own: string, parents: readonly string[]) =>
    fileRowOf(row, { own, parents, separator, faults });
  const venues = of('venue').map((row): FileVenue => ({ ...fileRow(row, 'venue', []), resources: [] }));
  const byName = grouped(venues);
  for (const row of of('resource')) {
    const resource = { ...fileRow(row, 'resource', ['venue', 'city']), priceRules: [] };
    venueOf(row, byName, faults)?.resources.push(resource);
  }
  const resources = new Map(venues.map((venue) => [venue, grouped(venue.resources)]));
  const resourceOf = (row: Row) => {
    const venue = venueOf(row, byName, faults);
    return venue && resourceNamed(row, resources.get(venue), faults);
  };
  for (const row of of('price_rule')) {
    const rule = fileRow(row, 'price_rule', ['venue', 'city', 'resource']);
    resourceOf(row)?.priceRules.push(rule);
  }
  const parts = new Map<FileResource, Row[]>();
  for (const row of of('schedule')) {
    const resource = resourceOf(row);
    if (resource === undefined) continue;
    const ofResource = parts.get(resource) ?? [];
    parts.set(resource, ofResource);
    ofResource.push(row);
  }
  for (const [resource, ofResource] of parts) resource.schedule = scheduleOf(ofResource, faults);
  return { venues, faults };
}

/** A row of a known kind, with the columns of that kind and no others. */
function rowOf(row: Cells, faults: Fault[]): Row[] {
  const kind = KINDS.find((each) => each === row.cells['kind']?.toLowerCase().replaceAll(/[\s-]+/g, '_'));
  if (kind === undefined) {
    faults.push(faultIn(row, 'kind', `must be one of ${KINDS.join(', ')}`));
    return [];
  }
  const known: readonly string[] = ['kind', ...COLUMNS_OF[kind]];
  for (const column of Object.keys(row.cells).filter((each) => !known.includes(each))) {
    faults.push(faultIn(row, column, `is not a column of a ${kind} row`));
  }
  return [{ ...row, kind }];
}

type RowReading = {
  own: string;
  parents: readonly string[];
  separator: string;
  faults: Fault[];
};

function fileRowOf(row: Row, { own, parents, separator, faults }: RowReading): FileRow {
  const known: readonly string[] = COLUMNS_OF[row.kind];
  const cells = Object.entries(row.cells).filter(
    ([column]) => known.includes(column) && !parents.includes(column) && column !== 'kind',
  );
  const refused = new Set<string>();
  const fields = cells.map(([column, cell]) => {
    const value = valueOf(column, cell, separator);
    if (value instanceof TwoMeanings) {
      faults.push(faultIn(row, column, value.message));
      refused.add(column);
    }
    return [column === own ? 'name' : column, value] as const;
  });
  return { line: row.line, fields: Object.fromEntries(fields), refused, lineOf: () => row.line };
}

type ByName<Named> = ReadonlyMap<string, Named[]>;

function grouped<Named extends FileRow>(rows: readonly Named[]): ByName<Named> {
  const byName = new Map<string, Named[]>();
  for (const row of rows) {
    const key = nameKey(row.fields['name']);
    const ofName = byName.get(key) ?? [];
    byName.set(key, ofName);
    ofName.push(row);
  }
  return byName;
}

function venueOf(row: Row, venues: ByName<FileVenue>, faults: Fault[]): FileVenue | undefined {
  const { venue = '', city } = row.cells;
  const ofName = venues.get(nameKey(venue)) ?? [];
  const found = ofName.filter(({ fields }) => city === undefined || sameName(fields['city'], city));
  // Two of one name and city are a fault of the venues.
  if (found.length === 1 || (found.length > 1 && city !== undefined)) return found[0];
  const message =
    found.length === 0
      ? 'there is no venue row of this name in the file'
      : 'several venues in the file have this name: fill in the city';
  faults.push(faultIn(row, 'venue', message));
  return undefined;
}

function resourceNamed(
  row: Row,
  resources: ByName<FileResource> | undefined,
  faults: Fault[],
): FileResource | undefined {
  const [found] = resources?.get(nameKey(row.cells['resource'])) ?? [];
  if (found === undefined)
    faults.push(faultIn(row, 'resource', 'there is no resource row of this name at the venue'));
  return found;
}

/** The one schedule that several rows describe together. */
function scheduleOf(rows: readonly Row[], faults: Fault[]): FileRow {
  const lines = new Map<string, number>();
  const byDay = new Map<string, unknown[]>();
  const exceptions: { date: string; hours: unknown[] }[] = [];
  for (const row of rows) {
    const { days_of_week: days, date, hours = '' } = row.cells;
    const openings = openingsIn(hours);
    if (openings === undefined) {
      faults.push(faultIn(row, 'hours', 'must be times such as 06:00-12:00|16:00-23:00, or closed'));
    } else if ((days === undefined) === (date === undefined)) {
      faults.push(faultIn(row, 'days_of_week', 'fill in either this or date'));
    } else if (date !== undefined) {
      const read = dateIn(date);
      if (read instanceof TwoMeanings) faults.push(faultIn(row, 'date', read.message));
      else {
        lines.set(`exceptions.${exceptions.length}`, row.line);
        exceptions.push({ date: read, hours: openings });
      }
    }
    for (const day of listIn(days ?? '', 'days_of_week')) {
      // The one name of a field that the schema would never see.
      if (day === '__proto__') faults.push(faultIn(row, 'days_of_week', `${day} is not a day of the week`));
      lines.set(`weekly.${day}`, lines.get(`weekly.${day}`) ?? row.line);
      byDay.set(day, [...(byDay.get(day) ?? []), ...(openings ?? [])]);
    }
  }
  const [first] = rows;
  const line = first?.line ?? 1;
  if (first !== undefined && !WEEKDAYS.some((day) => byDay.has(day))) {
    const message = 'no row gives hours for the days of the week, so it would be closed every day';
    faults.push({ line, subject: subjectOf(first), path: 'schedule', message });
  }
  const lineOf = (path: string): number => lines.get(path.split('.').slice(0, 2).join('.')) ?? line;
  return { line, fields: { weekly: Object.fromEntries(byDay), exceptions }, lineOf };
}
