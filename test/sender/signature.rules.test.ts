import { describe, expect, test } from '@jest/globals';
import {
  newSecretKey,
  signDelivery,
  signingKeys,
  signStandardWebhook,
} from '../../src/webhooks/sender/signature.rules.ts';

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

// printf '%s.%s.%s' "$eventId" 1795000000 "$body" | openssl dgst -sha256 -mac hmac -macopt hexkey:$bytes -binary | base64
describe('signStandardWebhook', () => {
  const eventId = '0199f000-0000-7000-8000-000000000001';
  const sign = (...secrets: string[]) =>
    signStandardWebhook({ keys: secrets.map((each) => signingKeys(each).bytes), eventId, timestampSeconds, body });

  test('gives what openssl gives for the bytes that the secret encodes', () => {
    expect(sign(secretKey)).toBe('v1,SCN1jht5x8Mt+gmp+4gH+/c/K2iXBbdpcEQl0ZIN2+4=');
  });

  test('reads base64 and base64url alike, and has an entry for each secret, in their order', () => {
    const bytes = Buffer.from(Array.from({ length: 32 }, (_, index) => 255 - index));
    const [padded, url] = [`whsec_${bytes.toString('base64')}`, `whsec_${bytes.toString('base64url')}`];
    expect(url).not.toBe(padded);
    expect(sign(url)).toBe(sign(padded));
    expect(sign(padded, secretKey)).toBe(`${sign(padded)} ${sign(secretKey)}`);
  });
});

describe('newSecretKey', () => {
  test('is whsec_ and 32 random bytes in base64', () => {
    const keys = Array.from({ length: 200 }, newSecretKey);
    for (const key of keys) {
      expect(key).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
      expect(Buffer.from(key.slice(6), 'base64')).toHaveLength(32);
    }
    expect(new Set(keys).size).toBe(keys.length);
  });
});
