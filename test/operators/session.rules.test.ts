import { describe, expect, test } from '@jest/globals';
import { openSession, SESSION_SECONDS, signSession } from '../../src/operations/operators/session.rules.ts';

const KEY = 'operator-key-of-the-tests-0123456789';
const now = new Date('2026-11-21T10:00:00.000Z');
const later = (seconds: number) => new Date(now.getTime() + seconds * 1000);
const token = signSession(KEY, now);
const session = { id: expect.stringMatching(/^[0-9a-f-]{36}$/), expiresAt: later(SESSION_SECONDS) };

describe('a session', () => {
  test('lasts eight hours and not a second more', () => {
    expect(SESSION_SECONDS).toBe(28_800);
    expect(openSession(token, KEY, now)).toEqual(session);
    expect(openSession(token, KEY, later(SESSION_SECONDS - 1))).toEqual(session);
    expect(openSession(token, KEY, later(SESSION_SECONDS))).toBeUndefined();
  });

  test('ends when the operator key changes', () => {
    expect(openSession(token, `${KEY}x`, now)).toBeUndefined();
  });

  const [expiresAt = '', id = '', signature = ''] = token.split('.');
  test.each([
    ['made to last longer', `${Number(expiresAt) + 60}.${id}.${signature}`],
    ['made to be another session', `${expiresAt}.${id.slice(0, -1)}${id.endsWith('0') ? '1' : '0'}.${signature}`],
    ['with the end and the id cut elsewhere', `${expiresAt.slice(0, -1)}.${expiresAt.slice(-1)}${id}.${signature}`],
    ['with another signature', `${expiresAt}.${id}.${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`],
    ['without a signature', `${expiresAt}.${id}`],
    ['with an empty signature', `${expiresAt}.${id}.`],
    ['without an id', `${expiresAt}.${signature}`],
    ['without an end', `.${id}.${signature}`],
    ['with an end that is no number', `Infinity.${id}.${signature}`],
    ['empty', ''],
    ['of dots', '..'],
  ])('%s is invalid', (_how, forged) => {
    expect(openSession(forged, KEY, now)).toBeUndefined();
  });
});
