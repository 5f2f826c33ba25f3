import { LRUCache } from 'lru-cache';
import { DomainError } from '../domain/errors.ts';
import { batched } from '../platform/batched.ts';
import type { Clock } from '../platform/clock.ts';
import type { Entry } from '../platform/leased-cache.ts';
import type { Logger } from '../platform/logger.ts';
import type { Db } from '../platform/mongo.ts';
import { HASH_OF_NO_KEY, hashOf, isSameHash, KEY_START, prefixOf } from './api-key.rules.ts';
import { findApiKey, findApiKeysByPrefix, type KeyOfPartner, touchApiKeyRow } from './api-keys.store.ts';
import type { ApiKeyRow } from './partners.model.ts';
import { type KeyOwner, type PartnerDeps, SUSPENDED } from './partners.service.ts';
import { findCachedKey } from './partners.store.ts';

type SentKey = {
  /** Whether this process accepted the key in the last ten minutes; it may be invalid by now. */
  isKnown(): boolean;
  /**
   * The partner and id of the key. `batched` shares one read with other calls, every 100 ms.
   * @throws DomainError INVALID_API_KEY, PARTNER_SUSPENDED. Only a call with the whole key learns that the key is
   * revoked or expired, or its partner suspended.
   */
  authenticate(when: 'alone' | 'batched'): Promise<KeyOwner>;
};

/** `batched` makes at most ten reads a second, of up to 1,000 index entries each. */
const BATCHES = { everyMs: 100, maxKeys: 1000 };

export function createPartnerAuthentication(
  deps: PartnerDeps & { log: Logger },
): (apiKey: string | undefined) => SentKey {
  const { db, clock, config } = deps;
  const keyUse = createKeyUse(deps);
  const findMany = (prefixes: readonly string[]) => findApiKeysByPrefix(db, prefixes);
  const findKey = {
    alone: async (prefix: string, hash: string) => {
      // Use the cache only for known keys: the duration of a rejection must not reveal which keys exist.
      const keyId = keyUse.knownId(hash);
      const cached = keyId === undefined ? null : await findCachedKey(db, keyId);
      return cached?.value ?? (await findMany([prefix])).get(prefix);
    },
    batched: batched(
      async (prefixes: readonly string[]) => {
        const keys = await findMany([...new Set(prefixes)]);
        return prefixes.map((prefix) => keys.get(prefix));
      },
      BATCHES.maxKeys,
      BATCHES.everyMs,
    ),
  };
  const authenticate = async (apiKey: string, hash: string, when: 'alone' | 'batched') => {
    const prefix = prefixOf(apiKey);
    if (prefix === undefined) throw new DomainError('INVALID_API_KEY', apiKey === '' ? MISSING : MALFORMED);
    requireMode(prefix, config.serviceMode);
    const key = await findKey[when](prefix, hash);
    // Compare hashes even if no such key exists: the duration of a rejection must not reveal which keys exist.
    const isGenuine = isSameHash(hash, key?.hash ?? HASH_OF_NO_KEY);
    try {
      if (key === undefined || !isGenuine) throw new DomainError('INVALID_API_KEY', UNKNOWN);
      requireInForce(key, clock.now());
    } catch (err) {
      keyUse.forget(hash);
      // The log line of a rejected call names no partner, so log the old key's partner here.
      if (key !== undefined && isGenuine)
        deps.log.info({ key_id: key._id, partner_id: key.partnerId }, 'expired, revoked or suspended API key used');
      throw err;
    }
    keyUse.note(key);
    return { partnerId: key.partnerId, keyId: key._id };
  };
  return (apiKey = '') => {
    const hash = hashOf(apiKey);
    return {
      isKnown: () => keyUse.knownId(hash) !== undefined,
      authenticate: (when) => authenticate(apiKey, hash, when),
    };
  };
}

const SEND = 'Send the whole key that the platform operator issued to you: /docs on this service shows how.';
const MISSING = `The x-api-key header is missing. ${SEND}`;
const MALFORMED = `The key in the x-api-key header is not a partner key: those begin with ${KEY_START.sandbox} or ${KEY_START.production}. An operator's key works on the operator interface alone. ${SEND}`;
const UNKNOWN = `The key in the x-api-key header is unknown. ${SEND}`;

function requireMode(prefix: string, serviceMode: keyof typeof KEY_START): void {
  if (prefix.startsWith(KEY_START[serviceMode])) return;
  throw new DomainError(
    'INVALID_API_KEY',
    `The key in the x-api-key header is for another deployment: keys of this ${serviceMode} begin with ${KEY_START[serviceMode]}. Send such a key, or call the deployment that issued yours.`,
  );
}

/**
 * Rejects a call if its key was revoked or its partner suspended after the call was authenticated. Returns the cache
 * entry, so that the call's writes can carry its lease (ADR 0006); null if the key came from the database.
 * @throws DomainError INVALID_API_KEY, PARTNER_SUSPENDED
 */
export async function requireKeyInForce({ db, clock }: { db: Db; clock: Clock }, keyId: string): Promise<Entry | null> {
  const cached = await findCachedKey(db, keyId);
  const key = cached?.value ?? (await findApiKey(db, keyId));
  if (key === undefined) throw new DomainError('INVALID_API_KEY', UNKNOWN);
  requireInForce(key, clock.now());
  return cached;
}

function requireInForce({ revokedAt, expiresAt, partnerStatus }: KeyOfPartner, now: Date): void {
  if (revokedAt !== null) {
    throw new DomainError(
      'INVALID_API_KEY',
      'The key in the x-api-key header was revoked. Ask the platform operator for a new one.',
    );
  }
  if (expiresAt !== null && expiresAt <= now) {
    throw new DomainError(
      'INVALID_API_KEY',
      `The key in the x-api-key header expired at ${expiresAt.toISOString()}. Send its replacement, or ask the platform operator for a new one.`,
    );
  }
  if (partnerStatus !== 'active') throw new DomainError('PARTNER_SUSPENDED', SUSPENDED.partner);
}

const WRITE_EVERY_MS = 60_000;
const KNOWN_FOR_MS = 600_000;

/** The cache allocates the memory for all entries when it is created: 0.4 MB. */
const MAX_KNOWN = 10_000;

/**
 * Remembers the keys that this process accepted, and keeps their `lastUsedAt` accurate to a minute: it is written at
 * most once a minute for each key. After a failed write, a later use writes again.
 */
export function createKeyUse({ db, log }: { db: Db; log: Logger }) {
  const uses = new LRUCache<string, { keyId: string; writtenAt: number }>({ max: MAX_KNOWN, ttl: KNOWN_FOR_MS });
  return {
    /** The id of the key with this hash, if it was accepted here in the last ten minutes. */
    knownId: (hash: string) => uses.get(hash)?.keyId,
    forget: (hash: string) => void uses.delete(hash),
    /** Notes a successful use. Returns at once and never throws. */
    note: ({ _id, hash }: Pick<ApiKeyRow, '_id' | 'hash'>): void => {
      const now = performance.now();
      if (now - (uses.get(hash)?.writtenAt ?? Number.NEGATIVE_INFINITY) < WRITE_EVERY_MS) return;
      uses.set(hash, { keyId: _id, writtenAt: now });
      touchApiKeyRow(db, _id).catch((err: Error) =>
        log.debug({ key_id: _id, error: err.message }, 'last use of an API key not written'),
      );
    },
  };
}
