import { LRUCache } from 'lru-cache';
import { DomainError } from '../domain/errors.ts';
import { batched } from '../platform/batched.ts';
import type { Clock } from '../platform/clock.ts';
import type { Entry } from '../platform/leased-cache.ts';
import type { Logger } from '../platform/logger.ts';
import type { Db } from '../platform/mongo.ts';
import { HASH_OF_NO_KEY, hashOf, isOfMode, isSameHash, KEY_START, prefixOf } from './api-key.rules.ts';
import type { KeyOfPartner } from './api-keys.store.ts';
import { findApiKey, findApiKeysByPrefix, touchApiKeyRow } from './api-keys.store.ts';
import { findCachedKey } from './cached-partners.store.ts';
import type { ApiKeyRow } from './partners.model.ts';
import type { KeyOwner, PartnerDeps } from './partners.service.ts';
import { SUSPENDED } from './partners.service.ts';

/** A key that was sent. */
export type SentKey = {
  /** Whether this very key opened the interface here in the last ten minutes; it may have ended since. */
  isKnown(): boolean;
  /**
   * Resolves the key to its partner, and has its use noted beside the call. `in turn`, the read
   * that it takes is made 100 ms later, together with those of all others that wait.
   * @throws DomainError INVALID_API_KEY: in one wording for a key that is missing, malformed or unknown, so that a stranger learns
   * nothing about keys; in another for whatever has the form of the other mode's keys, which is refused without a look at
   * whether there is such a key; in a third for the whole of a key that was revoked or has expired.
   * PARTNER_SUSPENDED for the key of a suspended partner.
   */
  authenticate(when: 'at once' | 'in turn'): Promise<KeyOwner>;
};

/** At most ten reads a second, whatever comes, of up to 1,000 entries of an index each. */
const IN_TURN = { everyMs: 100, maxKeys: 1000 };

/** How one process finds out who calls, by the keys that are sent to it. */
export function createPartnerAuthentication(
  deps: PartnerDeps & { log: Logger },
): (apiKey: string | undefined) => SentKey {
  const { db, clock, config } = deps;
  const keyUse = createKeyUse(deps);
  const findMany = (prefixes: readonly string[]) => findApiKeysByPrefix(db, prefixes);
  const find = {
    'at once': async (prefix: string, hash: string) => {
      // Cached only for callers who have sent the whole key: else the time of a rejection would tell which keys are in use.
      const keyId = keyUse.knownId(hash);
      const cached = keyId === undefined ? null : await findCachedKey(db, keyId);
      return cached?.value ?? (await findMany([prefix])).get(prefix);
    },
    'in turn': batched(
      async (prefixes: readonly string[]) => {
        const found = await findMany([...new Set(prefixes)]);
        return prefixes.map((prefix) => found.get(prefix));
      },
      IN_TURN.maxKeys,
      IN_TURN.everyMs,
    ),
  };
  const authenticate = async (apiKey: string, hash: string, when: 'at once' | 'in turn') => {
    const prefix = prefixOf(apiKey);
    requireMode(prefix, config.serviceMode);
    const key = prefix === undefined ? undefined : await find[when](prefix, hash);
    // Compared also where there is no such key, so that the time of a rejection does not reveal whether there is.
    const isGenuine = isSameHash(hash, key?.hash ?? HASH_OF_NO_KEY);
    try {
      if (key === undefined || !isGenuine) throw new DomainError('INVALID_API_KEY', UNKNOWN);
      requireInForce(key, clock.now());
    } catch (err) {
      keyUse.forget(hash);
      // Whose program goes on with an old key: the caller was not let in, so its request line names nobody.
      if (key !== undefined && isGenuine)
        deps.log.info(
          { key_id: key._id, partner_id: key.partnerId },
          'a key that opens nothing any more was sent',
        );
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

const UNKNOWN =
  'The x-api-key header is missing, or its key is malformed or unknown. Send the key that the platform operator issued to you, whole: /docs on this service shows how.';

function requireMode(prefix: string | undefined, serviceMode: keyof typeof KEY_START): void {
  if (prefix === undefined || isOfMode(prefix, serviceMode)) return;
  throw new DomainError(
    'INVALID_API_KEY',
    `The key in the x-api-key header is of another deployment: this one is the ${serviceMode}, whose keys begin with ${KEY_START[serviceMode]}. Send such a key, or call the deployment for which yours was issued.`,
  );
}

/**
 * Rejects a call whose key has been revoked, or whose partner has been suspended, since the call was let in. Returns what a lease has
 * to cover; null where the partner was suspended for a moment.
 * @throws DomainError INVALID_API_KEY, PARTNER_SUSPENDED
 */
export async function requireKeyInForce(
  { db, clock }: { db: Db; clock: Clock },
  keyId: string,
): Promise<Entry | null> {
  const cached = await findCachedKey(db, keyId);
  const key = cached?.value ?? (await findApiKey(db, keyId));
  if (key === undefined) throw new DomainError('INVALID_API_KEY', UNKNOWN);
  requireInForce(key, clock.now());
  return cached;
}

/** Of a key that was sent whole. */
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
      `The key in the x-api-key header expired at ${expiresAt.toISOString()}. Send the one that replaced it, or ask the platform operator for a new one.`,
    );
  }
  if (partnerStatus !== 'active') throw new DomainError('PARTNER_SUSPENDED', SUSPENDED.partner);
}

type UsedKey = Pick<ApiKeyRow, '_id' | 'hash'>;

/** What one process knows of the keys that open the interface. */
export type KeyUse = {
  /** Notes that a key was right. Returns at once and never throws: the write is made beside the call. */
  note(key: UsedKey): void;
  /** The id of the key with this hash, if it was right here in the last ten minutes. */
  knownId(hash: string): string | undefined;
  forget(hash: string): void;
};

const WRITE_EVERY_MS = 60_000;
const KNOWN_FOR_MS = 600_000;

/** Of more keys than this, those used longest ago are looked up again. The cache takes its memory at once: 0.4 MB. */
const MAX_KNOWN = 10_000;

/**
 * Keeps `lastUsedAt` of partners' keys right to a minute: this process writes it at most once a minute for each key. A write that
 * fails is not repeated before the next use.
 */
export function createKeyUse({ db, log }: { db: Db; log: Logger }): KeyUse {
  /** By hash, which key was noted, and when. */
  const noted = new LRUCache<string, { keyId: string; at: number }>({ max: MAX_KNOWN, ttl: KNOWN_FOR_MS });
  return {
    knownId: (hash) => noted.get(hash)?.keyId,
    forget: (hash) => void noted.delete(hash),
    note: ({ _id, hash }) => {
      const now = performance.now();
      if (now - (noted.get(hash)?.at ?? Number.NEGATIVE_INFINITY) < WRITE_EVERY_MS) return;
      noted.set(hash, { keyId: _id, at: now });
      touchApiKeyRow(db, _id).catch((err: Error) =>
        log.debug({ key_id: _id, error: err.message }, 'the use of a key could not be noted'),
      );
    },
  };
}
