import type { ObjectSchema } from 'joi';
import { checkClosed } from '../../http/validate.ts';
import { MAX_PRICE_RULES } from '../../venues/price-rule-limit.rules.ts';
import type { PriceRuleBody } from '../../venues/price-rules.schemas.ts';
import { priceRuleBody } from '../../venues/price-rules.schemas.ts';
import { scheduleFaults } from '../../venues/schedule.rules.ts';
import type { ScheduleBody } from '../../venues/schedules.schemas.ts';
import { scheduleBody } from '../../venues/schedules.schemas.ts';
import type { ResourceBody, VenueBody } from '../../venues/venues.schemas.ts';
import { createResourceBody, createVenueBody, MAX_SHARED } from '../../venues/venues.schemas.ts';
import { textOf } from '../values.ts';
import type { Fault, FileContent, FileResource, FileRow, FileVenue } from './file-content.ts';
import { nameKey, venueKey } from './file-content.ts';

export type WantedRule = { line: number; body: PriceRuleBody };
export type WantedSchedule = { line: number; body: ScheduleBody };

export type WantedResource = {
  line: number;
  key: string;
  body: Omit<ResourceBody, 'shares_space_with'>;
  /** Whether the file says anything of the space that this one shares. */
  saysShared: boolean;
  /** The keys of those with which it shares space, whichever of the two says so. */
  sharesWith: Set<string>;
  schedule?: WantedSchedule;
  rules: WantedRule[];
};

export type WantedVenue = { line: number; key: string; body: VenueBody; resources: WantedResource[] };

type Checked = { venues: WantedVenue[]; faults: Fault[] };

/** Holds every row to the schemas and rules that the service itself uses, and rows to each other; finds all faults at once. */
export function checkContent({ venues, faults }: FileContent): Checked {
  const found = [...faults];
  const wanted = venues.map((venue) => checkVenue(venue, found));
  rejectDuplicates(
    venues,
    (venue) => venueKey(venue.fields),
    'is the name of another venue in the same city',
    found,
  );
  if (venues.length === 0 && found.length === 0) {
    found.push({ line: 1, subject: '', path: '', message: 'the file contains no venue' });
  }
  return { venues: wanted, faults: found.toSorted((a, b) => a.line - b.line) };
}

function checkVenue(venue: FileVenue, faults: Fault[]): WantedVenue {
  const body = checkRow(createVenueBody, venue, subjectOf(venue), faults);
  const resources = venue.resources.map((resource) => checkResource(venue, resource, faults));
  rejectDuplicates(
    venue.resources,
    ({ fields }) => nameKey(fields['name']),
    'is the name of another resource of this venue',
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
  rejectDuplicates(
    resource.priceRules,
    nameOf,
    'is the name of another price rule of this resource',
    faults,
    venue,
    resource,
  );
  if (rules.length > MAX_PRICE_RULES) {
    const message = `has ${rules.length} price rules; a resource can have at most ${MAX_PRICE_RULES}`;
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
  for (const { path, message } of found) {
    if (row.refused?.has(path) !== true) faults.push({ line: row.lineOf(path), subject, path, message });
  }
  return value;
}

/** Names are what things are known by from one import to the next. */
function rejectDuplicates<Row extends FileRow>(
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
    const earlier = `${message}, in line ${first.line}`;
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
        other === resource ? 'names the resource itself' : `there is no resource "${key}" at this venue`;
      faults.push(sharingFault(venue, row, message));
    }
  }
  for (const [index, { sharesWith }] of resources.entries()) {
    const said = venue.resources[index]?.fields['shares_space_with'];
    // What the schema has complained of is said once.
    if (sharesWith.size <= MAX_SHARED || (Array.isArray(said) && said.length > MAX_SHARED)) continue;
    const message = `would share space with ${sharesWith.size} resources, including those that name it; the limit is ${MAX_SHARED}`;
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
