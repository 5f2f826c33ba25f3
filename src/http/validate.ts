import type { ObjectSchema, Schema, ValidationErrorItem, ValidationOptions } from 'joi';
import leven from 'leven';
import { DomainError, type FieldFault } from '../domain/errors.ts';
import { memoizeByObject } from '../platform/memoize-by-object.ts';
import { FIELD_NAME, fieldsOf, MAX_NAMES, nonCanonicalFields, repeatedFields, unknownFields } from './query-faults.ts';

type Input = {
  query?: unknown;
  querySchema?: ObjectSchema<unknown> | undefined;
  /** Unknown query fields to ignore; other unknown fields are faults. */
  ignoredInQuery?: readonly string[];
  body?: unknown;
  bodySchema?: ObjectSchema<unknown> | undefined;
};

type CheckedInput = { query: unknown; body: unknown; faults: FieldFault[]; ignoredFields: string[] };

/**
 * Checks body and query together and reports all faults. Unknown fields of a body are dropped and listed; unknown
 * fields of a query are faults, because a mistyped filter would list everything. A body is not coerced; numbers and
 * booleans of a query are parsed.
 */
export function checkInput({ query, querySchema, ignoredInQuery = [], body, bodySchema }: Input): CheckedInput {
  const faults: FieldFault[] = [];
  const parts = { ...(query as Record<string, unknown>) };
  const checked = {
    query: check(converting, querySchema, parts, faults),
    body: check(strict, bodySchema, body, faults),
  };
  faults.push(...nonCanonicalFields(parts, checked.query), ...unknownFields(parts, querySchema, ignoredInQuery));
  faults.unshift(...repeatedFields(parts));
  return { ...checked, faults, ignoredFields: Array.isArray(body) ? [] : droppedFields(body, checked.body) };
}

/**
 * `misspelt`: what `misspeltFields` returned for the body.
 * @throws DomainError VALIDATION_ERROR with the first fault of each field, if there are any
 */
export function requireNoFaults(all: readonly FieldFault[], misspelt: readonly string[] = []): void {
  const faults = [...new Map(all.toReversed().map((fault) => [fault.path, fault])).values()].toReversed();
  const [first, ...others] = faults;
  if (first === undefined) return;
  const paths = others.slice(0, MAX_NAMES).map(({ path }) => path);
  const more = paths.length > 0 ? ` (and ${others.length} more, see details: ${paths.join(', ')})` : '';
  const hint = misspelt.length > 0 ? ` ${misspelt.join(' ')}` : '';
  throw new DomainError('VALIDATION_ERROR', `${first.path}: ${first.message}${more}${hint}`, { details: faults });
}

const MAX_TYPING_ERRORS = 2;

/** A question for each unknown field with a name close to that of a known one: `slotId: did you mean slot_id?` */
export function misspeltFields(unknown: readonly string[], schema: ObjectSchema<unknown> | undefined): string[] {
  if (schema === undefined || unknown.length === 0) return [];
  const plain = (name: string) => name.toLowerCase().replaceAll(/[-_]/g, '');
  return unknown.flatMap((name) => {
    const meant = fieldsOf(schema).find((known) => leven(plain(name), plain(known)) <= MAX_TYPING_ERRORS);
    return meant === undefined ? [] : [`${name}: did you mean ${meant}?`];
  });
}

/** Checks a file or other input. Nothing is coerced; unknown fields are faults: they are probably mistyped. */
export function checkClosed<T>(schema: ObjectSchema<T>, value: unknown): { value: T; faults: FieldFault[] } {
  const checked = closed(schema)(value);
  return { value: checked.value as T, faults: (checked.error?.details ?? []).flatMap(faultsOf) };
}

const ERROR_FORMAT = { wrap: { label: false, array: false }, label: false } as const;

/** Used in place of joi's messages. A schema may override them for its own rules. */
const MESSAGES = {
  'any.only': 'must be one of {#valids}',
  'string.empty': 'must not be empty',
  'string.min': 'must have at least {#limit} characters',
  'string.max': 'must have at most {#limit} characters',
  'string.email': 'must be an e-mail address, for example asha@example.com',
  'number.integer': 'must be a whole number',
  'number.min': 'must be at least {#limit}',
  'number.max': 'must be at most {#limit}',
  'boolean.base': 'must be true or false',
  'array.base': 'must be a list',
  'array.min': 'must have at least {#limit} items',
  'array.max': 'must have at most {#limit} items',
  'array.unique': 'repeats an earlier item',
  'object.base': 'must be an object',
};

function check(validator: typeof strict, schema: Input['bodySchema'], value: unknown, faults: FieldFault[]): unknown {
  if (schema === undefined) return {};
  const checked = validator(schema)(value);
  for (const item of checked.error?.details ?? []) faults.push(...faultsOf(nameable(item)));
  return checked.value;
}

/**
 * Compiles the validator of a schema once; joi would do it in each call. Only invalid values are checked again with
 * messages, because joi copies the messages for each field.
 */
const checkedBy = ({ messages, ...options }: ValidationOptions) =>
  memoizeByObject((schema: ObjectSchema<unknown>) => {
    const quick = schema.prefs(options);
    const full = stoppingBeforeCustomRules(schema).prefs({
      ...options,
      messages: { ...MESSAGES, ...messages },
      abortEarly: false,
      errors: ERROR_FORMAT,
    });
    return (value: unknown) => {
      const checked = quick.validate(value);
      return checked.error === undefined ? checked : full.validate(value);
    };
  });

const converting = checkedBy({ stripUnknown: true, convert: true });
const strict = checkedBy({ stripUnknown: true, convert: false });
const closed = checkedBy({
  convert: false,
  messages: {
    'object.unknown': 'is not allowed here',
    'object.base': 'must have fields, each as name: value',
    'string.base': 'must be text, in quotes if it looks like a number',
  },
});

/** joi's own type has no function for `each`. */
type Modify = (options: { each: (part: Schema) => Schema; ref: false }) => Schema;

/** Makes fields with a custom rule stop at the first fault: custom rules rely on what earlier rules return. */
function stoppingBeforeCustomRules<Of extends Schema>(schema: Of): Of {
  const modify: unknown = schema.$_modify.bind(schema);
  const made = (modify as Modify)({ each: stoppingBeforeCustomRules, ref: false }).$_mutateRebuild() as Of;
  const rules = (made.describe()['rules'] ?? []) as { name: string }[];
  return rules.some(({ name }) => name === 'custom') ? (made.prefs({ abortEarly: true }) as Of) : made;
}

const HEADER_SAFE = /^[A-Za-z0-9_.-]{1,64}$/;

/** The paths of fields of `given` that `clean` lacks, at most 10. Names that no field could have are left out. */
function droppedFields(given: unknown, clean: unknown, prefix = ''): string[] {
  if (given === clean || !isContainer(given)) return [];
  const kept = isContainer(clean) ? clean : {};
  const dropped: string[] = [];
  for (const [name, value] of Object.entries(given)) {
    const path = `${prefix}${name}`;
    if (!HEADER_SAFE.test(path)) continue;
    if (Object.hasOwn(kept, name)) dropped.push(...droppedFields(value, kept[name], `${path}.`));
    else dropped.push(path);
    if (dropped.length >= MAX_NAMES) break;
  }
  return dropped.slice(0, MAX_NAMES);
}

function isContainer(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !(value instanceof Date);
}

/** For a field with an impossible name, reports its parent: the text may be a customer's name. */
function nameable(item: ValidationErrorItem): ValidationErrorItem {
  const at = item.path.findIndex((part) => typeof part === 'string' && !FIELD_NAME.test(part));
  return at === -1 ? item : { ...item, path: item.path.slice(0, at), message: `has a field that ${item.message}` };
}

/** @throws Error that a custom rule threw: it is a bug, and its text must not reach the sender. */
function faultsOf(item: ValidationErrorItem): FieldFault[] {
  if (item.type === 'any.custom') throw (item.context as { error: Error }).error;
  const path = item.path.join('.');
  const peers = (item.context as { peers?: string[] } | undefined)?.peers;
  if (path === '' && peers !== undefined) return peers.map((peer) => ({ path: peer, message: item.message }));
  return [{ path: path === '' ? 'body' : path, message: item.message }];
}
