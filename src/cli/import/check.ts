import type { ObjectSchema } from 'joi';
import { checkClosed } from '../../http/validate.ts';
import { MAX_PRICE_RULES } from '../../venues/price-rule-limit.rules.ts';
import { priceRuleBody } from '../../venues/price-rules.schemas.ts';
import { scheduleFaults } from '../../venues/schedule-faults.rules.ts';
import { scheduleBody } from '../../venues/schedules.schemas.ts';
import { createResourceBody, createVenueBody, MAX_SHARED } from '../../venues/venues.schemas.ts';
import { textOf } from '../values.ts';
import type { Fault, FileContent, FileResource, FileRow, FileVenue } from './file-content.ts';
import { nameKey, venueKey } from './identity.ts';
import type { WantedResource, WantedRule, WantedSchedule, WantedVenue } from './wanted.ts';

type Checked = { venues: WantedVenue[]; faults: Fault[] };

/** Holds every row to the schemas and rules that the service itself uses, and rows to each other; finds all faults at once. */
export function checkContent({ venues, faults }: FileContent): Checked {
  const found = [...faults];
  const wanted = venues.map((venue) => checkVenue(venue, found));
  refuseTwins(venues, (venue) => venueKey(venue.fields), 'is the name of two venues of one city', found);
  if (venues.length === 0 && found.length === 0) {
    found.push({ line: 1, subject: '', path: '', message: 'there is no venue in this file' });
  }
  return { venues: wanted, faults: found.toSorted((a, b) => a.line - b.line) };
}

function checkVenue(venue: FileVenue, faults: Fault[]): WantedVenue {
  const body = checkRow(createVenueBody, venue, subjectOf(venue), faults);
  const resources = venue.resources.map((resource) => checkResource(venue, resource, faults));
  refuseTwins(
    venue.resources,
    ({ fields }) => nameKey(fields['name']),
    'is the name of two resources of this venue',
    faults,
    venue,
  );
  shareBothWays(venue, resources, faults);
  return { line: venue.line, key: venueKey(venue.fields), body, resources };
}

function checkResource(venue: FileVenue, resource: FileResource, faults: Fault[]): WantedResource {
  const subject = subjectOf(venue, resource);
  const { shares_space_with: shared, ...body } = checkRow(createResourceBody, resource, subject, faults);
  const rules = resource.priceRules.map((rule): WantedRule => {
    return { line: rule.line, body: checkRow(priceRuleBody, rule, subjectOf(venue, resource, rule), faults) };
  });
  const nameOf = ({ fields }: FileRow) => nameKey(fields['name']);
  refuseTwins(
    resource.priceRules,
    nameOf,
    'is the name of two price rules of this resource',
    faults,
    venue,
    resource,
  );
  if (rules.length > MAX_PRICE_RULES) {
    const message = `has ${rules.length} price rules; a resource can have ${MAX_PRICE_RULES}`;
    faults.push({ line: resource.line, subject, path: '', message });
  }
  return {
    ...{ line: resource.line, key: nameKey(resource.fields['name']), body },
    saysShared: resource.fields['shares_space_with'] !== undefined,
    sharesWith: new Set(Array.isArray(shared) ? shared.map(nameKey) : []),
    ...(resource.schedule && { schedule: checkSchedule(resource.schedule, subject, faults) }),
    rules,
  };
}

function checkSchedule(row: FileRow, subject: string, faults: Fault[]): WantedSchedule {
  const before = faults.length;
  const body = checkRow(scheduleBody, row, `${subject} / schedule`, faults);
  if (faults.length === before) {
    for (const { path, message } of scheduleFaults(body)) {
      faults.push({ line: row.lineOf(path), subject: `${subject} / schedule`, path, message });
    }
  }
  return { line: row.line, body };
}

function checkRow<T>(schema: ObjectSchema<T>, row: FileRow, subject: string, faults: Fault[]): T {
  const { value, faults: found } = checkClosed(schema, row.fields);
  for (const { path, message } of found) faults.push({ line: row.lineOf(path), subject, path, message });
  return value;
}

/** Names are what things are known by from one import to the next. */
function refuseTwins<Row extends FileRow>(
  rows: readonly Row[],
  keyOf: (row: Row) => string,
  message: string,
  faults: Fault[],
  ...parents: readonly FileRow[]
): void {
  const firsts = new Map<string, Row>();
  for (const row of rows) {
    const first = firsts.get(keyOf(row));
    if (first === undefined) firsts.set(keyOf(row), row);
    if (first === undefined || textOf(row.fields['name']) === '') continue;
    const earlier = `${message}, the other in line ${first.line}`;
    faults.push({
      line: row.lineOf('name'),
      subject: subjectOf(...parents, row),
      path: 'name',
      message: earlier,
    });
  }
}

/** Ground is shared by two, so it is enough that one of them says so. */
function shareBothWays(venue: FileVenue, resources: readonly WantedResource[], faults: Fault[]): void {
  // Of two of one name, which are a fault, the first.
  const byKey = new Map(resources.toReversed().map((each) => [each.key, each]));
  for (const [index, resource] of resources.entries()) {
    const row = venue.resources[index];
    for (const key of row === undefined ? [] : resource.sharesWith) {
      const other = byKey.get(key);
      if (other !== undefined && other !== resource) {
        other.sharesWith.add(resource.key);
        continue;
      }
      const message =
        other === resource ? 'names the resource itself' : `names no resource of this venue: ${key}`;
      faults.push(sharingFault(venue, row, message));
    }
  }
  for (const [index, { sharesWith }] of resources.entries()) {
    const said = venue.resources[index]?.fields['shares_space_with'];
    // What the schema has complained of is said once.
    if (sharesWith.size <= MAX_SHARED || (Array.isArray(said) && said.length > MAX_SHARED)) continue;
    const message = `would share ground with ${sharesWith.size}, those that name it included; a resource can with ${MAX_SHARED}`;
    faults.push(sharingFault(venue, venue.resources[index], message));
  }
}

function sharingFault(venue: FileVenue, row: FileResource | undefined, message: string): Fault {
  const path = 'shares_space_with';
  const subject = subjectOf(venue, ...(row === undefined ? [] : [row]));
  return { line: row?.lineOf(path) ?? 0, subject, path, message };
}

/** `Andheri Turf House / Turf A / Evenings`. */
function subjectOf(...rows: readonly FileRow[]): string {
  return rows
    .map(({ fields }) => textOf(fields['name']))
    .filter((name) => name !== '')
    .join(' / ');
}
