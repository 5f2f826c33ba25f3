import type { Schema } from 'joi';
import { flagsOf, isRequired, termsOf } from './json-schema.ts';

/**
 * An example of what a schema describes: its own `.example()` (the last one said), else one made of its fields' examples.
 * Fields that may be left out and have no example are left out.
 * @throws Error naming the field that must be there and has none.
 */
export function exampleOf(schema: Schema, path = 'body'): unknown {
  const { examples, keys, items, matches } = termsOf(schema);
  if (examples) return examples.at(-1);
  if (keys) return exampleOfObject(keys, path);
  if (items?.[0]) return [exampleOf(items[0], `${path}[0]`)];
  const { only, default: fallback } = flagsOf(schema);
  if (only === true) return (schema.describe() as { allow?: unknown[] }).allow?.[0];
  if (fallback !== undefined) return fallback;
  if (matches?.[0]?.schema !== undefined) return exampleOf(matches[0].schema, path);
  throw new Error(`${path} has no example.`);
}

function exampleOfObject(keys: { key: string; schema: Schema }[], path: string): unknown {
  const shown = keys.filter(({ schema }) => isRequired(schema) || termsOf(schema).examples);
  return Object.fromEntries(shown.map(({ key, schema }) => [key, exampleOf(schema, `${path}.${key}`)]));
}
