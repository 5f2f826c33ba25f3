import document from '../../docs/openapi.operator.json' with { type: 'json' };
import { type Json, kebab, textOf } from './values.ts';

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

export type Operation = ReturnType<typeof operationOf>;

type Schema = {
  $ref?: string;
  type?: string | string[];
  description?: string;
  items?: Schema;
  enum?: unknown[];
  default?: unknown;
  examples?: unknown[];
  properties?: Record<string, Schema>;
  required?: string[];
};

/** The part of an operation's description that the commands use. */
type OperationObject = {
  operationId: string;
  summary: string;
  description?: string;
  parameters?: { name: string; in: string; description?: string; schema: Schema }[];
  requestBody?: { content: { 'application/json': { schema: Schema; example?: Json } } };
  responses: Record<string, { description?: string }>;
};

/** Every operation of docs/openapi.operator.json, by operationId. */
export const OPERATIONS: ReadonlyMap<string, Operation> = new Map(
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, object]) => {
      const operation = operationOf(method, path, object as OperationObject);
      return [operation.id, operation] as const;
    }),
  ),
);

function operationOf(method: string, path: string, object: OperationObject) {
  const { operationId: id, summary, description = '', parameters = [], requestBody, responses } = object;
  const json = requestBody?.content['application/json'];
  const { properties = {}, required = [] } = resolved(json?.schema ?? {});
  const [success] = Object.keys(responses).filter((status) => status < '300');
  return {
    id,
    method: method.toUpperCase(),
    path,
    summary,
    description,
    params: parameters
      .filter((each) => each.in === 'path')
      .map(({ name, description: about, schema: { examples = [] } }) => {
        return { name, description: withoutBackticks(about), example: textOf(examples[0]) };
      }),
    query: parameters
      .filter((each) => each.in === 'query')
      .map(({ name, description: about, schema }) => fieldOf(name, { ...schema, description: about ?? '' }, false)),
    body: Object.entries(properties).map(([name, field]) => fieldOf(name, field, required.includes(name))),
    example: json?.example ?? {},
    outcome: responses[success ?? '']?.description ?? '',
  };
}

function fieldOf(name: string, schema: Schema, isRequired: boolean): Field {
  const { type, description, items, enum: choices = [], default: fallback } = resolved(schema);
  const types = [type].flat();
  return {
    name,
    description: withoutBackticks(description),
    type: types.find((each) => each !== 'null') as Field['type'],
    itemType: textOf(items?.type),
    isNullable: types.includes('null'),
    isRequired,
    choices: choices.filter((value) => typeof value === 'string'),
    fallback,
  };
}

function withoutBackticks(description = ''): string {
  return description.replaceAll('`', '');
}

/** The schema, or the component that it refers to. */
function resolved(schema: Schema): Schema {
  const schemas: Record<string, Schema> = document.components.schemas;
  return schema.$ref === undefined ? schema : (schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {});
}

/** A command line from the description's example, valid except for its ids: the command, then each option. */
export function exampleParts(noun: string, verb: string, { params, body, example }: Operation): string[][] {
  const given = body.filter(({ name }) => name !== 'idempotency_key' && !['', '[]'].includes(textOf(example[name])));
  return [
    [noun, verb, ...params.map((param) => param.example)],
    ...given.map(({ name }) => [`--${kebab(name)}`, exampleText(example[name])]),
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
