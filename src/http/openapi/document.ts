import { ERROR_CODES } from '../../domain/error-registry.ts';
import type { ErrorCode } from '../../domain/errors.ts';
import type { Operation } from '../route.ts';
import { errorResponse, errorSchemas, type ResponseObject } from './error-response-schemas.ts';
import { HEADERS, type HeaderName } from './headers.ts';
import type { JsonSchema } from './json-schema.ts';
import { describeOperation, errorsOf, type ListenerRules, type SharedParts } from './operations.ts';

export type ApiDescription = ListenerRules & {
  title: string;
  description: string;
  tags: readonly { name: string; description: string }[];
  securitySchemes: Readonly<Record<string, JsonSchema>>;
};

export type OpenApiDocument = {
  openapi: '3.1.0';
  info: JsonSchema;
  servers: JsonSchema[];
  security: JsonSchema[];
  tags: readonly JsonSchema[];
  paths: Record<string, Record<string, JsonSchema>>;
  components: {
    securitySchemes: Readonly<Record<string, JsonSchema>>;
    parameters: Record<string, JsonSchema>;
    headers: Record<string, JsonSchema>;
    responses: Record<string, ResponseObject>;
    schemas: Record<string, JsonSchema>;
  };
  'x-general-responses': Record<string, JsonSchema>;
};

/** The errors of requests that reach no operation. */
const GENERAL_ERRORS: ErrorCode[] = [
  'MALFORMED_REQUEST',
  'ROUTE_NOT_FOUND',
  'METHOD_NOT_ALLOWED',
  'REQUEST_TIMEOUT',
  'HEADERS_TOO_LARGE',
];

const PARAMETERS: Record<string, JsonSchema> = {
  'X-Request-Id': {
    name: 'X-Request-Id',
    in: 'header',
    description:
      'Your id for this request: 1 to 128 characters A-Z a-z 0-9 . _ -. Any other id is replaced. Your id is logged: put no personal data in it.',
    required: false,
    schema: { type: 'string', minLength: 1, maxLength: 128, pattern: '^[A-Za-z0-9._-]+$' },
  },
  'Idempotency-Key': {
    name: 'Idempotency-Key',
    in: 'header',
    description: 'An alternative to the field idempotency_key, in UTF-8. If you send both, they must be equal.',
    required: false,
    schema: { type: 'string', minLength: 1, maxLength: 255 },
  },
  'If-None-Match': {
    name: 'If-None-Match',
    in: 'header',
    description: 'The ETag of an earlier response.',
    required: false,
    schema: { type: 'string' },
  },
};

/** The OpenAPI 3.1 document of a listener. @throws Error for inconsistent or incomplete operations */
export function describeApi(api: ApiDescription, operations: readonly Operation[]): OpenApiDocument {
  requireDistinct(operations, api.tags);
  const shared: SharedParts = { schemas: new Map(), responses: new Map() };
  const paths: OpenApiDocument['paths'] = {};
  for (const operation of operations) {
    const path = operation.path.replace(/:(\w+)/g, '{$1}');
    const described = describeOperation(operation, api, shared);
    paths[path] = { ...paths[path], [operation.method]: described };
  }
  const errors = errorSchemas(codesOf(operations, api), api, shared.schemas);
  return {
    openapi: '3.1.0',
    info: {
      title: api.title,
      version: '1.0.0',
      description: api.description,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'The service that serves this document.' }],
    security: Object.keys(api.securitySchemes).map((name) => ({ [name]: [] })),
    tags: api.tags,
    paths,
    components: {
      securitySchemes: api.securitySchemes,
      parameters: usedIn(PARAMETERS, paths, 'parameters'),
      headers: usedIn(HEADERS, [paths, [...shared.responses.values()]], 'headers'),
      responses: sorted(shared.responses),
      schemas: sorted([...shared.schemas, ...errors]),
    },
    'x-general-responses': Object.fromEntries(GENERAL_ERRORS.map((code) => [code, generalResponse(code, api)])),
  };
}

function requireDistinct(operations: readonly Operation[], tags: ApiDescription['tags']): void {
  const ids = operations.map(({ operationId }) => operationId);
  const repeated = ids.find((id, index) => ids.indexOf(id) !== index);
  if (repeated !== undefined) throw new Error(`Two operations are called ${repeated}.`);
  const stray = operations.find(({ tag }) => !tags.some(({ name }) => name === tag));
  if (stray !== undefined) throw new Error(`${stray.operationId}: there is no tag ${stray.tag}.`);
}

/** Every error code of this listener, in the order of the registry. */
function codesOf(operations: readonly Operation[], api: ApiDescription): ErrorCode[] {
  const possible = new Set([...GENERAL_ERRORS, ...operations.flatMap((each) => [...errorsOf(each, api)])]);
  return ERROR_CODES.filter((code) => possible.has(code));
}

function usedIn(components: Record<string, JsonSchema>, users: unknown, kind: string): Record<string, JsonSchema> {
  const text = JSON.stringify(users);
  return Object.fromEntries(
    Object.entries(components).filter(([name]) => text.includes(`"#/components/${kind}/${name}"`)),
  );
}

/** The headers are inline: linters report components as unused if only this part refers to them. */
function generalResponse(code: ErrorCode, api: ApiDescription): JsonSchema {
  const { headers, ...response } = errorResponse([code], api);
  const names = Object.keys(headers) as HeaderName[];
  return { ...response, headers: Object.fromEntries(names.map((name) => [name, HEADERS[name]])) };
}

function sorted<Value>(components: Iterable<readonly [string, Value]>): Record<string, Value> {
  return Object.fromEntries([...components].sort(([a], [b]) => (a < b ? -1 : 1)));
}
