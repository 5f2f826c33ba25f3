// Generates src/schema.d.ts (types) and src/operations.ts (table of operations) from the OpenAPI description.
// `npm run generate` here reads docs/openapi.partner.json; the repository's `npm run docs` calls the same function.

import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { OpenAPI3, SchemaObject } from 'openapi-typescript';
import openapiTS, { astToString } from 'openapi-typescript';
import ts from 'typescript';

type Schema = {
  $ref?: string;
  properties?: Record<string, unknown>;
};
type Operation = {
  operationId: string;
  requestBody?: { content: { 'application/json': { schema: Schema } } };
};
type Description = {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
};

const HEAD = '// Generated from docs/openapi.partner.json. Run: npm run docs\n\n';

/** The generated files: path from the repository root → text. `json`: the OpenAPI description. */
export async function generatedClient(json: string): Promise<Record<string, string>> {
  const types = await openapiTS(JSON.parse(json, dropAdditional) as OpenAPI3, { transform: openEnum });
  return {
    'packages/client/src/schema.d.ts': `${HEAD}${astToString(types)}`,
    'packages/client/src/operations.ts': `${HEAD}${operationsOf(JSON.parse(json) as Description)}`,
  };
}

/** JSON.parse reviver that drops `additionalProperties: true`: the types would otherwise accept misspelt fields. */
function dropAdditional(name: string, value: unknown): unknown {
  return name === 'additionalProperties' && value === true ? undefined : value;
}

/** The type of an open enum: the known values or any other string, because the service may add values. */
function openEnum(schema: SchemaObject): ts.TypeNode | undefined {
  const values = schema['x-extensible-enum'] as (string | null)[] | undefined;
  if (values === undefined) return undefined;
  const { factory } = ts;
  const known = values.map((value) =>
    factory.createLiteralTypeNode(value === null ? factory.createNull() : factory.createStringLiteral(value)),
  );
  const text = factory.createKeywordTypeNode(ts.SyntaxKind.StringKeyword);
  const other = factory.createIntersectionTypeNode([text, factory.createTypeLiteralNode([])]);
  return factory.createUnionTypeNode([...known, other]);
}

function operationsOf({ paths, components }: Description): string {
  const operations = Object.entries(paths).flatMap(([route, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ ...operation, method, route })),
  );
  const rows = operations.map(
    ({ operationId, method, route }) => `  ${operationId}: '${method.toUpperCase()} ${route}',\n`,
  );
  const keyedIds = operations
    .filter(({ requestBody }) => hasKey(requestBody?.content['application/json'].schema, components))
    .map(({ operationId }) => `  '${operationId}',\n`);
  return `/** Method and path of every operation, by its operationId. */
export const OPERATIONS = {
${rows.join('')}} as const;

/** The operations whose body has an idempotency_key. */
export const KEYED_OPERATIONS: readonly string[] = [
${keyedIds.join('')}];
`;
}

function hasKey(schema: Schema | undefined, components: Description['components']): boolean {
  if (schema === undefined) return false;
  const { $ref: reference, properties = {} } = schema;
  if (reference !== undefined) return hasKey(components.schemas[path.posix.basename(reference)], components);
  return 'idempotency_key' in properties;
}

if (process.argv[1] === import.meta.filename) {
  const root = path.resolve(import.meta.dirname, '../../..');
  const json = await readFile(path.join(root, 'docs/openapi.partner.json'), 'utf8');
  for (const [file, text] of Object.entries(await generatedClient(json))) await writeFile(path.join(root, file), text);
}
