import { randomBytes } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import type { SecretBoxError, SecretBoxFault } from '../../src/platform/secret-box.ts';
import { createSecretBox, deriveKeys } from '../../src/platform/secret-box.ts';

const key = Buffer.from(Array.from({ length: 32 }, (_, n) => n));
const row = { owner: 'partner:7', id: 'webhook_subscription:42' };
const secret = 'whsec_AAEC ☔';
const box = createSecretBox([key]);
const sealed = box.seal(secret, row);

function errorOf(action: () => unknown): SecretBoxError | undefined {
  try {
    action();
    return undefined;
  } catch (error) {
    return error as SecretBoxError;
  }
}

const faultOf = (action: () => unknown) => errorOf(action)?.fault;

describe('sealing', () => {
  test('a sealed text can be opened, also an empty or long one', () => {
    for (const text of [secret, '', 'x'.repeat(10_000)]) expect(box.open(box.seal(text, row), row)).toBe(text);
  });

  // Made with Python's cryptography: AESGCM(key).encrypt(iv = bytes(range(12)), secret, associated data), as base64url
  // of IV + ciphertext + tag.
  test('opens text sealed by another implementation of AES-256-GCM', () => {
    // Associated data: ["v2","630dcd29","partner:7","webhook_subscription:42"]
    const sealedByPython = 'v2.630dcd29.AAECAwQFBgcICQoLMGqlfqa6g1rIArdpKX3Cxe7k6bHDFPd7wRiMtsMZ';
    expect(box.open(sealedByPython, row)).toBe(secret);
  });

  test('opens version 1 text of earlier releases, which was bound only to the row’s id', () => {
    const sealedV1 = 'v1.630dcd29.AAECAwQFBgcICQoLMGqlfqa6g1rIArdpKX3UVb3lR0RSbOuPFki9l7MU';
    expect(box.open(sealedV1, row)).toBe(secret);
    expect(faultOf(() => box.open(sealedV1, { ...row, id: 'other' }))).toBe('not_authentic');
  });

  test('equal texts are sealed differently every time', () => {
    expect(new Set(Array.from({ length: 100 }, () => box.seal(secret, row))).size).toBe(100);
  });
});

describe('a text cannot be opened', () => {
  const otherKey = randomBytes(32);
  const [, id] = sealed.split('.');
  const [, , otherBytes] = createSecretBox([otherKey]).seal(secret, row).split('.');

  test.each([
    { ...row, id: 'webhook_subscription:43' },
    { ...row, id: '' },
    { ...row, owner: 'partner:8' },
    { owner: row.id, id: row.owner },
    { owner: `${row.owner}","${row.id}`, id: '' },
  ])('in another row, or after its row has changed its owner: %j', (other) => {
    expect(faultOf(() => box.open(sealed, other))).toBe('not_authentic');
  });

  test.each<[why: string, text: string, fault: SecretBoxFault, ring?: Buffer[]]>([
    ['if its version was altered', sealed.replace('v2', 'v1'), 'not_authentic'],
    ['if it has the id of another known key', `v1.${id}.${otherBytes}`, 'not_authentic', [key, otherKey]],
    ['if it is empty', '', 'malformed'],
    ['if it was never sealed', secret, 'malformed'],
    ['if its version is unknown', sealed.replace('v2', 'v3'), 'malformed'],
    ['without all of its tag', 'v1.630dcd29.AAECAwQFBgcICQoLMGqlfqa6g1rIArdpKX3U', 'malformed'],
    ['without a tag', 'v1.630dcd29.AAECAwQFBgcICQoL', 'malformed'],
    ['with padding', `${sealed}=`, 'malformed'],
    ['with a line break', `${sealed}\n`, 'malformed'],
  ])('%s; the error contains neither text nor key', (_why, text, fault, ring = [key]) => {
    const error = errorOf(() => createSecretBox(ring).open(text, row));
    expect(error?.fault).toBe(fault);
    const shown = JSON.stringify(error, Object.getOwnPropertyNames(error));
    for (const hidden of ['whsec', sealed.slice(20), key.toString('hex'), key.toString('base64')])
      expect(shown).not.toContain(hidden);
  });

  test('if any bit was flipped', () => {
    const [version, , encoded = ''] = sealed.split('.');
    const bytes = Buffer.from(encoded, 'base64url');
    for (let bit = 0; bit < bytes.length * 8; bit += 1) {
      const altered = Buffer.from(bytes);
      const byte = bit >> 3;
      altered[byte] = (altered[byte] ?? 0) ^ (1 << (bit & 7));
      expect(faultOf(() => box.open(`${version}.${id}.${altered.toString('base64url')}`, row))).toBe('not_authentic');
    }
  });

  test('in another base64url spelling of the same bytes', () => {
    // The last of the 43 characters has four unused bits. It is A, Q, g or w if they are zero, and B, R, h or x if not.
    const text = box.seal('fifteen bytes..', row);
    const respelled = text.replace(/[AQgw]$/, (last) => ({ A: 'B', Q: 'R', g: 'h', w: 'x' })[last] ?? last);
    expect(Buffer.from(respelled.slice(12), 'base64url')).toEqual(Buffer.from(text.slice(12), 'base64url'));
    expect(respelled).not.toBe(text);
    expect(faultOf(() => box.open(respelled, row))).toBe('malformed');
  });

  test('without its key, which the error names', () => {
    const error = errorOf(() => createSecretBox([otherKey]).open(sealed, row));
    expect([error?.fault, error?.message]).toEqual(['unknown_key', expect.stringContaining(String(id))]);
  });
});

describe('the key ring', () => {
  test('seals with the first key and opens with every key', () => {
    const newer = randomBytes(32);
    const rotated = createSecretBox([newer, key]);
    expect(rotated.open(sealed, row)).toBe(secret);
    expect(createSecretBox([newer]).open(rotated.seal(secret, row), row)).toBe(secret);
  });

  test('without keys, or with a key of another length, is rejected', () => {
    expect(faultOf(() => createSecretBox([]))).toBe('no_keys');
    expect(faultOf(() => createSecretBox([key, randomBytes(31)]))).toBe('key_length');
    expect(errorOf(() => createSecretBox([Buffer.from(secret)]))?.message).not.toContain('whsec');
  });
});

test('derived keys cannot open texts of the ring or of another purpose, and the ring cannot open theirs', () => {
  const derived = (keys: Buffer[], purpose = 'cursors') => createSecretBox(deriveKeys(keys, purpose));
  const sealedByDerived = derived([key]).seal(secret, row);
  expect(faultOf(() => box.open(sealedByDerived, row))).toBe('unknown_key');
  expect(faultOf(() => derived([key], 'others').open(sealedByDerived, row))).toBe('unknown_key');
  expect(faultOf(() => derived([key]).open(sealed, row))).toBe('unknown_key');
});

// Other bytes would make every cursor that partners hold unreadable.
test('keys are derived by HKDF (RFC 5869)', () => {
  // Python: HKDF(SHA256(), 32, None, b"cursors").derive(bytes(range(32))).
  expect(deriveKeys([key], 'cursors')[0]?.toString('hex')).toBe(
    '467ad3ace7456ff5a4c983d35e7a11e55a852bb68cdc79039af2385c2c08c315',
  );
});
