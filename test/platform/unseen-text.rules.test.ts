import { expect, test } from '@jest/globals';
import { LINES, ONE_LINE, onOneLine, plainJson, VISIBLE, withMarks } from '../../src/platform/unseen-text.rules.ts';

const range = (first: number, last = first) =>
  Array.from({ length: last - first + 1 }, (_, index) => String.fromCodePoint(first + index));
/** Direction marks first, then other invisible characters. */
const UNSEEN = [
  ...[...range(0x061c), ...range(0x200e, 0x200f), ...range(0x202a, 0x202e), ...range(0x2066, 0x2069)],
  ...[...range(0), ...range(0x1b), ...range(0x7f), ...range(0x9b), ...range(0xad), ...range(0x180e)],
  ...[...range(0x200b), ...range(0x2028, 0x2029), ...range(0x2060, 0x2064), ...range(0xfeff)],
  ...[...range(0xfff9, 0xfffb), ...range(0xe0001), ...range(0xe0041), '\ud800'],
];
const SEEN = [
  'Asha Rao',
  'José',
  'क्‍ष',
  'نیلوفر',
  'می‌خواهم',
  '👩‍👧',
  'O’Neil-Núñez',
  '北京',
  '🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}',
];

test.each(UNSEEN)(
  'an invisible character is rejected, marked in text, and removed or escaped for terminals: %j',
  (unseen) => {
    const text = `a${unseen}b`;
    expect([ONE_LINE.test(text), LINES.test(text)]).toEqual([false, false]);
    expect(withMarks(text)).toBe('a\uFFFDb');
    expect(onOneLine(text)).toBe('a b');
    const json = plainJson({ text });
    expect([json.includes(unseen), JSON.parse(json)]).toEqual([false, { text }]);
  },
);

test.each(SEEN)('text with joiners, accents and other scripts is unchanged: %s', (text) => {
  expect([ONE_LINE.test(text), LINES.test(text), withMarks(text), onOneLine(text)]).toEqual([
    ...[true, true, text, text],
  ]);
});

test('tabs and line breaks are allowed in prose and on a page, but not on one line', () => {
  const text = 'a\tb\r\nc';
  expect([ONE_LINE.test(text), LINES.test(text), withMarks(text)]).toEqual([false, true, text]);
  expect(onOneLine(text)).toBe('a b c');
});

test.each(['\u3164', '\ufe0f', '\u115f\u1160', '\uffa0', '\u2800', '\u034f', '\u0301', '\u00a0 \u3000', '\u200d'])(
  'text of only %j is not visible',
  (text) => expect(VISIBLE.test(text)).toBe(false),
);

test.each([...SEEN, '❤️', '1️⃣', '.', '₹'])('%s is visible', (text) => {
  expect(VISIBLE.test(text)).toBe(true);
});
