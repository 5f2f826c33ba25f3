import { type CountryCode, isSupportedCountry, parsePhoneNumberFromString } from 'libphonenumber-js';
import { fieldError } from './errors.ts';

/**
 * The E.164 form (`+919845012345`) of a phone number written internationally or as in `defaultRegion`; undefined if
 * `text` is not exactly one valid number (contract: confirm/customer-phone). An extension is rejected: E.164 cannot
 * have one. `isRegion` accepts every `defaultRegion`: the configuration checks that.
 */
export function normalisePhone(text: string, defaultRegion: string): string | undefined {
  const defaultCountry = defaultRegion as CountryCode;
  const number = parsePhoneNumberFromString(plainPhone(text), { defaultCountry, extract: false });
  return number?.isValid() && number.ext === undefined ? number.number : undefined;
}

/** Removes additions by people and phones: format characters, `tel:`, brackets around the country code. */
function plainPhone(text: string): string {
  return withAsciiDigits(withoutFormat(text))
    .replace(/^ *(?:tel:)? */i, '')
    .replace(/^\(\s*(\+\s*\d+)\s*\)/, '$1 ');
}

/** Removes characters that only affect layout, such as the marks that a contacts app puts around a number. */
export function withoutFormat(text: string): string {
  return text.replaceAll(/\p{Cf}/gu, '');
}

/** Digits of any script as ASCII digits. */
export function withAsciiDigits(text: string): string {
  return text.normalize('NFKC').replaceAll(/[^\P{Nd}0-9]/gu, (digit) => String(digitValue(digit)));
}

/** Works because Unicode orders each script's digits from 0 to 9. */
function digitValue(digit: string): number {
  const codePoint = digit.codePointAt(0) ?? 0;
  let zero = codePoint;
  while (/^\p{Nd}$/u.test(String.fromCodePoint(zero - 1))) zero -= 1;
  return (codePoint - zero) % 10;
}

export function invalidPhoneMessage(region: string): string {
  return `is not a valid phone number. Send it as E.164 (+919876543210) or as a national number of ${region}.`;
}

/** The E.164 form of a customer's phone number. @throws DomainError VALIDATION_ERROR naming `customer_phone` */
export function requireCustomerPhone(text: string, defaultRegion: string): string {
  const phoneE164 = normalisePhone(text, defaultRegion);
  if (phoneE164 === undefined) throw fieldError('customer_phone', invalidPhoneMessage(defaultRegion));
  return phoneE164;
}

/** The digits of an E.164 number without its country code. */
export function nationalDigitsOf(phoneE164: string): string {
  return parsePhoneNumberFromString(phoneE164)?.nationalNumber ?? phoneE164;
}

/** Whether `text` is the code (ISO 3166-1 alpha-2, upper case) of a region with phone numbers. */
export function isRegion(text: string): boolean {
  return isSupportedCountry(text);
}
