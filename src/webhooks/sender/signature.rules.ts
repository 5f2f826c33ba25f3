import { createHmac, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';

const SECRET_KEY_PREFIX = 'whsec_';
const SECRET_KEY_BYTES = 32;

/** A new `secret_key`: `whsec_` and 32 random bytes in base64url, 49 characters (contract: subscriptions/secret). */
export function newSecretKey(): string {
  return SECRET_KEY_PREFIX + randomBytes(SECRET_KEY_BYTES).toString('base64url');
}

/** A `secret_key` to keep in memory: its bytes are outside the JavaScript heap, so no snapshot or print shows them. */
export function signingKey(secretKey: string): KeyObject {
  return createSecretKey(secretKey, 'utf8');
}

/**
 * The value of `X-Service-Signature`: `sha256=` and the lower-case hex HMAC-SHA256 of `<timestamp>.<raw body>`. The key
 * is the whole secret, prefix included; the timestamp is in whole seconds (contract: webhooks/signature).
 */
export function signDelivery({
  secretKey,
  timestampSeconds,
  body,
}: {
  secretKey: string | KeyObject;
  timestampSeconds: number;
  body: Buffer | string;
}): string {
  const digest = createHmac('sha256', secretKey).update(`${timestampSeconds}.`).update(body).digest('hex');
  return `sha256=${digest}`;
}
