import { createHmac, timingSafeEqual } from 'node:crypto';
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

  test('signs a string as the bytes of its UTF-8', () => {
    expect(signDelivery({ secretKey, timestampSeconds, body: Buffer.from(body) })).toBe(byOpenssl);
  });

  test.each([
    ['another secret', { secretKey: secretKey.replace('AAEC', 'AAED'), timestampSeconds, body }],
    ['the secret without its prefix', { secretKey: secretKey.slice(6), timestampSeconds, body }],
    ['another second', { secretKey, timestampSeconds: timestampSeconds + 1, body }],
    ['a body that was serialised again', { secretKey, timestampSeconds, body: `${body} ` }],
  ])('gives another signature for %s', (_what, delivery) => {
    expect(signDelivery(delivery)).not.toBe(byOpenssl);
  });

  test('is accepted by a receiver that follows the steps of the contract, and refused when the body is altered', () => {
    const accepts = (received: string, signature: string): boolean => {
      const [, hex] = /^sha256=([0-9a-f]{64})$/.exec(signature) ?? [];
      const expected = createHmac('sha256', secretKey).update(`${timestampSeconds}.${received}`).digest();
      return hex !== undefined && timingSafeEqual(Buffer.from(hex, 'hex'), expected);
    };
    const signature = signDelivery({ secretKey, timestampSeconds, body });
    expect(accepts(body, signature)).toBe(true);
    expect(accepts(body.replace('Bengaluru', 'Bangalore'), signature)).toBe(false);
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
