import { describe, expect, test } from '@jest/globals';
import {
  isLiveSession,
  isOperatorKey,
  SESSION_SECONDS,
  signSession,
} from '../../src/operator/session.rules.ts';

const KEY = 'operator-key-of-the-tests-0123456789';
const now = new Date('2026-11-21T10:00:00.000Z');
const later = (seconds: number) => new Date(now.getTime() + seconds * 1000);
const token = signSession(KEY, now);

describe('a session', () => {
  test('lives for eight hours and not a second more', () => {
    expect(SESSION_SECONDS).toBe(28_800);
    expect(isLiveSession(token, KEY, now)).toBe(true);
    expect(isLiveSession(token, KEY, later(SESSION_SECONDS - 1))).toBe(true);
    expect(isLiveSession(token, KEY, later(SESSION_SECONDS))).toBe(false);
  });

  test('ends when the operator key is another', () => {
    expect(isLiveSession(token, `${KEY}x`, now)).toBe(false);
  });

  const [expiresAt = '', signature = ''] = token.split('.');
  test.each([
    ['made to last longer', `${Number(expiresAt) + 60}.${signature}`],
    [
      'with another signature',
      `${expiresAt}.${signature.slice(0, -1)}${signature.endsWith('A') ? 'B' : 'A'}`,
    ],
    ['without a signature', expiresAt],
    ['with an empty signature', `${expiresAt}.`],
    ['without an end', `.${signature}`],
    ['with an end that is no number', `Infinity.${signature}`],
    ['empty', ''],
    ['of dots', '..'],
  ])('%s is none', (_how, forged) => {
    expect(isLiveSession(forged, KEY, now)).toBe(false);
  });
});

test.each([KEY.slice(0, -1), `${KEY} `, KEY.toUpperCase(), '', 'x'])(
  '%j is not the operator key',
  (given) => {
    expect(isOperatorKey(given, KEY)).toBe(false);
    expect(isOperatorKey(KEY, KEY)).toBe(true);
  },
);
