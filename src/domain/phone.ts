import type { CountryCode } from 'libphonenumber-js';
import { isSupportedCountry, parsePhoneNumberFromString } from 'libphonenumber-js';
import { fieldError } from './errors.ts';

/**
 * The E.164 form (`+919845012345`) of a phone number written internationally or as people of `defaultRegion` write it,
 * or undefined when `text` is not one valid number and nothing else (contract: confirm/customer-phone).
 *
 * An extension is rejected: E.164 cannot have one, so two customers behind one switchboard would become the same.
 * Equal results mean the same number, however it was written.
 *
 * @throws RangeError when `defaultRegion` is no region.
 */
export function normalisePhone(text: string, defaultRegion: string): string | undefined {
  if (!isRegion(defaultRegion)) throw new RangeError(`${defaultRegion} is not a region with phone numbers.`);
  const number = parsePhoneNumberFromString(text, { defaultCountry: defaultRegion, extract: false });
  return number?.isValid() && number.ext === undefined ? number.number : undefined;
}

/** The message for a number that `normalisePhone` rejects. */
export function invalidPhoneMessage(region: string): string {
  return `is not a valid phone number. Send it as E.164 (+919876543210) or as a national number of ${region}.`;
}

/** The E.164 form of a customer's phone number. @throws DomainError VALIDATION_ERROR naming `customer_phone` */
export function requireCustomerPhone(text: string, defaultRegion: string): string {
  const phoneE164 = normalisePhone(text, defaultRegion);
  if (phoneE164 === undefined) throw fieldError('customer_phone', invalidPhoneMessage(defaultRegion));
  return phoneE164;
}

/** The digits of an E.164 number without its country code, as they stand in every written form of it. */
export function nationalDigitsOf(phoneE164: string): string {
  return parsePhoneNumberFromString(phoneE164)?.nationalNumber ?? phoneE164;
}

/** Whether `text` is the two-letter code (ISO 3166-1, upper case) of a region with phone numbers, such as `IN`. */
export function isRegion(text: string): text is CountryCode {
  return isSupportedCountry(text);
}
