import { hash, randomBytes, timingSafeEqual } from 'node:crypto';

const KEY_PATTERN = /^(pk_(?:sandbox|live)_[0-9a-f]{16})_[A-Za-z0-9_-]{43}$/;

export const KEY_START = { sandbox: 'pk_sandbox_', production: 'pk_live_' } as const;

type Mode = keyof typeof KEY_START;

/**
 * A new partner key `pk_sandbox_<16 hex>_<43 base64url>` (or `pk_live_…`). The part through the 16 hex digits names
 * the key in lists and logs; the rest has 256 random bits.
 */
export function newApiKey(mode: Mode): { apiKey: string; prefix: string; hash: string } {
  const prefix = `${KEY_START[mode]}${randomBytes(8).toString('hex')}`;
  const apiKey = `${prefix}_${randomBytes(32).toString('base64url')}`;
  return { apiKey, prefix, hash: hashOf(apiKey) };
}

/** The public prefix of a partner key; undefined for any other text. */
export function prefixOf(apiKey: string): string | undefined {
  return KEY_PATTERN.exec(apiKey)?.[1];
}

/** Compares hashes in constant time. */
export function isSameHash(one: string, other: string): boolean {
  return timingSafeEqual(Buffer.from(one, 'hex'), Buffer.from(other, 'hex'));
}

/** Compared if the key's prefix is unknown, so that the rejection takes as long as that of a wrong key. */
export const HASH_OF_NO_KEY = hashOf('');

export function hashOf(apiKey: string): string {
  return hash('sha256', apiKey);
}
