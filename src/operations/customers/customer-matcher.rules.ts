import { foldCase } from '../../platform/fold-case.rules.ts';

/** A name and an email address that a customer gave. */
type Identity = { name: string | null; email: string | null };

const SEPARATOR = '[^\\p{L}\\p{M}\\p{N}]';
const SEPARATORS = new RegExp(`${SEPARATOR}+`, 'u');

/** Shorter names are matched as whole words only: "Al" is part of many words. */
const UNMISTAKABLE_LETTERS = 6;
/** Shorter numbers are not matched. */
const UNMISTAKABLE_DIGITS = 5;

/** A text in folded case: whole, in words, and its words joined. */
type Folded = { text: string; words: readonly string[]; letters: string };

/**
 * Whether a text identifies a customer, ignoring case: it contains one of `phones` (national numbers) with any
 * punctuation between the digits, all words of a name in any order, or an email address. Names and email addresses
 * never become patterns, which could take long to match.
 */
export function createCustomerMatcher(
  phones: readonly string[],
  identities: readonly Identity[],
): (text: string) => boolean {
  const patterns = phones.map(phonePattern).filter((each) => each !== '');
  const numberPatterns = [...new Set(patterns)].map((each) => new RegExp(each, 'u'));
  const names = new Map(identities.map(({ name }) => fold(name)).map((name) => [name.letters, name.words]));
  names.delete('');
  const emails = new Set(identities.flatMap(({ email }) => spellingsOf(fold(email).text)));
  return (text) => {
    const folded = fold(text);
    return (
      numberPatterns.some((pattern) => pattern.test(folded.text)) ||
      [...names.values()].some((words) => containsWords(folded, words)) ||
      [...emails].some((email) => folded.text.includes(email))
    );
  };
}

function fold(given: string | null): Folded {
  const text = foldCase(given ?? '');
  const words = text.split(SEPARATORS).filter((word) => word !== '');
  return { text, words, letters: words.join('') };
}

function phonePattern(phone: string): string {
  const digits = phone.match(/\d/g) ?? [];
  return digits.length < UNMISTAKABLE_DIGITS ? '' : digits.join(`${SEPARATOR}{0,3}`);
}

/** Names with at most this many words are tried in every order. */
const REORDERED_WORDS = 4;

/** Whether the text contains a name's words in any order, as separate words or joined. */
function containsWords(text: Folded, words: readonly string[]): boolean {
  // Almost every text fails this cheap check.
  if (!words.every((word) => text.letters.includes(word))) return false;
  if (words.length > 1 && words.every((word) => text.words.includes(word))) return true;
  const orders = words.length > REORDERED_WORDS ? [words, words.toReversed()] : ordersOf(words);
  return orders.some((order) => containsName(text, order.join('')));
}

function ordersOf(words: readonly string[]): (readonly string[])[] {
  if (words.length < 2) return [words];
  return words.flatMap((word, index) => ordersOf(words.toSpliced(index, 1)).map((others) => [word, ...others]));
}

/** Whether the text contains a name, given as its letters. A short name must be whole consecutive words. */
function containsName({ words, letters }: Folded, name: string): boolean {
  if (name.length >= UNMISTAKABLE_LETTERS) return letters.includes(name);
  return words.some((_word, first) => {
    let run = '';
    for (let next = first; run.length < name.length && next < words.length; next += 1) run += words[next];
    return run === name;
  });
}

function spellingsOf(email: string): string[] {
  return email === '' ? [] : [email, email.replace('@', '%40')];
}
