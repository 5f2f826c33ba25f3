import type mongoose from 'mongoose';
import { type Model, Schema, type SchemaDefinition } from 'mongoose';
import type { CollectionDefinition, IndexDefinition } from './ensure-collection.ts';
import type { Db } from './mongo.ts';

/** Fields that each document has. */
export const REQUIRED = {
  text: { type: String, required: true },
  number: { type: Number, required: true },
  flag: { type: Boolean, required: true },
  date: { type: Date, required: true },
  texts: { type: [String], required: true },
} as const;

/** Fields that are null where they have no value. */
export const NULLABLE = {
  text: { type: String, default: null },
  number: { type: Number, default: null },
  date: { type: Date, default: null },
  texts: { type: [String], default: null },
} as const;

/** Fields that are absent where they have no value. */
export const OPTIONAL = {
  text: { type: String },
  number: { type: Number },
  flag: { type: Boolean },
  date: { type: Date },
  texts: { type: [String], default: undefined },
} as const;

/** A value whose structure only the code describes. */
export const MIXED = { type: Schema.Types.Mixed } as const;

type TypeOf<Value> =
  | typeof Schema.Types.Mixed
  | (Value extends string
      ? StringConstructor
      : Value extends number
        ? NumberConstructor | typeof Schema.Types.Int32
        : Value extends boolean
          ? BooleanConstructor
          : Value extends Date
            ? DateConstructor
            : Value extends readonly (infer Item)[]
              ? readonly [TypeOf<Item> | { type: TypeOf<Item>; enum: readonly Item[] }]
              : Schema<Value>);

type Presence<Value> = undefined extends Value
  ? { required?: never; default?: unknown }
  : null extends Value
    ? { required?: never; default: null }
    : { required: true; default?: NonNullable<Value> };

/** Every field of a row, with its type; `required` if never absent or null. */
export type FieldsOf<Row> = {
  [field in keyof Row]-?: Presence<Row[field]> & {
    type: TypeOf<NonNullable<Row[field]>>;
    enum?: readonly NonNullable<Row[field]>[];
  };
};

/** The one description of a collection's documents; its indexes are added with `.index()`. */
export function schemaOf<Row>(collection: string, fields: FieldsOf<Row>): Schema<Row> {
  const definition: SchemaDefinition = { ...fields };
  return new Schema<Row>(definition, { collection, versionKey: false, minimize: false } as const);
}

/** A part of a document. */
export function partOf<Part>(fields: FieldsOf<Part>): Schema<Part> {
  const definition: SchemaDefinition = { ...fields };
  return new Schema<Part>(definition, { _id: false } as const);
}

/** The model of a collection: for ordinary reads and writes. Compiled on first use. */
export function modelOf<Row>(db: Db, schema: Schema<Row>): Model<Row> {
  const name = String(schema.get('collection'));
  return (db.models[name] ?? db.model(name, schema)) as unknown as Model<Row>;
}

/**
 * The driver's collection of the model: for pipelines, bulk writes and frequent writes. The database checks such
 * writes with the validator that is made from the schema (ADR 0024).
 */
export function collectionOf<Row extends object>(db: Db, schema: Schema<Row>): mongoose.mongo.Collection<Row> {
  const { collection }: Model<Row> = modelOf<Row>(db, schema);
  return collection as unknown as mongoose.mongo.Collection<Row>;
}

/** A collection as its mongoose schema describes it; `rules` is what the validator demands beyond the schema. */
export function definitionOf(
  schema: Pick<Schema, 'get' | 'indexes' | 'toJSONSchema'>,
  rules?: object,
): CollectionDefinition {
  return {
    name: String(schema.get('collection')),
    jsonSchema: { ...schema.toJSONSchema({ useBsonType: true }), ...(rules === undefined ? {} : { allOf: [rules] }) },
    indexes: schema.indexes().map(([key, options]) => ({ key, ...options })) as IndexDefinition[],
  };
}
