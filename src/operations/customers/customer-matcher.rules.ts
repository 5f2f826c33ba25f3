import { foldCase } from '../../platform/fold-case.rules.ts';

/** As a customer once gave it. */
export type Identity = { name: string | null; email: string | null };

const BETWEEN = '[^\\p{L}\\p{M}\\p{N}]';
const SEPARATORS = new RegExp(`${BETWEEN}+`, 'u');

/** Shorter names are matched as whole words only: "Al" is in many a key that is not about Al. */
const UNMISTAKABLE_LETTERS = 6;
const UNMISTAKABLE_DIGITS = 5;

/** A text as it is compared: folded, its words, and these without what is between them. */
type Folded = { text: string; words: readonly string[]; letters: string };

/**
 * Whether a text identifies a customer: it holds one of `phones` (give the national number: its forms with a country
 * code end in it) with whatever punctuation among the digits, a full name in whatever order of its words and with whatever
 * punctuation among its letters, or an address, in upper or lower case. No pattern is made of what a customer or a partner wrote: some would take long to match.
 */
export function createCustomerMatcher(
  phones: readonly string[],
  identities: readonly Identity[],
): (text: string) => boolean {
  const patterns = phones.map(phonePattern).filter((each) => each !== '');
  const numbers = [...new Set(patterns)].map((each) => new RegExp(each, 'u'));
  const names = new Map(identities.map(({ name }) => folded(name)).map((name) => [name.letters, name.words]));
  names.delete('');
  const emails = new Set(identities.flatMap(({ email }) => spellingsOf(folded(email).text)));
  return (text) => {
    const given = folded(text);
    return (
      numbers.some((number) => number.test(given.text)) ||
      [...names.values()].some((words) => containsWords(given, words)) ||
      [...emails].some((email) => given.text.includes(email))
    );
  };
}

function folded(given: string | null): Folded {
  const text = foldCase(given ?? '');
  const words = text.split(SEPARATORS).filter((word) => word !== '');
  return { text, words, letters: words.join('') };
}

function phonePattern(phone: string): string {
  const digits = phone.match(/\d/g) ?? [];
  return digits.length < UNMISTAKABLE_DIGITS ? '' : digits.join(`${BETWEEN}{0,3}`);
}

/** The words that a name has at most for every order of them to be tried without anything in between. */
const REORDERED_WORDS = 4;

/** The words of a full name, in whatever order: each as a word of the text, or all of them run together. */
function containsWords(given: Folded, words: readonly string[]): boolean {
  // Nearly every text ends here.
  if (!words.every((word) => given.letters.includes(word))) return false;
  if (words.length > 1 && words.every((word) => given.words.includes(word))) return true;
  const orders = words.length > REORDERED_WORDS ? [words, words.toReversed()] : ordersOf(words);
  return orders.some((order) => containsName(given, order.join('')));
}

function ordersOf(words: readonly string[]): (readonly string[])[] {
  if (words.length < 2) return [words];
  return words.flatMap((word, index) =>
    ordersOf(words.toSpliced(index, 1)).map((others) => [word, ...others]),
  );
}

/** `name`: its letters alone. Of a short name, words that follow one another must make it up. */
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
