import document from '../../docs/openapi.operator.json' with { type: 'json' };
import type { JsonSchema } from '../http/openapi/json-schema.ts';
import { isObject, kebab, objectsOf, textOf } from './values.ts';

export type Field = {
  name: string;
  description: string;
  type: 'string' | 'integer' | 'number' | 'boolean' | 'array' | 'object';
  itemType: string;
  isNullable: boolean;
  isRequired: boolean;
  choices: readonly string[];
  fallback: unknown;
};

export type Operation = {
  id: string;
  method: string;
  path: string;
  summary: string;
  description: string;
  params: readonly { name: string; description: string; example: string }[];
  query: readonly Field[];
  body: readonly Field[];
  example: Readonly<Record<string, unknown>>;
  outcome: string;
};

/** Every operation of docs/openapi.operator.json, by operationId. */
export const OPERATIONS: ReadonlyMap<string, Operation> = new Map(
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => {
      const operation = operationOf(method, path, described as JsonSchema);
      return [operation.id, operation] as const;
    }),
  ),
);

function operationOf(method: string, path: string, described: JsonSchema): Operation {
  const parametersIn = (place: string) => objectsOf(described['parameters']).filter((each) => each['in'] === place);
  const json = objectIn(objectIn(objectIn(described, 'requestBody'), 'content'), 'application/json');
  const schema = resolved(objectIn(json, 'schema'));
  const { required = [] } = schema;
  const [success] = Object.entries(objectIn(described, 'responses')).find(([status]) => status < '300') ?? [];
  return {
    id: textOf(described['operationId']),
    method: method.toUpperCase(),
    path,
    summary: textOf(described['summary']),
    description: textOf(described['description']),
    params: parametersIn('path').map((parameter) => ({
      name: textOf(parameter['name']),
      description: plain(parameter['description']),
      example: textOf([objectIn(parameter, 'schema')['examples']].flat()[0]),
    })),
    query: parametersIn('query').map((each) =>
      fieldOf(textOf(each['name']), { ...objectIn(each, 'schema'), ...each }, false),
    ),
    body: Object.entries(objectIn(schema, 'properties')).map(([name, field]) =>
      fieldOf(name, field as JsonSchema, (required as string[]).includes(name)),
    ),
    example: objectIn(json, 'example'),
    outcome: textOf(objectIn(objectIn(described, 'responses'), success ?? '')['description']),
  };
}

function fieldOf(name: string, described: JsonSchema, isRequired: boolean): Field {
  const schema = resolved(described);
  const types = [schema['type']].flat();
  return {
    name,
    description: plain(schema['description']),
    type: types.find((type) => type !== 'null') as Field['type'],
    itemType: textOf(objectIn(schema, 'items')['type']),
    isNullable: types.includes('null'),
    isRequired,
    choices: [schema['enum']].flat().filter((value) => typeof value === 'string'),
    fallback: schema['default'],
  };
}

function plain(description: unknown): string {
  return textOf(description).replaceAll('`', '');
}

/** The schema, or the component that it refers to. */
function resolved(schema: JsonSchema): JsonSchema {
  const { $ref: reference } = schema;
  if (typeof reference !== 'string') return schema;
  const schemas: JsonSchema = document.components.schemas;
  return objectIn(schemas, reference.split('/').at(-1) ?? '');
}

function objectIn(value: JsonSchema, name: string): JsonSchema {
  const found = value[name];
  return isObject(found) ? found : {};
}

/** A valid command line except for its ids, made from the description's example: its words, then each option. */
export function exampleParts(noun: string, verb: string, { params, body, example }: Operation): string[][] {
  const shown = body.filter(({ name }) => name !== 'idempotency_key' && !['', '[]'].includes(textOf(example[name])));
  return [
    [noun, verb, ...params.map((param) => param.example)],
    ...shown.map(({ name }) => [`--${kebab(name)}`, exampleText(example[name])]),
  ];
}

/** The example for a POSIX shell, one option a line. */
export function exampleOf(noun: string, verb: string, operation: Operation): string {
  const parts = exampleParts(noun, verb, operation).map((words) => words.map(quoted).join(' '));
  return `  npm run operator -- ${parts.join(' \\\n    ')}`;
}

function exampleText(value: unknown): string {
  const isListOfTexts = Array.isArray(value) && value.every((item) => typeof item === 'string');
  return isListOfTexts ? value.join(',') : textOf(value);
}

function quoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
