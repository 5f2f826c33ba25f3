import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { COLLECTIONS } from '../../src/operations/database/collections.ts';
import type { IndexDefinition } from '../../src/platform/ensure-collection.ts';
import { projectFolder } from '../architecture/planted-tree.ts';

/** Migrations leave these indexes in the database, because the last release may still use them. */
const UNUSED_INDEXES = ['unsequenced_events_by_instant', 'receivers_of_event'];

test('each index covers fields of its collection’s documents', () => {
  const misplaced = COLLECTIONS.flatMap(({ jsonSchema, indexes }) => {
    const { properties } = jsonSchema as { properties: object };
    const paths = indexes.flatMap(({ key, partialFilterExpression }) =>
      Object.keys({ ...key, ...partialFilterExpression }),
    );
    return paths.filter((each) => !(String(each.split('.')[0]) in properties));
  });
  expect(misplaced).toEqual([]);
});

test('no index of the last release is built again: each has its old definition, or is no longer needed', () => {
  const file = path.join(projectFolder, 'docs/releases/indexes.1.0.0.json');
  const released = JSON.parse(readFileSync(file, 'utf8')) as Record<string, IndexDefinition[]>;
  const today = new Map(COLLECTIONS.map(({ name, indexes }) => [name, indexes]));
  const found = Object.entries(released).flatMap(([collection, indexes]) =>
    indexes.map((index) => [index, today.get(collection)?.find(({ name }) => name === index.name)] as const),
  );
  expect(found.flatMap(([index, current]) => (current === undefined ? [index.name] : []))).toEqual(UNUSED_INDEXES);
  for (const [index, current] of found) if (current !== undefined) expect(current).toEqual(index);
});
