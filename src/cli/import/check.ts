import type { PriceRuleBody } from '../../catalog/venues/price-rules.schemas.ts';
import { scheduleFaults } from '../../catalog/venues/schedule-faults.rules.ts';
import type { ScheduleBody } from '../../catalog/venues/schedules.schemas.ts';
import type { ResourceBody, VenueBody } from '../../catalog/venues/venues.schemas.ts';
import { checkClosed } from '../../http/validate.ts';
import { isObject, type Json, textOf } from '../values.ts';
import { AmbiguousCell } from './cell-values.ts';
import { type Fault, type FileContent, nameKey, subjectOf, venueKey } from './file-content.ts';
import { type VenuesFile, venuesFile } from './venues-file.schemas.ts';

/** What the file says about an object, as the body of a call. */
type Wanted<Body> = { line: number; body: Body };

export type WantedResource = Wanted<Omit<ResourceBody, 'shares_space_with'>> & {
  key: string;
  /** Whether the file has a value for `shares_space_with`. */
  hasSharing: boolean;
  /** The keys of the resources that share its space, named on either side. */
  sharesWith: Set<string>;
  schedule: Wanted<ScheduleBody> | undefined;
  rules: Wanted<PriceRuleBody>[];
};

export type WantedVenue = Wanted<VenueBody> & { key: string; resources: WantedResource[] };

/** A venue, resource, price rule or schedule of the file; `list` is the path of its list, empty for a schedule. */
type Row = { list: string; path: string; subject: string; fields: Json };

/** Lists whose names must be unique, and how a message describes the other row of a name. */
const NAMED_LISTS: Readonly<Record<string, string>> = {
  venues: 'venue in the same city',
  resources: 'resource of this venue',
  price_rules: 'price rule of this resource',
};

/** Checks the file with the service's own schemas and rules, and its rows against each other; reports all faults. */
export function checkContent(file: FileContent): { venues: WantedVenue[]; faults: Fault[] } {
  const { content, lineOf } = file;
  if (content === undefined) return { venues: [], faults: file.faults };
  const rows = rowsIn(content);
  const { value, faults } = checkClosed(venuesFile, content);
  const found = [
    ...faults.map(({ path, message }) => {
      const cell = path.split('.').reduce<unknown>((part, key) => (Object(part) as typeof content)[key], content);
      return { path, message: cell instanceof AmbiguousCell ? cell.message : message };
    }),
    ...rowFaults(rows, lineOf),
    ...(faults.length === 0 ? scheduleContradictions(value) : []),
  ];
  const subjects = new Map(rows.map(({ path, subject }) => [path, subject]));
  const located = found.map(({ path, message }): Fault => {
    let row = path;
    while (row !== '' && !subjects.has(row)) row = row.slice(0, Math.max(0, row.lastIndexOf('.')));
    const field = row === '' ? path : path.slice(row.length + 1);
    return { line: lineOf(path), subject: subjects.get(row) ?? '', path: field, message };
  });
  const all = [...file.faults, ...located].toSorted((a, b) => a.line - b.line);
  return { venues: all.length === 0 ? wantedVenues(value, lineOf) : [], faults: all };
}

function rowsIn(content: Json): Row[] {
  const rowsAt = ({ path, subject, fields }: Omit<Row, 'list'>, name: string): Row[] => {
    const list = `${path}${path === '' ? '' : '.'}${name}`;
    const items: unknown = fields[name];
    return (Array.isArray(items) ? items : []).flatMap((item: unknown, index) =>
      isObject(item)
        ? [{ list, path: `${list}.${index}`, subject: subjectOf(subject, item['name']), fields: item }]
        : [],
    );
  };
  const venues = rowsAt({ path: '', subject: '', fields: content }, 'venues');
  const resources = venues.flatMap((venue) => rowsAt(venue, 'resources'));
  const schedules = resources.flatMap(({ path, subject, fields: { schedule } }): Row[] => {
    const own = { list: '', path: `${path}.schedule`, subject: `${subject} / schedule` };
    return isObject(schedule) ? [{ ...own, fields: schedule }] : [];
  });
  return [...venues, ...resources, ...schedules, ...resources.flatMap((each) => rowsAt(each, 'price_rules'))];
}

/** Finds repeated names, unknown names in `shares_space_with`, and weeks without hours. */
function rowFaults(rows: readonly Row[], lineOf: FileContent['lineOf']) {
  const firstRows = new Map<string, Row>();
  const keyOf = (list: string, key: string) => `${list}\n${key}`;
  const faults: { path: string; message: string }[] = [];
  for (const row of rows.filter(({ list }) => list !== '')) {
    const { list, path, fields } = row;
    const key = keyOf(list, list === 'venues' ? venueKey(fields) : nameKey(fields['name']));
    const firstRow = firstRows.get(key);
    if (firstRow === undefined) firstRows.set(key, row);
    else if (textOf(fields['name']) !== '') {
      const kind = NAMED_LISTS[list.slice(list.lastIndexOf('.') + 1)];
      const message = `is the name of another ${kind}, in line ${lineOf(firstRow.path)}`;
      faults.push({ path: `${path}.name`, message });
    }
  }
  for (const { list, path, fields } of rows) {
    const { name, shares_space_with: shared, weekly } = fields;
    if (isObject(weekly) && Object.keys(weekly).length === 0) {
      const message = 'has hours for no day of the week, so it would be closed every day';
      faults.push({ path: `${path}.weekly`, message });
    }
    for (const key of Array.isArray(shared) ? shared.map(nameKey) : []) {
      if (key === nameKey(name))
        faults.push({ path: `${path}.shares_space_with`, message: 'names the resource itself' });
      else if (!firstRows.has(keyOf(list, key)))
        faults.push({
          path: `${path}.shares_space_with`,
          message: `there is no resource "${key}" at this venue`,
        });
    }
  }
  return faults;
}

function scheduleContradictions({ venues }: VenuesFile) {
  return venues.flatMap(({ resources }, venue) =>
    resources.flatMap(({ schedule }, resource) => {
      const path = `venues.${venue}.resources.${resource}.schedule`;
      const faults = schedule === undefined ? [] : scheduleFaults(schedule);
      return faults.map((fault) => ({ ...fault, path: `${path}.${fault.path}` }));
    }),
  );
}

function wantedVenues({ venues }: VenuesFile, lineOf: FileContent['lineOf']): WantedVenue[] {
  return venues.map(({ resources: given, ...body }, venueIndex) => {
    const at = `venues.${venueIndex}`;
    const resources = given.map((resource, resourceIndex): WantedResource => {
      const { schedule, price_rules: rules, shares_space_with: shared, ...own } = resource;
      const path = `${at}.resources.${resourceIndex}`;
      return {
        line: lineOf(path),
        key: nameKey(own.name),
        body: own,
        hasSharing: shared !== null,
        sharesWith: new Set(shared?.map(nameKey)),
        schedule: schedule && { line: lineOf(`${path}.schedule`), body: schedule },
        rules: rules.map((rule, index) => ({ line: lineOf(`${path}.price_rules.${index}`), body: rule })),
      };
    });
    // Shared space applies to both resources, but the file may name it at only one.
    const byKey = new Map(resources.map((each) => [each.key, each]));
    for (const { key, sharesWith } of resources) for (const other of sharesWith) byKey.get(other)?.sharesWith.add(key);
    return { line: lineOf(at), key: venueKey(body), body, resources };
  });
}
