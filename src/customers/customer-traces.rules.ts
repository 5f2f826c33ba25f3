/** As a customer once gave it. */
export type Identity = { name: string | null; email: string | null };

const BETWEEN = '[^\\p{L}\\p{M}\\p{N}]';
const IN_WORD = '[\\p{L}\\p{M}\\p{N}]';

/** Names that are shorter are looked for as whole words only: "Al" is in many a key that is not about Al. */
const UNMISTAKABLE_LETTERS = 6;
const UNMISTAKABLE_DIGITS = 5;

/**
 * Says whether a text tells who a customer is: it holds one of `phones` (give the national number: its forms with a country
 * code end in it) with whatever punctuation among the digits, a full name with whatever punctuation between its words, or an
 * address, in upper or lower case.
 */
export function createTraceFinder(
  phones: readonly string[],
  identities: readonly Identity[],
): (text: string) => boolean {
  const patterns = [
    ...phones.map(phonePattern),
    ...identities.map(({ name }) => namePattern(normal(name))),
    ...identities.map(({ email }) => emailPattern(normal(email))),
  ];
  const finders = [...new Set(patterns)].filter((each) => each !== '').map((each) => new RegExp(each, 'iu'));
  return (text) => finders.some((finder) => finder.test(normal(text)));
}

function normal(text: string | null): string {
  return (text ?? '').normalize('NFKC');
}

function phonePattern(phone: string): string {
  const digits = phone.match(/\d/g) ?? [];
  return digits.length < UNMISTAKABLE_DIGITS ? '' : digits.join(`${BETWEEN}{0,3}`);
}

function namePattern(name: string): string {
  const words = name.split(new RegExp(`${BETWEEN}+`, 'u')).filter((word) => word !== '');
  const pattern = words.join(`${BETWEEN}*`);
  const isUnmistakable = words.join('').length >= UNMISTAKABLE_LETTERS;
  return pattern === '' || isUnmistakable ? pattern : `(?<!${IN_WORD})${pattern}(?!${IN_WORD})`;
}

function emailPattern(email: string): string {
  return email.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&').replace('@', '(?:@|%40)');
}
