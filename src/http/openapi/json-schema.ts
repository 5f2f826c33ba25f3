import type { Schema } from 'joi';

/** A schema of JSON Schema 2020-12, which is OpenAPI 3.1's own dialect. */
export type JsonSchema = { [keyword: string]: unknown };

export type Components = Map<string, JsonSchema>;

/** The published part of a joi schema's `describe()`. */
export type Described = {
  type: string;
  flags?: { presence?: string; description?: string; default?: unknown; only?: boolean };
  allow?: unknown[];
  rules?: { name: string; args?: { limit?: number; base?: number; regex?: string; comparator?: unknown } }[];
  metas?: Meta[];
  examples?: unknown[];
  keys?: Record<string, Described>;
  items?: Described[];
  matches?: { schema?: Described }[];
};

type Meta = { name?: string; jsonSchema?: JsonSchema; grows?: true };

export const described = (schema: Schema): Described => schema.describe() as Described;

/** The schema, with this name if it has none: generated clients name unnamed schemas by their place. */
export const withName = (schema: Described, name: string): Described =>
  metaOf(schema).name === undefined ? { ...schema, metas: [...(schema.metas ?? []), { name }] } : schema;

export const isRequired = ({ flags }: Described): boolean => flags?.presence === 'required';

/**
 * A joi schema as JSON Schema, in a form that client generators of many languages accept (ADR 0015): conditional
 * requirements are in words, growing lists are `x-extensible-enum`, patterns are portable, and objects are open. joi's
 * own converter does not support names, examples or custom rules.
 * @throws Error if two different schemas have one name
 */
export function toJsonSchema(schema: Described, components: Components): JsonSchema {
  const { name } = metaOf(schema);
  const converted = convert(schema, components);
  if (name === undefined) return converted;
  const known = components.get(name) ?? converted;
  if (JSON.stringify(known) !== JSON.stringify(converted)) throw new Error(`Two different schemas are named ${name}.`);
  components.set(name, converted);
  return { $ref: `#/components/schemas/${name}` };
}

function metaOf({ metas = [] }: Described): Meta {
  const jsonSchema = Object.assign({}, ...metas.map((meta) => meta.jsonSchema)) as JsonSchema;
  return Object.assign({}, ...metas, { jsonSchema }) as Meta;
}

function convert(schema: Described, components: Components): JsonSchema {
  const { flags: { description, default: fallback } = {}, examples } = schema;
  const { type, ...rules } = structure(schema, components);
  const isLeaf = schema.type !== 'object' && schema.type !== 'array';
  return {
    ...(description === undefined ? {} : { description }),
    ...(type === undefined ? {} : { type }),
    ...(fallback === undefined ? {} : { default: fallback }),
    ...rules,
    ...metaOf(schema).jsonSchema,
    ...(isLeaf && examples ? { examples: examples.slice(-1) } : {}),
  };
}

function structure(schema: Described, components: Components): JsonSchema {
  const { type, keys, allow = [], items: [item] = [], matches = [] } = schema;
  if (type === 'object') return { type, ...(keys && fieldsOf(keys, components)), ...boundsOf(schema) };
  if (type === 'array') {
    const types = allow.includes(null) ? [type, 'null'] : type;
    return { type: types, ...(item && { items: toJsonSchema(item, components) }), ...boundsOf(schema) };
  }
  if (type !== 'alternatives') return leaf(schema);
  return union(matches.flatMap((match) => (match.schema ? [toJsonSchema(match.schema, components)] : [])));
}

function fieldsOf(keys: Record<string, Described>, components: Components): JsonSchema {
  const fields = Object.entries(keys);
  const required = fields.filter(([, field]) => isRequired(field)).map(([name]) => name);
  const properties = fields.map(
    ([name, field]) => [name, toJsonSchema(withDefaultInWords(field), components)] as const,
  );
  return { properties: Object.fromEntries(properties), ...(required.length === 0 ? {} : { required }) };
}

/** openapi-typescript would make a field with the keyword `default` required. */
function withDefaultInWords({ flags = {}, ...field }: Described): Described {
  const { default: fallback, description, ...others } = flags;
  if (fallback === undefined) return { ...field, flags };
  const words = [description, `Default: ${JSON.stringify(fallback)}.`].filter((part) => part !== undefined).join(' ');
  return { ...field, flags: { ...others, description: words } };
}

/** One of these schemas. `or null` becomes a list of types if possible: of `anyOf`, generators would make a class. */
function union([first = {}, ...others]: readonly JsonSchema[]): JsonSchema {
  const [second] = others;
  const isOrNull = others.length === 1 && second?.['type'] === 'null' && typeof first['type'] === 'string';
  if (!isOrNull) return { anyOf: [first, ...others] };
  const orNull: JsonSchema = { ...first, type: [first['type'], 'null'] };
  for (const list of ['enum', 'x-extensible-enum'])
    if (first[list] !== undefined) orNull[list] = [...(first[list] as unknown[]), null];
  return orNull;
}

/** Leaves out what generators cannot handle: an `enum` of one number or boolean, and patterns that are not portable. */
function leaf(schema: Described): JsonSchema {
  const { flags, allow = [], rules = [] } = schema;
  const values = flags?.only === true ? allow.filter((value) => value !== null) : [];
  const isInteger = rules.some(({ name }) => name === 'integer');
  const own = schema.type === 'any' ? [...new Set(values.map((value) => typeof value))] : [schema.type];
  const types = [...(isInteger ? ['integer'] : own), ...(allow.includes(null) ? ['null'] : [])];
  const isListed = values.length > 1 || typeof values[0] === 'string';
  const list = metaOf(schema).grows === true ? 'x-extensible-enum' : 'enum';
  const isText = schema.type === 'string' && flags?.only !== true && !allow.includes('');
  return {
    type: types.length === 1 ? types[0] : types,
    ...(isText ? { minLength: 1 } : {}),
    ...boundsOf(schema),
    ...(isListed ? { [list]: allow.includes(null) ? [...values, null] : values } : {}),
  };
}

const KEYWORDS: Readonly<Record<string, string>> = {
  'string min': 'minLength',
  'string max': 'maxLength',
  'number min': 'minimum',
  'number max': 'maximum',
  'array min': 'minItems',
  'array max': 'maxItems',
  'object min': 'minProperties',
  'object max': 'maxProperties',
};

function boundsOf({ type, rules = [] }: Described): JsonSchema {
  const bounds = rules.flatMap(({ name, args = {} }): [string, unknown][] => {
    const keyword = KEYWORDS[`${type} ${name}`];
    if (keyword !== undefined) return [[keyword, args.limit]];
    if (name === 'multiple') return [['multipleOf', args.base]];
    if (name === 'unique' && args.comparator === undefined) return [['uniqueItems', true]];
    if (name === 'email') return [['format', 'email']];
    if (name !== 'pattern') return [];
    const pattern = String(args.regex).slice(1, -1);
    return /\\|\(\?/.test(pattern) ? [] : [['pattern', pattern]];
  });
  return Object.fromEntries(bounds);
}

/** The last `.example()`, else one made of the fields. @throws Error naming a required field without an example */
export const exampleOf = (schema: Schema): unknown => exampleIn(described(schema));

export function exampleIn(schema: Described, path = 'body'): unknown {
  const { examples, keys, items, matches, flags, allow } = schema;
  if (examples) return examples.at(-1);
  if (keys) {
    const shown = Object.entries(keys).filter(([, field]) => isRequired(field) || field.examples);
    return Object.fromEntries(shown.map(([name, field]) => [name, exampleIn(field, `${path}.${name}`)]));
  }
  if (items?.[0]) return [exampleIn(items[0], `${path}[0]`)];
  if (flags?.only === true) return allow?.[0];
  if (flags?.default !== undefined) return flags.default;
  if (matches?.[0]?.schema) return exampleIn(matches[0].schema, path);
  throw new Error(`${path} has no example.`);
}
