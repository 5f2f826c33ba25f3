import { createHmac, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';

const SECRET_KEY_PREFIX = 'whsec_';
const SECRET_KEY_BYTES = 32;

/** A new `secret_key`: `whsec_` and 32 random bytes in base64, 50 characters (contract: subscriptions/secret). */
export function newSecretKey(): string {
  return SECRET_KEY_PREFIX + randomBytes(SECRET_KEY_BYTES).toString('base64');
}

/** The HMAC keys of a `secret_key`. They lie outside the JavaScript heap, so no heap snapshot shows them. */
export type SigningKeys = {
  /** The whole text, prefix included, for `X-Service-Signature`. */
  text: KeyObject;
  /** The bytes that the text encodes, for `webhook-signature`. */
  bytes: KeyObject;
};

/** Secrets of older releases are in base64url, which Node decodes too. */
export function signingKeys(secretKey: string): SigningKeys {
  return {
    text: createSecretKey(secretKey, 'utf8'),
    bytes: createSecretKey(secretKey.slice(SECRET_KEY_PREFIX.length), 'base64'),
  };
}

type SignedContent = { timestampSeconds: number; body: Buffer | string };

/**
 * The value of `X-Service-Signature`: `sha256=` and the lower-case hex HMAC-SHA256 of `<timestamp>.<raw body>`. The key
 * is the whole secret, prefix included; the timestamp is in whole seconds (contract: webhooks/signature).
 */
export function signDelivery({
  secretKey,
  timestampSeconds,
  body,
}: SignedContent & { secretKey: string | KeyObject }): string {
  const digest = createHmac('sha256', secretKey).update(`${timestampSeconds}.`).update(body).digest('hex');
  return `sha256=${digest}`;
}

/**
 * The value of `webhook-signature` as Standard Webhooks defines it: for each key `v1,` and the base64 HMAC-SHA256 of
 * `<event id>.<timestamp>.<raw body>`, separated by a space.
 */
export function signStandardWebhook({
  keys,
  eventId,
  timestampSeconds,
  body,
}: SignedContent & { keys: readonly KeyObject[]; eventId: string }): string {
  const sign = (key: KeyObject) =>
    createHmac('sha256', key).update(`${eventId}.${timestampSeconds}.`).update(body).digest('base64');
  return keys.map((key) => `v1,${sign(key)}`).join(' ');
}
