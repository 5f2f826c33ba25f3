import { text } from '../http/fields.ts';
import { invalidPhoneMessage, normalisePhone } from './phone.rules.ts';

/** A customer's phone number, valid as E.164 or as a national number of `region`; kept as given (decisions §4). */
export const customerPhone = (region: string) =>
  text(20, 5)
    .custom((value: string, helpers) =>
      normalisePhone(value, region) === undefined ? helpers.error('string.phone') : value,
    )
    .messages({ 'string.phone': invalidPhoneMessage(region) });
