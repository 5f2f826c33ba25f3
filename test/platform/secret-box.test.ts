import { randomBytes } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { createSecretBox, deriveKeys, SecretBoxError } from '../../src/platform/secret-box.ts';

const key = Buffer.from(Array.from({ length: 32 }, (_, n) => n));
const row = { owner: 'partner:7', id: 'webhook_subscription:42' };
const secret = 'whsec_AAEC ☔';

function errorOf(action: () => unknown): SecretBoxError | undefined {
  try {
    action();
  } catch (error) {
    if (error instanceof SecretBoxError) return error;
    throw error;
  }
  return undefined;
}

const faultOf = (action: () => unknown): string => errorOf(action)?.fault ?? 'none';

describe('sealing', () => {
  test('a sealed text can be opened, also an empty or long one', () => {
    const box = createSecretBox([key]);
    for (const text of [secret, '', 'x'.repeat(10_000)]) expect(box.open(box.seal(text, row), row)).toBe(text);
  });

  // Made with Python's cryptography: AESGCM(key).encrypt(iv = bytes(range(12)), secret, associated data), as base64url
  // of IV + ciphertext + tag.
  test('opens text sealed by another implementation of AES-256-GCM', () => {
    // Associated data: ["v2","630dcd29","partner:7","webhook_subscription:42"]
    const sealed = 'v2.630dcd29.AAECAwQFBgcICQoLMGqlfqa6g1rIArdpKX3Cxe7k6bHDFPd7wRiMtsMZ';
    expect(createSecretBox([key]).open(sealed, row)).toBe(secret);
  });

  test('opens version 1 text of earlier releases, which was bound only to the row’s id', () => {
    const sealed = 'v1.630dcd29.AAECAwQFBgcICQoLMGqlfqa6g1rIArdpKX3UVb3lR0RSbOuPFki9l7MU';
    expect(createSecretBox([key]).open(sealed, row)).toBe(secret);
    expect(faultOf(() => createSecretBox([key]).open(sealed, { ...row, id: 'other' }))).toBe('not_authentic');
  });

  test('equal texts are sealed differently every time', () => {
    const box = createSecretBox([key]);
    expect(new Set(Array.from({ length: 100 }, () => box.seal(secret, row))).size).toBe(100);
  });
});

describe('the binding to a row', () => {
  test('a sealed text cannot be opened in another row, or after its row has changed its owner', () => {
    const box = createSecretBox([key]);
    const sealed = box.seal(secret, row);
    const others = [
      { ...row, id: 'webhook_subscription:43' },
      { ...row, id: '' },
      { ...row, owner: 'partner:8' },
      { owner: row.id, id: row.owner },
      { owner: `${row.owner}","${row.id}`, id: '' },
    ];
    for (const other of others) expect(faultOf(() => box.open(sealed, other))).toBe('not_authentic');
    expect(faultOf(() => box.open(sealed, row))).toBe('none');
  });

  test('a sealed text whose version was altered cannot be opened', () => {
    const box = createSecretBox([key]);
    const sealed = box.seal(secret, row);
    expect(faultOf(() => box.open(sealed.replace('v2', 'v1'), row))).toBe('not_authentic');
  });
});

describe('tampering', () => {
  test('no single flipped bit is accepted', () => {
    const box = createSecretBox([key]);
    const [version, id, encoded = ''] = box.seal(secret, row).split('.');
    const bytes = Buffer.from(encoded, 'base64url');
    for (let bit = 0; bit < bytes.length * 8; bit += 1) {
      const altered = Buffer.from(bytes);
      const byte = bit >> 3;
      altered[byte] = (altered[byte] ?? 0) ^ (1 << (bit & 7));
      const sealed = `${version}.${id}.${altered.toString('base64url')}`;
      expect(faultOf(() => box.open(sealed, row))).toBe('not_authentic');
    }
  });

  test('another base64url spelling of the same bytes is not accepted', () => {
    const box = createSecretBox([key]);
    // The last of the 43 characters has four unused bits. It is A, Q, g or w if they are zero, and B, R, h or x if not.
    const sealed = box.seal('fifteen bytes..', row);
    const respelled = sealed.replace(/[AQgw]$/, (last) => ({ A: 'B', Q: 'R', g: 'h', w: 'x' })[last] ?? last);
    expect(Buffer.from(respelled.slice(12), 'base64url')).toEqual(Buffer.from(sealed.slice(12), 'base64url'));
    expect(respelled).not.toBe(sealed);
    expect(faultOf(() => box.open(respelled, row))).toBe('malformed');
  });

  test.each([
    ['an empty text', ''],
    ['a text that was never sealed', secret],
    ['another version', 'v3.630dcd29.AAECAwQFBgcICQoLMGqlfqa6g1rIArdpKX3UVb3lR0RSbOuPFki9l7MU'],
    ['a tag that is one byte short', 'v1.630dcd29.AAECAwQFBgcICQoLMGqlfqa6g1rIArdpKX3U'],
    ['no tag', 'v1.630dcd29.AAECAwQFBgcICQoL'],
    ['something after the text', 'v1.630dcd29.AAECAwQFBgcICQoLMGqlfqa6g1rIArdpKX3UVb3lR0RSbOuPFki9l7MU\n'],
  ])('%s is malformed', (_what, sealed) => {
    expect(faultOf(() => createSecretBox([key]).open(sealed, row))).toBe('malformed');
  });
});

describe('the key ring', () => {
  const [older, newer] = [randomBytes(32), randomBytes(32)] as const;

  test('the first key seals and every key opens', () => {
    const before = createSecretBox([older]);
    const rotated = createSecretBox([newer, older]);
    expect(rotated.open(before.seal(secret, row), row)).toBe(secret);
    expect(createSecretBox([newer]).open(rotated.seal(secret, row), row)).toBe(secret);
  });

  test('the error for a text whose key is missing names the key', () => {
    const sealed = createSecretBox([older]).seal(secret, row);
    const [, id] = sealed.split('.');
    const open = () => createSecretBox([newer]).open(sealed, row);
    expect(faultOf(open)).toBe('unknown_key');
    expect(open).toThrow(String(id));
  });

  test('a text sealed with another key under the id of a known key cannot be opened', () => {
    const [, , bytes] = createSecretBox([older]).seal(secret, row).split('.');
    const [, id] = createSecretBox([newer]).seal(secret, row).split('.');
    expect(faultOf(() => createSecretBox([newer, older]).open(`v1.${id}.${bytes}`, row))).toBe('not_authentic');
  });

  test('a ring without keys, or with a key of another length, is rejected', () => {
    expect(faultOf(() => createSecretBox([]))).toBe('no_keys');
    expect(faultOf(() => createSecretBox([randomBytes(16)]))).toBe('key_length');
    expect(faultOf(() => createSecretBox([key, randomBytes(31)]))).toBe('key_length');
  });
});

test('errors do not contain the text, the sealed text or a key', () => {
  const box = createSecretBox([key]);
  const sealed = box.seal(secret, row);
  for (const action of [
    () => box.open(sealed, { ...row, id: 'other' }),
    () => box.open(`${sealed}=`, row),
    () => box.open(secret, row),
    () => createSecretBox([Buffer.from(secret)]),
  ]) {
    const error = errorOf(action);
    expect(error).toBeDefined();
    const shown = JSON.stringify(error, Object.getOwnPropertyNames(error));
    for (const hidden of ['whsec', sealed.slice(20), key.toString('hex'), key.toString('base64')]) {
      expect(shown).not.toContain(hidden);
    }
  }
});

describe('derived keys', () => {
  const derived = (keys: Buffer[], purpose = 'cursors') => createSecretBox(deriveKeys(keys, purpose));

  test('cannot open texts of the ring or of another purpose, and the ring cannot open theirs', () => {
    const sealed = derived([key]).seal(secret, row);
    expect(faultOf(() => createSecretBox([key]).open(sealed, row))).toBe('unknown_key');
    expect(faultOf(() => derived([key], 'others').open(sealed, row))).toBe('unknown_key');
    const sealedByRing = createSecretBox([key]).seal(secret, row);
    expect(faultOf(() => derived([key]).open(sealedByRing, row))).toBe('unknown_key');
  });

  // Python: HKDF(SHA256(), 32, None, b"cursors").derive(bytes(range(32))).
  test('are derived by HKDF (RFC 5869)', () => {
    expect(deriveKeys([key], 'cursors')[0]?.toString('hex')).toBe(
      '467ad3ace7456ff5a4c983d35e7a11e55a852bb68cdc79039af2385c2c08c315',
    );
  });
});
