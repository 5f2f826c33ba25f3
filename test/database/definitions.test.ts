import { describe, expect, test } from '@jest/globals';
import { COLLECTIONS } from '../../src/operations/database/collections.ts';
import { type FieldsOf, OPTIONAL, REQUIRED } from '../../src/platform/mongo-schema.ts';

type Row = { _id: string; at: Date; status: 'on' | 'off'; note?: string };

// Checked by the compiler: a schema has the fields of its rows and no others, each of its type, required where it is never absent.
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
const loose: FieldsOf<Row> = { ...fields, _id: OPTIONAL.text };
// @ts-expect-error: may be absent
const strict: FieldsOf<Row> = { ...fields, note: REQUIRED.text };
// @ts-expect-error: no such value
const misspelt: FieldsOf<Row> = { ...fields, status: { type: String, enum: ['on', 'of'], required: true } };

test('the compiler rejects each difference between the fields of a row and its schema', () => {
  expect([missing, unknown, mistyped, loose, strict, misspelt]).toHaveLength(6);
});

describe.each(COLLECTIONS)('the indexes of $name', ({ jsonSchema, indexes }) => {
  test('are on fields that its documents have', () => {
    const { properties } = jsonSchema as { properties: object };
    const paths = indexes.flatMap(({ key, partialFilterExpression = {} }) =>
      Object.keys({ ...key, ...partialFilterExpression }),
    );
    expect(paths.filter((path) => !(String(path.split('.')[0]) in properties))).toEqual([]);
  });
});
