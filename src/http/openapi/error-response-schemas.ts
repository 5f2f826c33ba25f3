import Joi, { type Schema } from 'joi';
import { ERROR_CODES, ERRORS } from '../../domain/error-registry.ts';
import type { ErrorCode } from '../../domain/errors.ts';
import { camelCase } from '../../platform/objects.ts';
import { errorBody } from '../error-handler.ts';
import { EXAMPLE } from '../example-values.ts';
import { growing, object } from '../response-fields.ts';
import { type HeaderName, headersOf } from './headers.ts';
import { type Components, described, exampleOf, type JsonSchema, toJsonSchema } from './json-schema.ts';

export type ErrorRules = {
  /** The field `conflict` of some errors. `hasOwnError`: the code has its own error schema, with this `conflict`. */
  conflicts: Partial<Record<ErrorCode, { schema: Schema; hasOwnError?: true }>>;
  hasErrorPages: boolean;
};

export type ResponseObject = {
  description: string;
  headers: Record<string, { $ref: string }>;
  'x-error-codes'?: readonly ErrorCode[];
  content?: Record<string, { schema: JsonSchema; example?: unknown; examples?: Record<string, unknown> }>;
};

const HEADERS_OF_STATUS: Record<number, HeaderName[]> = { 405: ['Allow'], 429: ['Retry-After'], 503: ['Retry-After'] };

/** The codes grouped by status, in the order of the registry. */
export function byStatus(codes: ReadonlySet<ErrorCode>): Map<number, ErrorCode[]> {
  const grouped = new Map<number, ErrorCode[]>();
  for (const code of ERROR_CODES.filter((each) => codes.has(each))) {
    const { status } = ERRORS[code];
    grouped.set(status, [...(grouped.get(status) ?? []), code]);
  }
  return grouped;
}

export function responseName(codes: readonly ErrorCode[]): string {
  return codes.map(pascalCase).join('Or');
}

const pascalCase = (code: string): string => camelCase(`_${code}`);

/**
 * The response for these codes. It uses the common error schema if possible, because client generators make a type of
 * each further schema.
 */
export function errorResponse(codes: readonly ErrorCode[], rules: ErrorRules): ResponseObject {
  const [status = 500] = codes.map((code) => ERRORS[code].status);
  return {
    description: codes.map((code) => `\`${code}\`: ${ERRORS[code].when} ${ERRORS[code].remedy}`).join('\n\n'),
    'x-error-codes': codes,
    headers: headersOf(HEADERS_OF_STATUS[status] ?? []),
    content: {
      'application/json': {
        schema: { $ref: `#/components/schemas/${errorSchemaName(codes, rules)}` },
        examples: Object.fromEntries(
          codes.map((code) => [code, { summary: ERRORS[code].when, value: exampleBody(code, rules) }]),
        ),
      },
    },
  };
}

function exampleBody(code: ErrorCode, { conflicts, hasErrorPages }: ErrorRules) {
  const { when, remedy } = ERRORS[code];
  const conflict = conflicts[code];
  const details = [{ path: 'idempotency_key', message: 'is required' }];
  const extras = {
    ...(code === 'VALIDATION_ERROR' ? { details } : {}),
    ...(conflict === undefined ? {} : { conflict: exampleOf(conflict.schema) as Record<string, unknown> }),
  };
  const message = `${when} ${remedy}`;
  return errorBody({ code, message, requestId: EXAMPLE.requestId, hasPage: hasErrorPages, extras });
}

function errorSchemaName(codes: readonly ErrorCode[], { conflicts }: ErrorRules): string {
  const own = codes.find((code) => conflicts[code]?.hasOwnError);
  return own === undefined ? 'Error' : `${pascalCase(own)}Error`;
}

/** The error schemas by name: `Error`, and one for each code that has its own. */
export function errorSchemas(
  codes: readonly ErrorCode[],
  rules: ErrorRules,
  components: Components,
): [name: string, schema: JsonSchema][] {
  const nameOf = (code: ErrorCode) => errorSchemaName([code], rules);
  return [...new Set(codes.map(nameOf))].map((name) => {
    const withConflict = codes.find((code) => code in rules.conflicts && nameOf(code) === name);
    const schema = errorSchema(codes, withConflict && rules.conflicts[withConflict]?.schema, rules.hasErrorPages);
    return [name, toJsonSchema(described(schema), components)];
  });
}

/** The schema of error responses with the known codes; there may be more (docs/guides/versioning.md). */
function errorSchema(codes: readonly ErrorCode[], conflict: Schema | undefined, hasErrorPages: boolean): Schema {
  const page = Joi.string()
    .meta({ jsonSchema: { format: 'uri-reference' } })
    .description('The page about this code, relative to the address of the service.');
  const details = Joi.array().items(object({ path: Joi.string(), message: Joi.string() }));
  return object({
    success: Joi.boolean().description('false'),
    error: object({
      code: growing(Joi.string().valid(...codes)),
      message: Joi.string().description('What was wrong and what to do next.'),
      request_id: Joi.string().description(
        'The X-Request-Id of this response. Send it to the operator if you ask for help.',
      ),
      ...(hasErrorPages ? { docs: page.optional() } : {}),
      details: details.description('With VALIDATION_ERROR: every faulty field.').optional(),
      ...(conflict === undefined ? {} : { conflict: conflict.optional() }),
      booking_id: Joi.string()
        .description('With INVALID_HOLD_STATE, if your hold is confirmed: its booking.')
        .optional(),
    }),
  }).description('Every error response. Decide by `code`; `message` is for your developers and may change.');
}
