import { hash, randomBytes, timingSafeEqual } from 'node:crypto';

const KEY_PATTERN = /^(pk_(?:sandbox|live)_[0-9a-f]{16})_[A-Za-z0-9_-]{43}$/;

/** How the keys of each mode begin. */
export const KEY_START = { sandbox: 'pk_sandbox_', production: 'pk_live_' } as const;

type Mode = keyof typeof KEY_START;

/**
 * A new partner key `pk_sandbox_<16 hex>_<43 base64url>` (or `pk_live_…`): the part before the last underscore names
 * the key in lists and logs, the last part has 256 random bits.
 */
export function newApiKey(mode: Mode): { apiKey: string; prefix: string; hash: string } {
  const prefix = `${KEY_START[mode]}${randomBytes(8).toString('hex')}`;
  const apiKey = `${prefix}_${randomBytes(32).toString('base64url')}`;
  return { apiKey, prefix, hash: hashOf(apiKey) };
}

/** The public prefix of something that has the form of a partner key; undefined for anything else. */
export function prefixOf(apiKey: string): string | undefined {
  return KEY_PATTERN.exec(apiKey)?.[1];
}

/** Whether a key with this prefix was issued by a deployment of this mode. */
export function isOfMode(prefix: string, mode: Mode): boolean {
  return prefix.startsWith(KEY_START[mode]);
}

/** Whether two hashes are the same; takes the same time wherever they differ. */
export function isSameHash(one: string, other: string): boolean {
  return timingSafeEqual(Buffer.from(one, 'hex'), Buffer.from(other, 'hex'));
}

/** Of a text that is no key: what is compared where there is no hash. */
export const HASH_OF_NO_KEY = hashOf('');

/** What is stored of a key. */
export function hashOf(apiKey: string): string {
  return hash('sha256', apiKey);
}
