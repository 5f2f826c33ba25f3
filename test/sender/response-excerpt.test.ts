import { randomBytes } from 'node:crypto';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { responseExcerpt } from '../../src/webhooks/sender/collect-response.ts';

describe('responseExcerpt', () => {
  test.each([
    ['plain text', 'accepted', 'accepted'],
    ['text in any script', 'ठीक है ✓ 👍', 'ठीक है ✓ 👍'],
    ['line ends and tabs, which become spaces', 'a\r\n\tb\u2028c', 'a b c'],
    ['terminal escapes and other controls, which are dropped', '\u001b[31mred\u0000\u0007\u009b', '[31mred'],
    ['characters that reorder text, which are dropped', 'safe\u202etxt.exe\u2066', 'safetxt.exe'],
    ['a byte order mark, which is dropped', '\ufefftext', 'text'],
    ['1,024 characters', 'a'.repeat(1024), 'a'.repeat(1024)],
    ['1,024 of 1,025 characters', 'a'.repeat(1025), 'a'.repeat(1024)],
    ['no part of an emoji that the length limit would split', `${'a'.repeat(1023)}👍`, 'a'.repeat(1023)],
  ])('keeps %s', async (_what, response, excerpt) => {
    expect(await responseExcerpt(Buffer.from(response))).toBe(excerpt);
  });

  test.each([
    ['no bytes', ''],
    ['control characters only', '\u0000\u0001\u0002'],
  ])('is null for %s', async (_what, response) => expect(await responseExcerpt(Buffer.from(response))).toBeNull());

  test('omits a last character that the reading limit splits', async () => {
    expect(await responseExcerpt(Buffer.from('ok ☔').subarray(0, -1))).toBe('ok ');
  });

  test('is null for bytes that are not UTF-8 text, if no other charset is given', async () => {
    expect(await responseExcerpt(Buffer.from([0x6f, 0xff, 0xc0, 0x80, 0x6b]))).toBeNull();
    expect(await responseExcerpt(gzipSync('accepted'))).toBeNull();
  });

  test.each([
    ['iso-8859-1', Buffer.from('Zugang für Müller', 'latin1'), 'Zugang für Müller'],
    ['"UTF-16LE"', Buffer.from('für', 'utf16le'), 'für'],
    ['shift_jis', Buffer.from([0x83, 0x65, 0x83, 0x58, 0x83, 0x67]), 'テスト'],
    ['klingon', Buffer.from('ok'), null],
  ])('is decoded by its charset: %s', async (charset, bytes, excerpt) => {
    const headers = { 'content-type': `text/html; charset=${charset}` };
    expect(await responseExcerpt(bytes, headers)).toBe(excerpt);
  });

  const page = `Zugang verweigert. ${'für alle. '.repeat(10_000)}`;
  test.each([
    ['gzip', gzipSync(page)],
    ['x-gzip', gzipSync(page)],
    ['GZIP', gzipSync(page)],
    ['deflate', deflateSync(page)],
    ['deflate', deflateRawSync(page)],
    ['br', brotliCompressSync(page)],
  ])('is decompressed, although the request forbids compression: %s', async (coding, bytes) => {
    expect(await responseExcerpt(bytes, { 'content-encoding': coding })).toBe(page.slice(0, 1024));
  });

  test('is the beginning of the data, even if the compressed data is cut off', async () => {
    const bytes = gzipSync(randomBytes(30_000).toString('hex'));
    const excerpt = await responseExcerpt(bytes.subarray(0, 16_384), { 'content-encoding': 'gzip' });
    expect(excerpt).toMatch(/^[0-9a-f]{1024}$/);
  });

  test.each([
    ['an unknown coding', 'zstd', Buffer.from('ok')],
    ['two codings', 'gzip, br', brotliCompressSync(gzipSync('ok'))],
    ['data that is not compressed although its coding says so', 'gzip', Buffer.from('accepted')],
  ])('is null for %s', async (_what, coding, bytes) => {
    expect(await responseExcerpt(bytes, { 'content-encoding': coding })).toBeNull();
  });
});
