import { readFileSync } from 'node:fs';
import { InvalidArgumentError, Option } from 'commander';
import type { Field } from './description.ts';
import { codeOf, isObject, kebab, parseJson, textOf } from './values.ts';

/** What commander cannot keep as the value of an option: it takes null for no value at all. */
const NOTHING = Symbol('null');

/** The value of an option as it goes into a request. */
export const sentValue = (value: unknown): unknown => (value === NOTHING ? null : value);

const PLACEHOLDERS: Readonly<Record<Field['type'], string>> = {
  string: 'text',
  integer: 'number',
  number: 'number',
  boolean: 'true|false',
  array: 'list',
  object: 'json',
};

/** The option of a field: typed as the description types it, so that a mistake is found before anything is sent. */
export function optionOf(field: Field, isRequired = field.isRequired): Option {
  const isFlag = field.type === 'boolean';
  const placeholder = isFlag ? `[${PLACEHOLDERS.boolean}]` : `<${PLACEHOLDERS[field.type]}>`;
  const option = new Option(`--${kebab(field.name)} ${placeholder}`, describe(field, isRequired));
  if (field.choices.length > 0 && !isFlag) option.choices([...field.choices]);
  else option.argParser((text: string, previous: unknown) => read(field, text, previous));
  return isFlag ? option.preset('true') : option;
}

/** The name under which commander keeps the value of an option: `contactEmail`. */
export function attributeOf(field: Field): string {
  return optionOf(field).attributeName();
}

function describe(field: Field, isRequired: boolean): string {
  const remarks = [
    ...(isRequired ? ['required'] : []),
    ...(field.type === 'array' && field.itemType === 'string' ? ['comma-separated, or repeated'] : []),
    ...(isJson(field) ? ['as JSON, or @file'] : []),
    ...(field.isNullable ? ['null clears it'] : []),
    ...(field.fallback === undefined || textOf(field.fallback) === '[]'
      ? []
      : [`default ${textOf(field.fallback)}`]),
  ];
  const remark = remarks.length === 0 ? '' : `(${remarks.join('; ')})`;
  return [field.description, remark].filter((part) => part !== '').join(' ');
}

const isJson = ({ type, itemType }: Field) =>
  type === 'object' || (type === 'array' && itemType !== 'string');

/** @throws InvalidArgumentError, which commander turns into a sentence that names the option. */
function read(field: Field, text: string, previous: unknown): unknown {
  if (field.isNullable && text === 'null') return NOTHING;
  if (field.type === 'integer') return readNumber(text, /^-?\d+$/, 'It must be a whole number.');
  if (field.type === 'number') return readNumber(text, /^-?\d+(\.\d+)?$/, 'It must be a number.');
  if (field.type === 'boolean') return readBoolean(text);
  if (isJson(field)) return readJson(field, text);
  if (field.type !== 'array') return text;
  const items = text.split(',').map((item) => item.trim());
  const soFar: unknown[] = Array.isArray(previous) ? previous : [];
  return [...soFar, ...items.filter((item) => item !== '')];
}

function contentOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new InvalidArgumentError(`${file} cannot be read: ${codeOf(error) ?? String(error)}.`);
  }
}

function readNumber(text: string, pattern: RegExp, message: string): number {
  if (!pattern.test(text)) throw new InvalidArgumentError(message);
  return Number(text);
}

function readBoolean(text: string): boolean {
  if (text !== 'true' && text !== 'false') throw new InvalidArgumentError('It must be true or false.');
  return text === 'true';
}

/** JSON, or `@` and the file that has it. */
function readJson({ type }: Field, text: string): unknown {
  const value = parseJson(text.startsWith('@') ? contentOf(text.slice(1)) : text);
  const isAsTyped = type === 'array' ? Array.isArray(value) : isObject(value);
  if (!isAsTyped) throw new InvalidArgumentError(`It must be a JSON ${type}.`);
  return value;
}
