import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';
import type { OpenApiDocument } from '../../src/http/openapi/document.ts';
import { webhooksOf } from '../../src/http/openapi/webhooks.ts';
import type { Reply } from './client.ts';
import { refersTo } from './references.ts';

type Json = Record<string, unknown>;
type Response = {
  'x-error-codes'?: readonly string[];
  headers?: Record<string, { $ref: string } | { required?: boolean }>;
  content?: { 'application/json': { schema: Json } };
};
type Operation = { tags: string[]; responses: Record<string, { $ref: string } | Response> };

export type AnswerChecker = (method: string, path: string, reply: Reply) => string | undefined;

/**
 * Returns how a response differs from the published description of its listener: an unknown operation, status, error
 * code or field, a wrong type, or a missing header. Treats objects and enums as closed, to find undescribed fields and
 * values.
 */
export function createAnswerChecker(document: OpenApiDocument): AnswerChecker {
  const validatorOf = createValidators(document);
  const operationOf = createLookup(document);

  return (method, path, reply) => {
    if (isSentToSignIn(path, reply)) return undefined;
    const { item, operation } = operationOf(method, path);
    const general = generalAnswer(document, item, operation, path, reply);
    const answer = general ?? operation?.responses[String(reply.status)];
    if (answer === undefined) return `${reply.status} is not described`;
    const { headers = {}, content, 'x-error-codes': codes } = refersTo(document, answer) as Response;
    for (const [name, header] of Object.entries(headers)) {
      const { required } = refersTo(document, header) as { required?: boolean };
      if (required === true && !reply.headers.has(name)) return `the header ${name} is missing`;
    }
    if (method === 'HEAD') return undefined;
    if (content === undefined) return reply.text === '' ? undefined : 'there is a body where none is described';
    if (reply.headers.get('content-type') !== 'application/json; charset=utf-8') return 'the body is not JSON';
    const validate = validatorOf(content['application/json'].schema);
    if (!validate(reply.body)) return explain(validate);
    const code = (reply.body as { error?: { code: string } }).error?.code;
    return codes === undefined || codes.includes(code ?? '')
      ? undefined
      : `${code} is none of the allowed values ${codes.join(', ')}`;
  };
}

const isOperators = (path: string): boolean => path.startsWith('/api/v1/operator');

/** The operator listener redirects a browser that requests a page to the sign-in page. */
function isSentToSignIn(path: string, { status, headers }: Reply): boolean {
  return isOperators(path) && status === 303 && headers.get('location')?.startsWith('/sign-in?') === true;
}

function explain({ errors }: ValidateFunction): string {
  return (errors ?? [])
    .slice(0, 3)
    .map(({ instancePath, message, params }) => `body${instancePath} ${message} ${JSON.stringify(params)}`)
    .join('; ');
}

/** The description of a response that belongs to no operation: to an unknown path or method, or without a key. */
function generalAnswer(
  document: OpenApiDocument,
  item: Json | undefined,
  operation: Operation | undefined,
  path: string,
  { status, text }: Reply,
): Response | { $ref: string } | undefined {
  const { ROUTE_NOT_FOUND, METHOD_NOT_ALLOWED } = document['x-general-responses'];
  // In production these paths do not exist.
  const isSandbox = operation?.tags.includes('Sandbox') === true;
  if (isSandbox && text.includes('"ROUTE_NOT_FOUND"')) return ROUTE_NOT_FOUND;
  if (operation !== undefined) return undefined;
  if (item !== undefined && status === 405) return METHOD_NOT_ALLOWED;
  if (item === undefined && status === 404) return ROUTE_NOT_FOUND;
  // The operator listener checks the key first, so that others do not learn which paths and methods exist.
  const isRejectedFirst = isOperators(path) && (status === 401 || status === 403);
  return isRejectedFirst
    ? { $ref: `#/components/responses/${status === 401 ? 'InvalidApiKey' : 'CsrfRejected'}` }
    : undefined;
}

/** Finds the operation as the router does: the first path that matches. */
function createLookup(document: OpenApiDocument) {
  const items = Object.entries(document.paths).map(([template, item]) => ({
    item: item as Json,
    pattern: new RegExp(`^${template.replace(/[.]/g, '\\.').replace(/\{\w+\}/g, '[^/]+')}/?$`, 'i'),
  }));
  return (method: string, path: string): { item: Json | undefined; operation: Operation | undefined } => {
    const item = items.find(({ pattern }) => pattern.test(path))?.item;
    const name = method === 'HEAD' ? 'get' : method.toLowerCase();
    return { item, operation: item?.[name] as Operation | undefined };
  };
}

/** Validators with all schemas of the document closed; compiled at first use and cached. */
export function createValidators(document: OpenApiDocument): (schema: Json) => ValidateFunction {
  // Optimizing the generated code takes longer than it saves.
  const ajv = new Ajv2020({ strict: false, allErrors: true, code: { optimize: false } });
  ajvFormats.default(ajv);
  const id = 'https://description.example/';
  ajv.addSchema({ $id: id, components: closed({ schemas: document.components.schemas }) as Json });
  const compiled = new Map<Json, ValidateFunction>();
  return (schema) => {
    const known = compiled.get(schema);
    if (known !== undefined) return known;
    const absolute = JSON.stringify(closed(schema)).replaceAll('"#/components/', `"${id}#/components/`);
    const validate = ajv.compile(JSON.parse(absolute) as Json);
    compiled.set(schema, validate);
    return validate;
  };
}

/** The schema with closed enums, and with no additional fields in objects that list their fields. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== 'object' || schema === null) return schema;
  const inner = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, closed(value)]));
  const { additionalProperties = true } = inner;
  const isClosable = inner['type'] === 'object' && 'properties' in inner && additionalProperties === true;
  const values = inner['x-extensible-enum'];
  return {
    ...inner,
    ...(isClosable ? { additionalProperties: false } : {}),
    ...(values === undefined ? {} : { enum: values }),
  };
}

type Webhook = {
  post: {
    parameters: { name: string; required: boolean; schema: Json }[];
    requestBody: { content: { 'application/json': { schema: Json } } };
  };
};

/** How a delivery differs from the webhooks section of the partner description; header names in lower case. */
export function createDeliveryChecker(document: OpenApiDocument) {
  const validatorOf = createValidators(document);
  const webhooks = webhooksOf(document);
  return (headers: Record<string, unknown>, body: Json): string | undefined => {
    const webhook = webhooks[String(body['event_type'])] as Webhook | undefined;
    if (webhook === undefined) return `there is no event ${String(body['event_type'])}`;
    const { parameters, requestBody } = webhook.post;
    for (const { name, required, schema } of parameters) {
      const value = headers[name.toLowerCase()];
      if (value === undefined ? required : !validatorOf(schema)(value)) return `the header ${name} is ${String(value)}`;
    }
    const validate = validatorOf(requestBody.content['application/json'].schema);
    return validate(body) ? undefined : explain(validate);
  };
}
