import transliterate from '@sindresorhus/transliterate';
import { withAsciiDigits } from '../domain/phone.ts';
import { foldCase } from '../platform/fold-case.rules.ts';
import type { Customer } from './reservations.model.ts';

export function foldName(name: string): string {
  return foldCase(name).trim();
}

export function customerOf(fields: Pick<Customer, 'name' | 'phone' | 'phoneE164' | 'email'>): Customer {
  const { name, phoneE164 } = fields;
  return {
    ...fields,
    nameFolded: name === null ? null : foldName(name),
    nameWords: name === null ? [] : nameWordsOf(name),
    phoneReversed: phoneE164 === null ? null : reversed(digitsIn(phoneE164)),
  };
}

const MAX_WORDS = 12;

/** The words of a name as searches compare them: folded, without accents, in Latin letters if possible. */
function nameWordsOf(name: string): string[] {
  // Remove accents before transliterating: the library turns Müller into "mueller".
  const plain = name.normalize('NFKD').replaceAll(/[\u0300-\u036f]/g, '');
  const words = foldCase(inLatin(plain))
    .split(/[^\p{L}\p{M}\p{N}]+/u)
    .filter((word) => word !== '');
  return [...new Set(words)].slice(0, MAX_WORDS);
}

/** Transliterates only Latin, Cyrillic and Greek letters: the library would drop the vowels of Indian scripts. */
function inLatin(text: string): string {
  return text.replaceAll(/[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}]+/gu, (run) => transliterate(run));
}

/** An id, or word beginnings that must all occur in a name, or the beginning of a reversed phone. */
export type CustomerSearch = { id: string } | { words: string[] } | { phoneReversed: string };

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const MIN_DIGITS = 3;
const MIN_LETTERS = 2;

export const SHORT_SEARCH =
  'is too short. Send the whole id of a booking or hold, 2 letters of a name or more, or the last 3 digits of a phone or more.';

/** Reads a search text; undefined if it is too short. */
export function searchOf(text: string): CustomerSearch | undefined {
  const query = text.trim().toLowerCase();
  if (UUID.test(query)) return { id: query };
  const phone = withAsciiDigits(query);
  if (/^[\d\s()+./-]+$/.test(phone)) {
    // A national number begins with a 0 that its E.164 form omits.
    const digits = digitsIn(phone).replace(/^0+/, '');
    return digits.length < MIN_DIGITS ? undefined : { phoneReversed: reversed(digits) };
  }
  const words = nameWordsOf(query).toSorted((a, b) => b.length - a.length);
  return (words[0]?.length ?? 0) < MIN_LETTERS ? undefined : { words };
}

function digitsIn(text: string): string {
  return text.replaceAll(/\D/g, '');
}

function reversed(digits: string): string {
  return digits.split('').toReversed().join('');
}
