import Joi from 'joi';
import { invalidPhoneMessage, normalisePhone, withoutFormat } from '../domain/phone.ts';
import { isCalendarDate, parseInstant } from '../platform/calendar.ts';
import { isUuid } from '../platform/ids.ts';
import type { Position } from '../platform/pagination.ts';
import { decodeCursor } from '../platform/pagination.ts';
import { LINES, ONE_LINE, VISIBLE, withoutDirectionAtEnds } from '../platform/unseen-text.rules.ts';

// What joi checks by custom rules, `meta.jsonSchema` says to other programs, in patterns that those of every language can read; what
// no such pattern can say stands in words.

/** What is not seen does not belong in a name: it breaks logs and exports, and shows people another text than there is. */
const PRINTABLE = ONE_LINE;
/** The same, but tabs and line breaks may stand in prose. */
const PROSE = LINES;

const UNPRINTABLE_MESSAGE =
  'must not contain control characters, invisible characters, marks that change the direction of text, or unpaired surrogates';

const MESSAGES = {
  'string.blank': 'must not be blank',
  'string.pattern.base': UNPRINTABLE_MESSAGE,
};

/** Of `min` to `max` characters: code points, as JSON Schema counts them. joi counts UTF-16 units. */
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

/** One line for people to read, such as a name: not blank, and kept as it is given, but for direction marks around it. */
export const text = (max: number) => readable(max).pattern(PRINTABLE);

/** The same of several lines. */
export const prose = (max: number) => readable(max).pattern(PROSE);

/** One line that means something to its sender alone or names something: taken as it is given, spaces alone too. */
export const opaque = (max: number, min = 1) =>
  characters(min, max).pattern(PRINTABLE).messages({ 'string.pattern.base': UNPRINTABLE_MESSAGE });

const UUID_ANYWHERE =
  '^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[1-8][0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}$';

export const uuid = () =>
  Joi.string()
    .custom((value: string, helpers) => (isUuid(value) ? value.toLowerCase() : helpers.error('string.uuid')))
    .messages({ 'string.uuid': 'must be a UUID' })
    .meta({ jsonSchema: { format: 'uuid', pattern: UUID_ANYWHERE } });

/** A calendar date `YYYY-MM-DD` that exists. */
export const date = () =>
  Joi.string()
    .custom((value: string, helpers) => (isCalendarDate(value) ? value : helpers.error('string.date')))
    .messages({ 'string.date': 'must be YYYY-MM-DD, for example 2026-11-28' })
    .meta({ jsonSchema: { format: 'date' } });

/** `schema`, not after the field `last` beside it, which `read` reads. */
const notAfter = (
  schema: Joi.StringSchema,
  last: string,
  read: (given: string) => string | Date | undefined,
) =>
  schema
    .custom((value: string | Date, helpers) => {
      const [{ [last]: given }] = helpers.state.ancestors as [Record<string, unknown>];
      const end = typeof given === 'string' ? read(given) : undefined;
      return end !== undefined && value > end ? helpers.error('string.order') : value;
    })
    .messages({ 'string.order': `must not be after ${last}` });

/** A date that is not after the one in the field `last` beside it. */
export const dateNotAfter = (last: string) =>
  notAfter(date(), last, (given) => (isCalendarDate(given) ? given : undefined));

/** An instant of RFC 3339, with an offset or Z; the handler gets a Date, cut to milliseconds. */
export const instant = () =>
  Joi.string()
    .custom((value: string, helpers) => {
      // Of a query, where + stands for a space.
      const meant = value.replace(/ (?=\d{2}:\d{2}$)/, '+');
      const parsed = parseInstant(meant);
      if (parsed === undefined) return helpers.error('string.instant');
      return meant === value ? parsed : helpers.error('string.plus');
    })
    .messages({
      'string.plus': 'has a space before its offset: in a URL, write + as %2B',
      'string.instant': 'must be an RFC 3339 timestamp with an offset, for example 2026-11-21T04:30:00.000Z',
    })
    .meta({ jsonSchema: { format: 'date-time', pattern: INSTANT_ANYWHERE } });

/** An instant that is not after the one in the field `last` beside it. */
export const instantNotAfter = (last: string) => notAfter(instant(), last, parseInstant);

// With seconds, as `date-time` says. `\d` takes the digits of every script in some languages.
const INSTANT_ANYWHERE =
  '^[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]{1,9})?([Zz]|[+-][0-9]{2}:[0-9]{2})$';

/** Wall time `HH:MM`, 00:00 to 23:59, on a five-minute step. */
export const wallTime = () =>
  Joi.string()
    .pattern(/^(?:[01]\d|2[0-3]):[0-5][05]$/)
    .messages({
      'string.pattern.base': 'must be a time HH:MM from 00:00 to 23:55 on a multiple of 5 minutes',
    })
    .meta({ jsonSchema: { pattern: '^([01][0-9]|2[0-3]):[0-5][05]$' } });

/** The wall time at which something ends; the handler gets `00:00` for `24:00`, for both are the midnight that ends the day. */
export const wallTimeEnd = () =>
  Joi.string()
    .pattern(/^(?:(?:[01]\d|2[0-3]):[0-5][05]|24:00)$/)
    .custom((value: string) => (value === END_OF_DAY ? '00:00' : value))
    .messages({
      'string.pattern.base': 'must be a time HH:MM from 00:00 to 24:00 on a multiple of 5 minutes',
    })
    .meta({ jsonSchema: { pattern: '^(([01][0-9]|2[0-3]):[0-5][05]|24:00)$' } });

const END_OF_DAY = '24:00';

const bounded = Joi.extend((joi: Joi.Root) => ({
  type: 'array',
  base: joi.array(),
  validate(value: unknown[], { schema, error }: Joi.CustomHelpers) {
    const limit = schema.$_getRule('max')?.args?.['limit'] as number;
    return value.length > limit ? { value, errors: [error('array.max', { limit })] } : undefined;
  },
})) as { array: () => Joi.ArraySchema };

/**
 * A list of at most `max`. One that is longer is rejected as such and not looked into: each of tens of thousands of wrong members
 * would be a fault of its own, which takes a second and is a response of megabytes.
 */
export const list = (items: Joi.Schema, max: number) => bounded.array().items(items).max(max);

/** Rupees with at most two decimals. */
export const rupees = () =>
  Joi.number()
    .min(0)
    .max(10_000_000)
    .custom((value: number, helpers) =>
      Number(value.toFixed(2)) === value ? value : helpers.error('number.paise'),
    )
    .messages({ 'number.paise': 'must have at most two decimals' })
    // No `multipleOf`: validators divide in binary, and would reject 0.29.
    .description('Rupees, with at most two decimals.');

/** A customer's phone number, valid as E.164 or as a national number of `region`; kept as given, without format characters. */
export const customerPhone = (region: string) =>
  Joi.string()
    .custom(withoutFormat)
    .concat(opaque(20, 5))
    .custom((value: string, helpers) =>
      normalisePhone(value, region) === undefined ? helpers.error('string.phone') : value,
    )
    .messages({ 'string.phone': invalidPhoneMessage(region) })
    .description(`A valid phone number: E.164, or a national number of ${region}.`)
    .example('+919845012345');

/** A partner's own name of an order, by which it finds the booking. */
export const orderReference = () =>
  opaque(255).description('Your order reference. Stored as given.').example('order-2026-000731');

const METADATA = { keys: 20, key: '^[A-Za-z0-9][A-Za-z0-9_-]{0,39}$', value: 500 };
const METADATA_KEY = new RegExp(METADATA.key);
const METADATA_VALUE = opaque(METADATA.value).allow('');

/** Texts by names, which a partner keeps for itself. */
export const metadata = () =>
  Joi.object<Record<string, string>>()
    .unknown()
    .custom((value: Record<string, unknown>, helpers) => {
      const entries = Object.entries(value);
      const isEach = entries.every(
        ([key, kept]) =>
          METADATA_KEY.test(key) && METADATA_VALUE.validate(kept, { convert: false }).error === undefined,
      );
      return isEach && entries.length <= METADATA.keys ? value : helpers.error('metadata');
    })
    .messages({
      metadata: `must have at most ${METADATA.keys} keys of 1 to 40 characters A-Z a-z 0-9 _ -, beginning with a letter or digit. Values are one line of at most ${METADATA.value} characters`,
    })
    .description(
      `Your own data: at most ${METADATA.keys} texts of ${METADATA.value} characters. Only your reads and events show it. Store no personal data in it.`,
    )
    .meta({
      jsonSchema: {
        maxProperties: METADATA.keys,
        propertyNames: { pattern: METADATA.key },
        additionalProperties: { type: 'string', maxLength: METADATA.value },
      },
    })
    .example({ basket: 'b-118', channel: 'app' });

/** An idempotency key. */
export const idempotencyKey = () =>
  opaque(255)
    .description(
      'Identifies this operation: a repeated call with the same key has no further effect and returns the first response.',
    )
    .example('order-2026-000731');

/** The page size of a cursor listing. */
export const pageLimit = () =>
  Joi.number().integer().min(1).max(200).default(50).description('The maximum number of items on the page.');

/** The `next_cursor` of an earlier response; the handler gets the Position. */
export const cursor = () =>
  Joi.string()
    .custom((value: string, helpers) => decodeCursor(value) ?? helpers.error('string.cursor'))
    .messages({
      'string.cursor': 'is not a valid cursor. Send next_cursor exactly as it was returned.',
    })
    .description('`next_cursor` of the previous page, unchanged. Omit it for the first page.')
    .meta({ jsonSchema: { pattern: '^[A-Za-z0-9_-]+$' } });

/** The query of a listing that has no filters. */
export type PageQuery = { limit: number; cursor?: Position };

export const pageQuery = Joi.object<PageQuery>({ limit: pageLimit(), cursor: cursor() });

/** A parameter of a path. One of the wrong form names nothing and is treated like a missing object. */
export const pathId = (description: string, example: string) =>
  Joi.string()
    .meta(isUuid(example) ? { jsonSchema: { format: 'uuid' } } : {})
    .description(description)
    .example(example);
