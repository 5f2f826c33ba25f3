import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { ApiRequest } from './client.ts';
import type { Field, Operation } from './description.ts';
import { usageError } from './errors.ts';
import { optionOf, valueToSend } from './options.ts';
import { isObject, type Json, kebab, parseJson, textOf } from './values.ts';

export type Options = Json;

/** `madeIdempotencyKey`: the idempotency key, if the user gave none. */
type BuiltRequest = { request: ApiRequest; madeIdempotencyKey?: string };

const IDEMPOTENCY_KEY = 'idempotency_key';

/** Whether the user must give a field: idempotency keys are generated. */
export const isNeeded = ({ name, isRequired }: Field) => isRequired && name !== IDEMPOTENCY_KEY;

/**
 * The call of an operation with these arguments and options. Options override the fields of `--body`.
 * @throws CommandError (exit code 2) naming every missing field
 */
export async function buildRequest(
  operation: Operation,
  args: readonly string[],
  options: Options,
  readInput: () => Promise<string>,
): Promise<BuiltRequest> {
  const { method, body: fields } = operation;
  const path = pathWith(operation, args);
  const query = Object.fromEntries(
    Object.entries(valuesGiven(operation.query, options)).map(([name, value]) => [name, textOf(value)]),
  );
  if (fields.length === 0) return { request: { method, path, query } };
  const file = options['body'];
  const fileBody = typeof file === 'string' ? await readBody(file, readInput) : {};
  const body: Json = { ...fileBody, ...valuesGiven(fields, options) };
  const missing = fields.filter((field) => isNeeded(field) && body[field.name] === undefined);
  if (missing.length > 0) {
    const names = missing.map(({ name }) => `--${kebab(name)}`).join(', ');
    throw usageError(`Missing: ${names}. Give them as options, or in a JSON file with --body.`);
  }
  const request = { method, path, query, body };
  const needsKey = fields.some(({ name }) => name === IDEMPOTENCY_KEY);
  if (!needsKey || body[IDEMPOTENCY_KEY] !== undefined) return { request };
  const madeIdempotencyKey = `operator-${randomUUID()}`;
  body[IDEMPOTENCY_KEY] = madeIdempotencyKey;
  return { request, madeIdempotencyKey };
}

function pathWith({ path, params }: Operation, args: readonly string[]): string {
  return params.reduce((filled, { name }, index) => {
    const value = args[index] ?? '';
    // A URL would resolve these path segments.
    if (['', '.', '..'].includes(value))
      throw usageError(`"${value}" is not a valid ${kebab(name).replaceAll('-', ' ')}.`);
    return filled.replace(`{${name}}`, encodeURIComponent(value));
  }, path);
}

function valuesGiven(fields: readonly Field[], options: Options): Json {
  return Object.fromEntries(
    fields
      .map((field) => [field.name, valueToSend(options[optionOf(field).attributeName()])] as const)
      .filter(([, value]) => value !== undefined),
  );
}

async function readBody(file: string, readInput: () => Promise<string>): Promise<Json> {
  const text = file === '-' ? await readInput() : await readTextFile(file);
  const value = parseJson(text);
  if (!isObject(value)) throw usageError(`${file === '-' ? 'The input' : file} is not a JSON object.`);
  return value;
}

/** @throws CommandError (exit code 2) naming the file */
export async function readTextFile(file: string): Promise<string> {
  return readFile(file, 'utf8').catch((err: NodeJS.ErrnoException) => {
    throw usageError(`${file} cannot be read (${err.code ?? 'unknown reason'}).`);
  });
}
