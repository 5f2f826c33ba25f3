import type { ObjectSchema, ValidationErrorItem } from 'joi';
import type { FieldFault } from '../platform/errors.ts';
import { DomainError } from '../platform/errors.ts';

type Part = { value: unknown; schema: ObjectSchema<unknown> | undefined; convert: boolean };

/**
 * Checks body and query together and answers their clean values: unknown fields dropped, nothing in a body coerced,
 * numbers of a query read from text.
 * @throws DomainError VALIDATION_ERROR whose details name every faulty field, not only the first (decisions §1).
 */
export function validateInput(
  query: unknown,
  querySchema: ObjectSchema<unknown> | undefined,
  body: unknown,
  bodySchema: ObjectSchema<unknown> | undefined,
) {
  const faults: FieldFault[] = [];
  const checked = {
    query: check({ value: { ...(query as object) }, schema: querySchema, convert: true }, faults),
    body: check({ value: body, schema: bodySchema, convert: false }, faults),
  };
  if (faults.length === 0) return checked;
  const [first] = faults;
  const more = faults.length > 1 ? ` (and ${faults.length - 1} more, see details)` : '';
  throw new DomainError('VALIDATION_ERROR', `${first?.path}: ${first?.message}${more}`, { details: faults });
}

/**
 * Checks what did not come with a request, such as a file, by the same rules, nothing coerced. There, an unknown field is
 * most likely a mistyped one, and so a fault as well.
 */
export function checkClosed<T>(schema: ObjectSchema<T>, value: unknown): { value: T; faults: FieldFault[] } {
  const checked = schema.validate(value, {
    ...{ abortEarly: false, convert: false, errors: ERRORS },
    messages: { 'object.unknown': 'is no field that can be here' },
  });
  return { value: checked.value as T, faults: (checked.error?.details ?? []).flatMap(faultsOf) };
}

const ERRORS = { wrap: { label: false }, label: false } as const;

function check(part: Part, faults: FieldFault[]): unknown {
  if (part.schema === undefined) return {};
  const checked = part.schema.validate(part.value, {
    abortEarly: false,
    stripUnknown: true,
    convert: part.convert,
    errors: ERRORS,
  });
  for (const item of checked.error?.details ?? []) faults.push(...faultsOf(nameable(item)));
  return checked.value;
}

const FIELD_NAME = /^[\w-]{1,40}$/;

/** What no field could be called is not repeated, for it may be anything, a customer's name too: what it is in is named. */
function nameable(item: ValidationErrorItem): ValidationErrorItem {
  const at = item.path.findIndex((part) => typeof part === 'string' && !FIELD_NAME.test(part));
  return at === -1
    ? item
    : { ...item, path: item.path.slice(0, at), message: `has a field that ${item.message}` };
}

function faultsOf(item: ValidationErrorItem): FieldFault[] {
  const path = item.path.join('.');
  const peers = (item.context as { peers?: string[] } | undefined)?.peers;
  if (path === '' && peers !== undefined) return peers.map((peer) => ({ path: peer, message: item.message }));
  return [{ path: path === '' ? 'body' : path, message: item.message }];
}
