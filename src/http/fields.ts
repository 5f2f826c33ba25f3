import Joi from 'joi';
import { isCalendarDate } from '../platform/calendar.ts';
import { isUuid } from '../platform/ids.ts';
import { decodeCursor } from '../platform/pagination.ts';
import { invalidPhoneMessage, normalisePhone } from '../platform/phone.ts';

/** Neither control characters nor halves of a surrogate pair: neither belongs in a name, and both break logs and exports. */
const PRINTABLE = /^[^\p{Cc}\p{Cs}]*$/u;
/** The same, but tabs and line breaks may stand in prose. */
const PROSE = /^(?:[^\p{Cc}\p{Cs}]|[\t\r\n])*$/u;

const UNPRINTABLE_MESSAGE = 'must not contain control characters or unpaired surrogates';

/** One line of text. */
export const text = (max: number, min = 1) =>
  Joi.string().min(min).max(max).pattern(PRINTABLE).messages({ 'string.pattern.base': UNPRINTABLE_MESSAGE });

/** Text of several lines. */
export const prose = (max: number) =>
  Joi.string().min(1).max(max).pattern(PROSE).messages({ 'string.pattern.base': UNPRINTABLE_MESSAGE });

export const uuid = () =>
  Joi.string()
    .custom((value: string, helpers) => (isUuid(value) ? value.toLowerCase() : helpers.error('string.uuid')))
    .messages({ 'string.uuid': 'must be a UUID' });

/** A calendar date `YYYY-MM-DD` that exists. */
export const date = () =>
  Joi.string()
    .custom((value: string, helpers) => (isCalendarDate(value) ? value : helpers.error('string.date')))
    .messages({ 'string.date': 'must be a calendar date of the form YYYY-MM-DD' });

/** The same, not after the date in the field `last` beside it. */
export const dateNotAfter = (last: string) =>
  date()
    .custom((value: string, helpers) => {
      const [fields] = helpers.state.ancestors as [Record<string, unknown>];
      const end = fields[last];
      return typeof end === 'string' && isCalendarDate(end) && value > end
        ? helpers.error('string.range')
        : value;
    })
    .messages({
      'string.range': `is after ${last}. Send a range whose first date is not after its last.`,
    });

/** An instant in ISO 8601 with an offset or Z; the handler gets a Date. */
export const instant = () =>
  Joi.string()
    .custom((value: string, helpers) => {
      // Date reads 30 February as 2 March.
      const isReal = INSTANT.test(value) && isCalendarDate(value.slice(0, 10));
      const parsed = isReal ? new Date(value) : new Date(Number.NaN);
      return Number.isNaN(parsed.getTime()) ? helpers.error('string.instant') : parsed;
    })
    .messages({
      'string.instant': 'must be an ISO 8601 timestamp with an offset, such as 2026-11-21T04:30:00.000Z',
    });

const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(?:Z|[+-]\d{2}:\d{2})$/;

/** Wall time `HH:MM`, 00:00 to 23:59, on a five-minute step. */
export const wallTime = () =>
  Joi.string()
    .pattern(/^(?:[01]\d|2[0-3]):[0-5][05]$/)
    .messages({
      'string.pattern.base': 'must be a time HH:MM from 00:00 to 23:55 on a multiple of 5 minutes',
    });

/** Rupees with at most two decimals. */
export const rupees = () =>
  Joi.number()
    .min(0)
    .max(10_000_000)
    .custom((value: number, helpers) =>
      Math.abs(value * 100 - Math.round(value * 100)) < 1e-6 ? value : helpers.error('number.paise'),
    )
    .messages({ 'number.paise': 'must have at most two decimals' });

/** A customer's phone number, valid as E.164 or as a national number of `region`; kept as given (decisions §4). */
export const customerPhone = (region: string) =>
  text(20, 5)
    .custom((value: string, helpers) =>
      normalisePhone(value, region) === undefined ? helpers.error('string.phone') : value,
    )
    .messages({ 'string.phone': invalidPhoneMessage(region) });

/** An idempotency key (decisions §4). */
export const idempotencyKey = () => text(255);

/** The page size of a cursor listing. */
export const pageLimit = () => Joi.number().integer().min(1).max(200).default(50);

/** The `next_cursor` of an earlier answer; the handler gets the Position. */
export const cursor = () =>
  Joi.string()
    .custom((value: string, helpers) => decodeCursor(value) ?? helpers.error('string.cursor'))
    .messages({
      'string.cursor': 'is not a cursor of this service. Pass next_cursor back exactly as it was returned.',
    });
