import type { KeyObject } from 'node:crypto';
import { createHmac, createSecretKey, randomBytes } from 'node:crypto';

const SECRET_KEY_PREFIX = 'whsec_';
const SECRET_KEY_BYTES = 32;

/**
 * Makes the `secret_key` of a new subscription or of a rotation: `whsec_` and 32 bytes from the system's
 * cryptographic random source in base64url (49 characters). (contract: subscriptions/secret)
 */
export function newSecretKey(): string {
  return SECRET_KEY_PREFIX + randomBytes(SECRET_KEY_BYTES).toString('base64url');
}

/**
 * A `secret_key` as it can be kept: its bytes are outside of what JavaScript has, so they are in no heap snapshot, and nothing that
 * prints the object shows them.
 */
export function signingKey(secretKey: string): KeyObject {
  return createSecretKey(secretKey, 'utf8');
}

/** What a signature covers: the key, the moment of sending (Unix seconds, whole) and the exact bytes sent. */
export type SignedDelivery = {
  secretKey: string | KeyObject;
  timestampSeconds: number;
  body: Buffer | string;
};

/**
 * Makes the value of `X-Service-Signature`: `sha256=` and the lower-case hex HMAC-SHA256 of `<timestamp>.<raw body>`.
 * The key is the bytes of the whole secret, prefix included. A string body is signed as UTF-8, which is how it is
 * sent. (contract: webhooks/signature)
 */
export function signDelivery({ secretKey, timestampSeconds, body }: SignedDelivery): string {
  const digest = createHmac('sha256', secretKey).update(`${timestampSeconds}.`).update(body).digest('hex');
  return `sha256=${digest}`;
}
