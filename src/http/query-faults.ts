import { isUtf8 } from 'node:buffer';
import type { ObjectSchema } from 'joi';
import type { FieldFault } from '../domain/errors.ts';
import { memoizeByObject } from '../platform/memoize-by-object.ts';

/** A fault list or message names at most this many fields. */
export const MAX_NAMES = 10;

/** A name that a field could have; any other may be a customer's data and is not repeated. */
export const FIELD_NAME = /^[\w-]{1,40}$/;

export const fieldsOf = memoizeByObject((schema: ObjectSchema<unknown>): readonly string[] =>
  Object.keys((schema.describe()['keys'] ?? {}) as object),
);

export function repeatedFields(given: Record<string, unknown>): FieldFault[] {
  const names = Object.keys(given).filter((name) => Array.isArray(given[name]));
  return names.slice(0, MAX_NAMES).map((name) => ({ path: pathOf(name), message: 'is sent twice: send it once' }));
}

const pathOf = (name: string): string => (FIELD_NAME.test(name) ? name : 'query');

/** Faults for numbers and booleans in a query that are not canonical: ` 5`, `+5`, `05`, `5.0`. */
export function nonCanonicalFields(given: Record<string, unknown>, clean: unknown): FieldFault[] {
  return Object.entries(clean as Record<string, unknown>)
    .filter(([name, value]) => typeof given[name] === 'string' && isScalar(value) && given[name] !== String(value))
    .map(([path, value]) => ({ path, message: `must be written exactly as ${String(value)}` }));
}

const isScalar = (value: unknown): boolean => typeof value === 'number' || typeof value === 'boolean';

export function unknownFields(
  given: Record<string, unknown>,
  schema: ObjectSchema<unknown> | undefined,
  ignored: readonly string[],
): FieldFault[] {
  const names = Object.keys(given);
  if (names.length === 0) return [];
  const known = schema === undefined ? [] : fieldsOf(schema);
  const unknown = names.filter((name) => !known.includes(name) && !ignored.includes(name));
  if (unknown.length === 0) return [];
  const remedy = known.length === 0 ? 'this endpoint has no query fields' : `the known fields are ${known.join(', ')}`;
  return [...new Set(unknown.map(pathOf))].slice(0, MAX_NAMES).map((path) => ({
    path,
    message: `${path === 'query' ? 'has an unknown field' : 'is not a known query field'}: ${remedy}`,
  }));
}

/** Query fields that are not UTF-8: Express would replace bytes, and the call would use another value. */
export function undecodableFields(url: string): FieldFault[] {
  const query = url.slice(url.indexOf('?') + 1);
  // Node's parser rejects URLs with bytes beyond ASCII.
  if (query === url || !query.includes('%')) return [];
  const faulty = query.split('&').filter((pair) => !isUtf8(percentDecoded(pair)));
  const names = faulty.map((pair) => pair.split('=', 1)[0] ?? '');
  return names.slice(0, MAX_NAMES).map((name) => ({
    path: pathOf(name),
    message: 'is not UTF-8: percent-encode the bytes of the text in UTF-8',
  }));
}

const percentDecoded = (text: string): Buffer =>
  Buffer.from(
    text.replace(/%([\da-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  );
