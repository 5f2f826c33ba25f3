import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { weaknessOfEncryptionKeys, weaknessOfOperatorKey } from '../../src/process/config/weak-secrets.rules.ts';
import { projectFolder } from '../architecture/planted-tree.ts';

test.each([
  ['one character, repeated', 'x'.repeat(40), 'fewer than 8 different characters'],
  ['few characters', 'abcabcbacbabcbacbabacbabcbacbabcab', 'fewer than 8 different characters'],
  ['a short piece, repeated', '0123456789abcdef0123456789abcdef', 'repeats a shorter sequence'],
  ['a piece, repeated and cut short', 'correct-horse-battery!correct-horse-battery!corr', 'repeats a shorter sequence'],
  ['the alphabet', 'ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abc', 'is a counting sequence'],
  ['a placeholder', 'please-change-me-to-32-random-characters', 'is a placeholder'],
  ['an example', 'example-operator-key-0123456789-abcdef', 'is a placeholder'],
  ['the command that generates a key', `node -p "crypto.randomBytes(32).toString('base64url')"`, 'is a placeholder'],
])('an operator key that is %s is weak', (_what, key, weakness) => {
  expect(weaknessOfOperatorKey(key)).toContain(weakness);
});

const ONE = randomBytes(32);
const HALF = ONE.subarray(16);

test.each([
  ['of zeros', [Buffer.alloc(32)], 'fewer than 8 different'],
  ['of one byte, repeated', [Buffer.alloc(32, 7)], 'fewer than 8 different'],
  ['that counts', [Buffer.from([...Array(32).keys()])], 'is a counting sequence'],
  ['of two equal halves', [Buffer.concat([HALF, HALF])], 'repeats a shorter sequence'],
  ['that occurs twice', [ONE, randomBytes(32), ONE], 'the same key twice'],
])('an encryption key %s is weak', (_what, keys, weakness) => {
  expect(weaknessOfEncryptionKeys(keys)).toContain(weakness);
});

test('a weak encryption key may follow a strong one, to decrypt old data', () => {
  expect(weaknessOfEncryptionKeys([ONE, Buffer.alloc(32)])).toBeUndefined();
});

test('control: a random key that contains a placeholder by chance is not weak', () => {
  expect(weaknessOfOperatorKey('Zk3u9your-Qx71pVd0aTgHn5_Ls8yBw2mR4cEfJiK6o')).toBeUndefined();
});

test('control: keys made as in .env.example, or of hexadecimal digits, are not weak', () => {
  for (let round = 0; round < 500; round += 1) {
    expect(weaknessOfOperatorKey(randomBytes(32).toString('base64url'))).toBeUndefined();
    expect(weaknessOfOperatorKey(randomBytes(16).toString('hex'))).toBeUndefined();
    expect(weaknessOfEncryptionKeys([randomBytes(32), randomBytes(32)])).toBeUndefined();
  }
});

test('keys that files of this repository publish are weak', async () => {
  const files = ['scripts/docs/documents.ts', 'test/operators/session.rules.test.ts'];
  const texts = await Promise.all(files.map((file) => readFile(path.join(projectFolder, file), 'utf8')));
  const published = texts.flatMap((text) =>
    [...text.matchAll(/\b(?:OPERATOR_API_KEY|KEY)(?:: | = )'([^']{32,})'/g)].map(([, key = '']) => key),
  );
  expect(published).toHaveLength(2);
  expect(published.map(weaknessOfOperatorKey)).toEqual(Array(2).fill(expect.stringContaining('published')));
});
