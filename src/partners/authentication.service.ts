import { DomainError } from '../domain/errors.ts';
import { batched } from '../platform/batched.ts';
import type { Clock } from '../platform/clock.ts';
import type { Entry } from '../platform/leased-cache.ts';
import type { Logger } from '../platform/logger.ts';
import type { Db } from '../platform/mongo.ts';
import { HASH_OF_NO_KEY, hashOf, isOfMode, isSameHash, KEY_START, prefixOf } from './api-key.rules.ts';
import { findCachedKey } from './cached-partners.store.ts';
import { createKeyUse } from './key-use.ts';
import type { KeyOwner, PartnerDeps } from './partners.service.ts';
import { SUSPENDED } from './partners.service.ts';
import type { KeyOfPartner } from './partners.store.ts';
import { findApiKey, findApiKeysByPrefix } from './partners.store.ts';

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
        deps.log.info({ key_id: key._id, partner_id: key.partnerId }, 'expired or revoked API key used');
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
  'The x-api-key header is missing, or its key is malformed or unknown. Send the whole key that the platform operator issued to you: /docs on this service shows how.';

function requireMode(prefix: string | undefined, serviceMode: keyof typeof KEY_START): void {
  if (prefix === undefined || isOfMode(prefix, serviceMode)) return;
  throw new DomainError(
    'INVALID_API_KEY',
    `The key in the x-api-key header is for another deployment: keys of this ${serviceMode} begin with ${KEY_START[serviceMode]}. Send such a key, or call the deployment that issued yours.`,
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
      `The key in the x-api-key header expired at ${expiresAt.toISOString()}. Send its replacement, or ask the platform operator for a new one.`,
    );
  }
  if (partnerStatus !== 'active') throw new DomainError('PARTNER_SUSPENDED', SUSPENDED.partner);
}
