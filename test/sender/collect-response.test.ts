import { describe, expect, test } from '@jest/globals';
import { responseExcerpt } from '../../src/sender/collect-response.ts';

describe('responseExcerpt', () => {
  test.each([
    ['plain text', 'accepted', 'accepted'],
    ['text in any script', 'ठीक है ✓ 👍', 'ठीक है ✓ 👍'],
    ['line ends and tabs, which become spaces', 'a\r\n\tb\u2028c', 'a b c'],
    ['terminal escapes and other controls, which are dropped', '\u001b[31mred\u0000\u0007\u009b', '[31mred'],
    ['characters that reorder text, which are dropped', 'safe\u202etxt.exe\u2066', 'safetxt.exe'],
    ['a byte order mark, which is dropped', '\ufefftext', 'text'],
  ])('keeps %s', (_what, answer, kept) => {
    expect(responseExcerpt(Buffer.from(answer))).toBe(kept);
  });

  test.each([
    ['no bytes', ''],
    ['control characters only', '\u0000\u0001\u0002'],
  ])('is null for %s', (_what, answer) => expect(responseExcerpt(Buffer.from(answer))).toBeNull());

  test('keeps 1,024 characters and no more', () => {
    expect(responseExcerpt(Buffer.from('a'.repeat(1024)))).toHaveLength(1024);
    expect(responseExcerpt(Buffer.from('a'.repeat(1025)))).toHaveLength(1024);
  });

  test('leaves out an emoji that the length limit would cut in two', () => {
    expect(responseExcerpt(Buffer.from(`${'a'.repeat(1023)}👍`))).toBe('a'.repeat(1023));
  });

  test('leaves out a last character that the reading limit cut in two', () => {
    expect(responseExcerpt(Buffer.from('ok ☔').subarray(0, -1))).toBe('ok ');
  });

  test('gives well-formed text for bytes that are not UTF-8', () => {
    const excerpt = responseExcerpt(Buffer.from([0x6f, 0xff, 0xc0, 0x80, 0x6b]));
    expect(excerpt).toMatch(/^o\ufffd+k$/);
    const random = responseExcerpt(Buffer.from(Array.from({ length: 16_384 }, (_, i) => (i * 7919) % 256)));
    expect(Buffer.from(random ?? '').toString()).toBe(random);
  });
});
