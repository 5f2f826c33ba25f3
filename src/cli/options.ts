import { readFileSync } from 'node:fs';
import { InvalidArgumentError, Option } from 'commander';
import type { Field } from './description.ts';
import { codeOf, isObject, kebab, parseJson, textOf } from './values.ts';

/** Represents null, which commander would take for a missing value. */
const NULL_VALUE = Symbol('null');

export const valueToSend = (value: unknown): unknown => (value === NULL_VALUE ? null : value);

const PLACEHOLDERS: Readonly<Record<Field['type'], string>> = {
  string: '<text>',
  integer: '<number>',
  number: '<number>',
  boolean: '[true|false]',
  array: '<list>',
  object: '<json>',
};

/** The option of a field, with its type, so that mistakes are found before a call is sent. */
export function optionOf(field: Field, isRequired = field.isRequired): Option {
  const { name, type, choices } = field;
  const option = new Option(`--${kebab(name)} ${PLACEHOLDERS[type]}`, describe(field, isRequired));
  if (type === 'boolean') option.preset('true');
  if (choices.length > 0 && type !== 'boolean') return option.choices([...choices]);
  return option.argParser((text: string, previous: unknown) => read(field, text, previous));
}

function describe(field: Field, isRequired: boolean): string {
  const fallback = textOf(field.fallback);
  const remarks = [
    isRequired && 'required',
    isListOfTexts(field) && 'comma-separated, or repeated',
    isJson(field) && 'as JSON, or @file',
    field.isNullable && 'null clears it',
    fallback !== '' && fallback !== '[]' && `default ${fallback}`,
  ].filter((remark) => remark !== false);
  return remarks.length === 0 ? field.description : `${field.description} (${remarks.join('; ')})`.trim();
}

const isListOfTexts = ({ type, itemType }: Field) => type === 'array' && itemType === 'string';
const isJson = (field: Field) => field.type === 'object' || (field.type === 'array' && !isListOfTexts(field));

/** @throws InvalidArgumentError, which commander turns into a sentence naming the option */
function read(field: Field, text: string, previous: unknown): unknown {
  if (field.isNullable && text === 'null') return NULL_VALUE;
  if (field.type === 'string') return text;
  if (isListOfTexts(field)) {
    const items = text.split(',').map((item) => item.trim());
    return [...((previous ?? []) as string[]), ...items.filter((item) => item !== '')];
  }
  const value = parseJson(isJson(field) && text.startsWith('@') ? contentOf(text.slice(1)) : text);
  const [isValid, kind] = CHECKS[field.type];
  if (!isValid(value)) throw new InvalidArgumentError(`It must be ${kind}.`);
  return value;
}

const CHECKS: Readonly<Record<Exclude<Field['type'], 'string'>, [isValid: (value: unknown) => boolean, kind: string]>> =
  {
    integer: [Number.isInteger, 'a whole number'],
    number: [Number.isFinite, 'a number'],
    boolean: [(value) => typeof value === 'boolean', 'true or false'],
    array: [Array.isArray, 'a JSON array'],
    object: [isObject, 'a JSON object'],
  };

function contentOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new InvalidArgumentError(`${file} cannot be read: ${codeOf(error) ?? String(error)}.`);
  }
}
