import { expect, test } from '@jest/globals';
import { LINES, ONE_LINE, onOneLine, plainJson, VISIBLE, withMarks } from '../../src/platform/unseen-text.rules.ts';

const named = (from: number, to = from) =>
  Array.from({ length: to - from + 1 }, (_, index) => String.fromCodePoint(from + index));
/** Direction marks first, then other invisible characters. */
const UNSEEN = [
  ...[...named(0x061c), ...named(0x200e, 0x200f), ...named(0x202a, 0x202e), ...named(0x2066, 0x2069)],
  ...[...named(0), ...named(0x1b), ...named(0x7f), ...named(0x9b), ...named(0xad), ...named(0x180e)],
  ...[...named(0x200b), ...named(0x2028, 0x2029), ...named(0x2060, 0x2064), ...named(0xfeff)],
  ...[...named(0xfff9, 0xfffb), ...named(0xe0001), ...named(0xe0041), '\ud800'],
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

test.each(UNSEEN)('invisible text is recognised, marked and kept from terminals: %j', (unseen) => {
  const text = `a${unseen}b`;
  expect([ONE_LINE.test(text), LINES.test(text)]).toEqual([false, false]);
  expect(withMarks(text)).toBe('a\uFFFDb');
  expect(onOneLine(text)).toBe('a b');
  const json = plainJson({ text });
  expect([json.includes(unseen), JSON.parse(json)]).toEqual([false, { text }]);
});

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
  'nobody sees %j alone',
  (text) => expect(VISIBLE.test(text)).toBe(false),
);

test.each([...SEEN, '❤️', '1️⃣', '.', '₹'])('%s is visible', (text) => {
  expect(VISIBLE.test(text)).toBe(true);
});
