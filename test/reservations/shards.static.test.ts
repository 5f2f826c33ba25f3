import { expect, test } from '@jest/globals';
import type { IndexDefinition } from '../../src/platform/ensure-collection.ts';
import { GUARD_INDEX, RESERVATIONS } from '../../src/reservations/reservations.model.ts';
import { readDocument, tableRows } from '../docs/documents.ts';

/** The unique indexes that a collection sharded by venue could not keep, in the words of the ADR's table. */
const notOfVenue = (indexes: readonly IndexDefinition[]): string[] =>
  indexes
    .filter(
      ({ name, key, unique }) => unique === true && name !== GUARD_INDEX && Object.keys(key)[0] !== 'venueId',
    )
    .map(({ name, key }) => `${name}: ${Object.keys(key).join(', ')}`)
    .toSorted();

test('ADR 0054 names every unique index of reservations that does not begin with the venue, and its fields', async () => {
  const page = await readDocument('docs/adr/0054-no-routers-of-shards.md');
  const rows = tableRows(page, '| Unique index | By | Whose |').map(([name, by]) => `${name}: ${by}`);
  expect(rows.toSorted()).toEqual(notOfVenue(RESERVATIONS.indexes));

  // Control: of indexes that come, one by venue or one that is not unique is no matter, another is.
  const come: IndexDefinition[] = [
    { name: 'by_venue', key: { venueId: 1, code: 1 }, unique: true },
    { name: 'sorted', key: { code: 1 } },
    { name: 'by_code', key: { code: 1, venueId: 1 }, unique: true },
  ];
  expect(notOfVenue(come)).toEqual(['by_code: code, venueId']);
});
