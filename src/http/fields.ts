import Joi from 'joi';
import { isCalendarDate, parseInstant } from '../platform/calendar.ts';
import { isUuid } from '../platform/ids.ts';
import { decodeCursor, type Position } from '../platform/pagination.ts';
import { LINES, ONE_LINE, VISIBLE, withoutDirectionAtEnds } from '../platform/unseen-text.rules.ts';

// `meta.jsonSchema` publishes the checks of custom rules, with patterns that work in every language. Descriptions state
// the rules that JSON Schema cannot express.

const UNPRINTABLE_MESSAGE =
  'must not contain control characters, invisible characters, marks that change the direction of text, or unpaired surrogates';

const MESSAGES = { 'string.blank': 'must not be blank', 'string.pattern.base': UNPRINTABLE_MESSAGE };

/** A text of `min` to `max` code points, as in JSON Schema; joi counts UTF-16 units. */
const characters = (min: number, max: number) =>
  Joi.string()
    .custom((value: string, helpers) => {
      if (value.length > max && lengthOf(value) > max) return helpers.error('string.max', { limit: max });
      if (value.length < 2 * min && lengthOf(value) < min) return helpers.error('string.min', { limit: min });
      return value;
    })
    .meta({ jsonSchema: { minLength: min, maxLength: max } });

function lengthOf(text: string): number {
  let length = 0;
  for (const _ of text) length += 1;
  return length;
}

const readable = (max: number) =>
  characters(1, max)
    .custom((value: string, helpers) => (VISIBLE.test(value) ? value : helpers.error('string.blank')))
    .custom(withoutDirectionAtEnds)
    .messages(MESSAGES);

/** One line for people, such as a name: not blank, kept as given except for direction marks around it. */
export const text = (max: number) => readable(max).pattern(ONE_LINE);

/** Several lines for people. */
export const prose = (max: number) => readable(max).pattern(LINES);

/** One line that only its sender interprets, such as a reference: kept as given, blanks included. */
export const opaque = (max: number, min = 1) =>
  characters(min, max).pattern(ONE_LINE).messages({ 'string.pattern.base': UNPRINTABLE_MESSAGE });

const PORTABLE_UUID = '^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[1-8][0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}$';

export const uuid = () =>
  Joi.string()
    .custom((value: string, helpers) => (isUuid(value) ? value.toLowerCase() : helpers.error('string.uuid')))
    .messages({ 'string.uuid': 'must be a UUID' })
    .meta({ jsonSchema: { format: 'uuid', pattern: PORTABLE_UUID } });

export const date = () =>
  Joi.string()
    .custom((value: string, helpers) => {
      if (isCalendarDate(value)) return value;
      return helpers.error(/^\d{4}-\d{2}-\d{2}$/.test(value) ? 'date.missing' : 'string.date');
    })
    .messages({
      'string.date': 'must be YYYY-MM-DD, for example 2026-11-28',
      'date.missing': 'is a date that does not exist in the calendar',
    })
    .meta({ jsonSchema: { format: 'date' } });

/** Adds a rule to `schema`: its value must not be after the field `endField`, which `read` parses. */
const notAfter = (schema: Joi.StringSchema, endField: string, read: (given: string) => string | Date | undefined) =>
  schema
    .custom((value: string | Date, helpers) => {
      const [{ [endField]: given }] = helpers.state.ancestors as [Record<string, unknown>];
      const end = typeof given === 'string' ? read(given) : undefined;
      return end !== undefined && value > end ? helpers.error('string.order') : value;
    })
    .messages({ 'string.order': `must not be after ${endField}` });

export const dateNotAfter = (endField: string) =>
  notAfter(date(), endField, (given) => (isCalendarDate(given) ? given : undefined));

/** An RFC 3339 instant with an offset or Z; the handler gets a Date, cut to milliseconds. */
export const instant = () =>
  Joi.string()
    .custom((value: string, helpers) => {
      // In a query, an unescaped + arrives as a space.
      const meant = value.replace(/ (?=\d{2}:\d{2}$)/, '+');
      const parsed = parseInstant(meant);
      if (parsed === undefined) return helpers.error('string.instant');
      return meant === value ? parsed : helpers.error('string.plus');
    })
    .messages({
      'string.plus': 'has a space before its offset: in a URL, write + as %2B',
      'string.instant': 'must be an RFC 3339 timestamp with an offset, for example 2026-11-21T04:30:00.000Z',
    })
    .meta({ jsonSchema: { format: 'date-time', pattern: PORTABLE_INSTANT } });

export const instantNotAfter = (endField: string) => notAfter(instant(), endField, parseInstant);

// Requires seconds, as `date-time` does. `[0-9]`, because in some languages `\d` matches the digits of every script.
const PORTABLE_INSTANT =
  '^[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]{1,9})?([Zz]|[+-][0-9]{2}:[0-9]{2})$';

/** Local time `HH:MM`, 00:00 to 23:55, in steps of five minutes. */
export const wallTime = () =>
  Joi.string()
    .pattern(/^(?:[01]\d|2[0-3]):[0-5][05]$/)
    .messages({ 'string.pattern.base': 'must be a time HH:MM from 00:00 to 23:55 on a multiple of 5 minutes' })
    .meta({ jsonSchema: { pattern: '^([01][0-9]|2[0-3]):[0-5][05]$' } });

/** The local time at which something ends; the handler gets `00:00` for `24:00`. */
export const wallTimeEnd = () =>
  Joi.string()
    .pattern(/^(?:(?:[01]\d|2[0-3]):[0-5][05]|24:00)$/)
    .custom((value: string) => (value === '24:00' ? '00:00' : value))
    .messages({ 'string.pattern.base': 'must be a time HH:MM from 00:00 to 24:00 on a multiple of 5 minutes' })
    .meta({ jsonSchema: { pattern: '^(([01][0-9]|2[0-3]):[0-5][05]|24:00)$' } });

const boundedJoi = Joi.extend((joi: Joi.Root) => ({
  type: 'array',
  base: joi.array(),
  validate(value: unknown[], { schema, error }: Joi.CustomHelpers) {
    const limit = schema.$_getRule('max')?.args?.['limit'] as number;
    return value.length > limit ? { value, errors: [error('array.max', { limit })] } : undefined;
  },
})) as { array: () => Joi.ArraySchema };

/** At most `max` items. Items of a longer list are not checked: thousands of faults take a second and megabytes. */
export const list = (items: Joi.Schema, max: number) => boundedJoi.array().items(items).max(max);

export const rupees = () =>
  Joi.number()
    .min(0)
    .max(10_000_000)
    .custom((value: number, helpers) => (Number(value.toFixed(2)) === value ? value : helpers.error('number.paise')))
    .messages({ 'number.paise': 'must have at most two decimals' })
    // No `multipleOf`: validators divide in binary and would reject 0.29.
    .description('Rupees, with at most two decimals.');

export const pageLimit = () =>
  Joi.number().integer().min(1).max(200).default(50).description('The maximum number of items on the page.');

/** The `next_cursor` of an earlier response; the handler gets the Position. */
export const cursor = () =>
  Joi.string()
    .custom((value: string, helpers) => decodeCursor(value) ?? helpers.error('string.cursor'))
    .messages({ 'string.cursor': 'is not a valid cursor. Send next_cursor exactly as it was returned.' })
    .description('`next_cursor` of the previous page, unchanged. Omit it for the first page.')
    .meta({ jsonSchema: { pattern: '^[A-Za-z0-9_-]+$' } });

export type PageQuery = { limit: number; cursor?: Position };

export const pageQuery = Joi.object<PageQuery>({ limit: pageLimit(), cursor: cursor() });

/** A parameter of a path. A malformed value gets the same response as the id of a missing object. */
export const pathId = (description: string, example: string) =>
  Joi.string()
    .meta(isUuid(example) ? { jsonSchema: { format: 'uuid' } } : {})
    .description(description)
    .example(example);
