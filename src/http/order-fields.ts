import Joi from 'joi';
import { invalidPhoneMessage, normalisePhone, withoutFormat } from '../domain/phone.ts';
import { opaque } from './fields.ts';

/** A valid phone number, E.164 or national in `region`; kept as given, without format characters. */
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

export const orderReference = () =>
  opaque(255).description('Your own reference of the order; stored as given.').example('order-2026-000731');

const MAX_KEYS = 20;
const KEY_PATTERN = '^[A-Za-z0-9][A-Za-z0-9_-]{0,39}$';
const MAX_VALUE_LENGTH = 500;
const METADATA_KEY = new RegExp(KEY_PATTERN);
const METADATA_VALUE = opaque(MAX_VALUE_LENGTH).allow('');

export const metadata = () =>
  Joi.object<Record<string, string>>()
    .unknown()
    .custom((value: Record<string, unknown>, helpers) => {
      const entries = Object.entries(value);
      const areValid = entries.every(
        ([key, kept]) =>
          METADATA_KEY.test(key) && METADATA_VALUE.validate(kept, { convert: false }).error === undefined,
      );
      return areValid && entries.length <= MAX_KEYS ? value : helpers.error('metadata');
    })
    .messages({
      metadata: `must have at most ${MAX_KEYS} keys of 1 to 40 characters A-Z a-z 0-9 _ -, beginning with a letter or digit. Values are one line of at most ${MAX_VALUE_LENGTH} characters`,
    })
    .description(
      `Your own data: at most ${MAX_KEYS} texts of ${MAX_VALUE_LENGTH} characters. Only your reads and events show it. Store no personal data in it.`,
    )
    .meta({
      jsonSchema: {
        maxProperties: MAX_KEYS,
        propertyNames: { pattern: KEY_PATTERN },
        additionalProperties: { type: 'string', maxLength: MAX_VALUE_LENGTH },
      },
    })
    .example({ basket: 'b-118', channel: 'app' });

export const idempotencyKey = () =>
  opaque(255)
    .description(
      'Names this operation: a repeated call with the same key has no further effect and gets the first response again.',
    )
    .example('order-2026-000731');
