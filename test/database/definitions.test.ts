import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { COLLECTIONS } from '../../src/operations/database/collections.ts';
import type { IndexDefinition } from '../../src/platform/ensure-collection.ts';
import { type FieldsOf, OPTIONAL, REQUIRED } from '../../src/platform/mongo-schema.ts';
import { projectFolder } from '../architecture/planted-tree.ts';

/** Migrations leave these indexes in the database, because the last release may still use them. */
const UNUSED_INDEXES = ['unsequenced_events_by_instant', 'receivers_of_event'];

type Row = { _id: string; at: Date; status: 'on' | 'off'; note?: string };

// The compiler checks that a schema has exactly the fields of its rows, with their types, required unless optional.
const fields: FieldsOf<Row> = {
  _id: REQUIRED.text,
  at: REQUIRED.date,
  status: { type: String, enum: ['on', 'off'], required: true },
  note: OPTIONAL.text,
};
const { note: _note, ...withoutNote } = fields;
// @ts-expect-error: a field is missing
const missing: FieldsOf<Row> = withoutNote;
// @ts-expect-error: no such field
const unknown: FieldsOf<Row> = { ...fields, notes: OPTIONAL.text };
// @ts-expect-error: another type
const mistyped: FieldsOf<Row> = { ...fields, at: REQUIRED.text };
// @ts-expect-error: never absent
const optionalId: FieldsOf<Row> = { ...fields, _id: OPTIONAL.text };
// @ts-expect-error: may be absent
const requiredNote: FieldsOf<Row> = { ...fields, note: REQUIRED.text };
// @ts-expect-error: no such value
const misspelt: FieldsOf<Row> = { ...fields, status: { type: String, enum: ['on', 'of'], required: true } };

test('the compiler rejects each difference between the fields of a row and its schema', () => {
  expect([missing, unknown, mistyped, optionalId, requiredNote, misspelt]).toHaveLength(6);
});

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
