import type { Schema } from 'joi';
import type { Described } from './json-schema.ts';
import { described, isRequired } from './json-schema.ts';

/**
 * An example of a schema: its own last `.example()`, else one made from its fields. Optional fields without an example
 * are left out.
 * @throws Error naming a required field without an example
 */
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
