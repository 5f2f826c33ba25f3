import type { Schema } from 'joi';
import type { ErrorCode } from '../../domain/errors.ts';
import type { Operation } from '../route.ts';
import type { ErrorRules, ResponseObject } from './error-response-schemas.ts';
import { byStatus, errorResponse, responseName } from './error-response-schemas.ts';
import { type HeaderName, headersOf } from './headers.ts';
import type { Components, Described, JsonSchema } from './json-schema.ts';
import { described, exampleIn, isRequired, toJsonSchema, withName } from './json-schema.ts';
import { describeWebhooks, type WebhookDescription } from './webhooks.ts';

export type ListenerRules = ErrorRules & {
  /** The codes of the checks before an endpoint's own rules: key, rate limit. */
  errors: readonly ErrorCode[];
  errorsOfChanges: readonly ErrorCode[];
  /** The webhooks sent to the `endpoint_url` in the body, by operation. */
  callbacks: Readonly<Record<string, readonly WebhookDescription[]>>;
};

/** Schemas and responses shared by operations: the components of the document. */
export type SharedParts = { schemas: Components; responses: Map<string, ResponseObject> };

/** Every code that an operation can return: its own, and the codes of checks that its schemas imply. */
export function errorsOf(operation: Operation, rules: ListenerRules): Set<ErrorCode> {
  if (operation.isPublic === true) return new Set(operation.errors);
  const isChange = operation.method !== 'get';
  return new Set<ErrorCode>([
    // Unknown fields of a query are always rejected.
    'VALIDATION_ERROR',
    ...(isChange ? (['INVALID_JSON', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'] as const) : []),
    ...(isChange ? rules.errorsOfChanges : []),
    ...rules.errors,
    ...operation.errors,
    'INTERNAL_ERROR',
    'SERVICE_UNAVAILABLE',
  ]);
}

/** @throws Error if a parameter of the path is not described */
export function describeOperation(operation: Operation, rules: ListenerRules, shared: SharedParts): JsonSchema {
  const { operationId, tag, summary, description, body } = operation;
  const callbacks = rules.callbacks[operationId];
  const parameters = parametersOf(operation, shared.schemas);
  return {
    operationId,
    tags: [tag],
    summary,
    ...(description === undefined ? {} : { description }),
    ...(operation.deprecation === undefined ? {} : { deprecated: true }),
    ...(operation.isPublic === true ? { security: [] } : {}),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined ? {} : { requestBody: requestBodyOf(operationId, body, shared.schemas) }),
    responses: { ...successesOf(operation, shared.schemas), ...errorsByStatus(operation, rules, shared) },
    ...(callbacks === undefined ? {} : { callbacks: describeWebhooks(callbacks, shared.schemas) }),
  };
}

function parametersOf(operation: Operation, schemas: Components): JsonSchema[] {
  const ofPath = [...operation.path.matchAll(/:(\w+)/g)].map(([, name = '']) => {
    const schema = operation.params?.[name];
    if (schema === undefined) throw new Error(`${operation.path}: ${name} is not described.`);
    return parameter(name, 'path', described(schema), schemas);
  });
  const { query, body } = operation;
  const fields = Object.entries((query && described(query).keys) ?? {});
  const ofQuery = fields.map(([name, schema]) => parameter(name, 'query', schema, schemas));
  const takesKey = body !== undefined && described(body).keys?.['idempotency_key'] !== undefined;
  const isConditional = operation.responses[304] !== undefined;
  return [
    ...ofPath,
    ...ofQuery,
    ...(isConditional ? [{ $ref: '#/components/parameters/If-None-Match' }] : []),
    ...(takesKey ? [{ $ref: '#/components/parameters/Idempotency-Key' }] : []),
    { $ref: '#/components/parameters/X-Request-Id' },
  ];
}

function parameter(name: string, location: 'path' | 'query', schema: Described, schemas: Components): JsonSchema {
  const { description, ...rest } = toJsonSchema(schema, schemas);
  const required = location === 'path' || isRequired(schema);
  const [example] = Array.isArray(rest['examples']) ? (rest['examples'] as unknown[]) : [];
  return {
    name,
    in: location,
    ...(description === undefined ? {} : { description }),
    required,
    style: location === 'path' ? 'simple' : 'form',
    schema: rest,
    // Swagger UI fills in examples: that of an optional parameter, such as a filter, would narrow each request.
    ...(required && example !== undefined ? { example } : {}),
  };
}

function requestBodyOf(operationId: string, body: Schema, schemas: Components): JsonSchema {
  return {
    // A missing body counts as empty.
    required: body.validate({}).error !== undefined,
    content: contentOf(described(body), `${capitalized(operationId)}Body`, schemas),
  };
}

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** `BookingList` for listBookings, `BuyPackageResult` for buyPackage. Go generators need `…Response` for themselves. */
function resultName(operationId: string): string {
  const [, plural] = /^list(\w+)$/.exec(operationId) ?? [];
  if (plural === undefined) return `${capitalized(operationId)}Result`;
  return `${plural.replace(/ies$/, 'y').replace(/(?<!s)s$/, '')}List`;
}

function successesOf(operation: Operation, schemas: Components): Record<string, ResponseObject> {
  return Object.fromEntries(
    Object.entries(operation.responses).map(([status, { description, body, example, headers = [] }]) => [
      status,
      {
        description,
        headers: headersOf([
          ...headers,
          ...(operation.method === 'get' ? [] : (['X-Ignored-Fields'] as const)),
          ...deprecationHeaders(operation),
        ]),
        ...(body && { content: contentOf(described(body), resultName(operation.operationId), schemas, example) }),
      },
    ]),
  );
}

function contentOf(body: Described, name: string, schemas: Components, example = exampleIn(body)) {
  return { 'application/json': { schema: toJsonSchema(withName(body, name), schemas), example } };
}

function deprecationHeaders({ deprecation }: Operation): HeaderName[] {
  if (deprecation === undefined) return [];
  return ['Deprecation', 'Link', ...(deprecation.sunset === undefined ? [] : (['Sunset'] as const))];
}

function errorsByStatus(operation: Operation, rules: ListenerRules, { responses }: SharedParts) {
  const grouped = [...byStatus(errorsOf(operation, rules))];
  return Object.fromEntries(
    grouped.map(([status, codes]) => {
      const name = responseName(codes);
      if (!responses.has(name)) responses.set(name, errorResponse(codes, rules));
      return [String(status), { $ref: `#/components/responses/${name}` }];
    }),
  );
}
