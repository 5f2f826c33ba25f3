import type mongoose from 'mongoose';
import { type InferRawDocType, type Model, Schema, type SchemaDefinition } from 'mongoose';
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
  /** True or absent. */
  mark: { type: Boolean } as Hinted<BooleanConstructor, true>,
} as const;

/** Fields that can be null and can be absent, for example in rows of older releases. */
export const NULL_OR_ABSENT = {
  text: { ...NULLABLE.text, required: false },
  date: { ...NULLABLE.date, required: false },
  texts: { ...NULLABLE.texts, required: false },
} as const;

/** A field whose values only the code describes: the validator accepts anything. */
export const mixed = <Value>() => ({ type: Schema.Types.Mixed }) as Hinted<typeof Schema.Types.Mixed, Value>;

/** A text whose values only the code describes: unlike with `enum`, the validator accepts any text. */
export const oneOf = <Value extends string | null>() => ({ type: String }) as Hinted<StringConstructor, Value>;

/** A field whose values have the type `Value`: `InferRawDocType` reads the hint, which does not exist at runtime. */
type Hinted<Type, Value> = { type: Type; __rawDocTypeHint: Value };

/** The values of a field as mongoose infers them (`Date` for its `NativeDate`), and null if that is the default. */
type ValueOf<Field> =
  InferRawDocType<{ value: Omit<Field, 'default' | 'required'> & { required: true } }> extends { value: infer Value }
    ? (Value extends Date ? Date : Value) | (Field extends { default: null } ? null : never)
    : never;

/** A field of every row. NULL_OR_ABSENT has `required: false`, so it does not match. */
type Present = { required: true } | { default: null; required?: never };

type RowWith<Fields> = Plain<
  { -readonly [Key in keyof Fields]?: ValueOf<Fields[Key]> } & {
    -readonly [Key in keyof Fields as Fields[Key] extends Present ? Key : never]: ValueOf<Fields[Key]>;
  }
>;

/** Lets errors and editors show the properties of a computed type. */
type Plain<Row> = { [Key in keyof Row]: Row[Key] } & {};

type Described<AnySchema> = AnySchema extends Schema<infer Row> ? Row : never;

/** The rows of a schema. A mapped type, so that errors show `type VenueRow = RowOf<…>` by its name. */
export type RowOf<AnySchema> = { [Key in keyof Described<AnySchema>]: Described<AnySchema>[Key] };

/** The one description of a collection's documents; its indexes are added with `.index()`. */
export function schemaOf<const Fields extends SchemaDefinition>(
  collection: string,
  fields: Fields,
): Schema<RowWith<Fields>> {
  return new Schema<RowWith<Fields>>(fields, { collection, versionKey: false, minimize: false } as const);
}

/** A part of a document. */
export function partOf<const Fields extends SchemaDefinition>(fields: Fields): Schema<RowWith<Fields>> {
  return new Schema<RowWith<Fields>>(fields, { _id: false } as const);
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
