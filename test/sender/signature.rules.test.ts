import { describe, expect, test } from '@jest/globals';
import { newSecretKey, signDelivery } from '../../src/webhooks/sender/signature.rules.ts';

const secretKey = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8';
const timestampSeconds = 1_795_000_000;
const body = '{"event_id":"0199f000-0000-7000-8000-000000000001","details":{"city":"Bengaluru ☔"}}';

// printf '%s.%s' 1795000000 "$body" | openssl dgst -sha256 -hmac "$secretKey"
const byOpenssl = 'sha256=118c16347cf56ee79f4e5fc119b0cee5af78d4f5db2a111456d66ba4818f633a';

describe('signDelivery', () => {
  test('gives what openssl gives for the same key, timestamp and body', () => {
    expect(signDelivery({ secretKey, timestampSeconds, body })).toBe(byOpenssl);
  });
});

describe('newSecretKey', () => {
  test('is whsec_ and 32 random bytes in base64url', () => {
    const keys = Array.from({ length: 200 }, newSecretKey);
    for (const key of keys) {
      expect(key).toMatch(/^whsec_[A-Za-z0-9_-]{43}$/);
      expect(Buffer.from(key.slice(6), 'base64url')).toHaveLength(32);
    }
    expect(new Set(keys).size).toBe(keys.length);
  });
});
