import type { Schema } from 'joi';

/** A schema of JSON Schema 2020-12, which is OpenAPI 3.1's own dialect. */
export type JsonSchema = { [keyword: string]: unknown };

/** The schemas that were given a name, to which others refer. */
export type Components = Map<string, { source: Schema; converted: JsonSchema }>;

type Meta = {
  name?: string;
  jsonSchema?: JsonSchema;
  /** Of a list of values: that it may get more of them. */
  grows?: true;
};

/** What joi keeps of a schema; its own `describe()` goes through everything below at each call. */
type Terms = {
  keys?: { key: string; schema: Schema }[] | null;
  items?: Schema[] | null;
  matches?: { schema?: Schema }[] | null;
  metas?: Meta[] | null;
  examples?: unknown[] | null;
};
type Flags = { presence?: string; description?: string; default?: unknown; only?: boolean };

export const termsOf = (schema: Schema): Terms => schema.$_terms as Terms;
export const flagsOf = (schema: Schema): Flags => schema._flags as Flags;

/**
 * A joi schema as JSON Schema. joi's own converter says what joi's own rules are; added are what it cannot see: names
 * (`meta.name` becomes a component and a reference), what custom rules check (`meta.jsonSchema`), examples, and unions with
 * null. Written for generators of clients in many languages (ADR 0043): what an object needs only beside something else is in words,
 * values that may get more are `x-extensible-enum`, and there are only patterns that every language reads alike. Objects are left open:
 * requests may carry unknown fields, and receivers of responses must tolerate them.
 * @throws Error where two different schemas have one name.
 */
export function toJsonSchema(schema: Schema, components: Components): JsonSchema {
  const { name } = metaOf(schema);
  if (name === undefined) return convert(schema, components);
  const known = components.get(name);
  if (known?.source !== schema) {
    const converted = convert(schema, components);
    if (known !== undefined && JSON.stringify(known.converted) !== JSON.stringify(converted)) {
      throw new Error(`Two different schemas are named ${name}.`);
    }
    components.set(name, { source: schema, converted });
  }
  return { $ref: refTo(name) };
}

const refTo = (name: string): string => `#/components/schemas/${name}`;

/** All that was said with `.meta()`, later words over earlier ones. */
export function metaOf(schema: Schema): Meta {
  const metas = termsOf(schema).metas ?? [];
  const all = Object.assign({}, ...metas) as Meta;
  return { ...all, jsonSchema: Object.assign({}, ...metas.map((meta) => meta.jsonSchema)) as JsonSchema };
}

/** Whether a joi object must have this field. */
export function isRequired(schema: Schema): boolean {
  return flagsOf(schema).presence === 'required';
}

function convert(schema: Schema, components: Components): JsonSchema {
  const { description } = flagsOf(schema);
  return {
    ...(description === undefined ? {} : { description }),
    ...structure(schema, components),
    ...metaOf(schema).jsonSchema,
    ...leafExamples(schema),
  };
}

function structure(schema: Schema, components: Components): JsonSchema {
  const { keys, items, matches } = termsOf(schema);
  if (schema.type === 'object') {
    return keys ? objectOf(keys, components) : open(byJoi(schema));
  }
  if (schema.type === 'array') {
    return { ...byJoi(schema), ...(items?.[0] ? { items: toJsonSchema(items[0], components) } : {}) };
  }
  if (schema.type !== 'alternatives') {
    const values = withNull(withoutTrivialities(byJoi(schema)));
    return metaOf(schema).grows === true ? extensible(values) : values;
  }
  const choices = (matches ?? []).flatMap((match) => match.schema ?? []);
  return union(choices.map((choice) => toJsonSchema(choice, components)));
}

/** A schema or null is a list of types where it can be: generators make a class of its own of a schema that is null alone. */
function union(choices: readonly JsonSchema[]): JsonSchema {
  const [first = {}, second] = choices;
  const isOrNull = choices.length === 2 && second?.['type'] === 'null' && typeof first['type'] === 'string';
  if (!isOrNull) return { anyOf: choices };
  return withNull({ ...first, type: [first['type'], 'null'] });
}

/**
 * Without what generators stumble over: a list of one value that is no text, and patterns that are not in the subset of regular
 * expressions that JSON Schema recommends for all languages. The words of the field say it.
 */
function withoutTrivialities({ pattern, enum: values, ...rest }: JsonSchema): JsonSchema {
  const isPortable = typeof pattern === 'string' && !/\\|\(\?/.test(pattern);
  const isList = Array.isArray(values) && (values.length > 1 || typeof values[0] === 'string');
  return { ...rest, ...(isList ? { enum: values } : {}), ...(isPortable ? { pattern } : {}) };
}

/** Written here, because joi's converter knows no names and makes of `.when()` what no reader understands. */
function objectOf(keys: NonNullable<Terms['keys']>, components: Components): JsonSchema {
  const required = keys.filter(({ schema }) => isRequired(schema)).map(({ key }) => key);
  const properties = Object.fromEntries(
    keys.map(({ key, schema }) => [key, toJsonSchema(schema, components)]),
  );
  return { type: 'object', properties, ...(required.length === 0 ? {} : { required }) };
}

function byJoi(schema: Schema): JsonSchema {
  return schema['~standard'].jsonSchema.input({ target: 'draft-2020-12' });
}

function open({ additionalProperties, ...rest }: JsonSchema): JsonSchema {
  return additionalProperties === false || additionalProperties === undefined
    ? rest
    : { ...rest, additionalProperties };
}

/** With null in the list of values where the type has it: joi's converter forgets it there. */
function withNull(schema: JsonSchema): JsonSchema {
  const { type } = schema;
  if (!Array.isArray(type) || !type.includes('null')) return schema;
  return Object.fromEntries(
    Object.entries(schema).map(([keyword, value]) => [
      keyword,
      VALUE_LISTS.has(keyword) ? [...new Set([...(value as unknown[]), null])] : value,
    ]),
  );
}

const VALUE_LISTS = new Set(['enum', 'x-extensible-enum']);

function extensible({ enum: values, ...rest }: JsonSchema): JsonSchema {
  return { ...rest, 'x-extensible-enum': values };
}

function leafExamples(schema: Schema): JsonSchema {
  const { examples } = termsOf(schema);
  const isLeaf = schema.type !== 'object' && schema.type !== 'array';
  return isLeaf && examples ? { examples: examples.slice(-1) } : {};
}
