import { DomainError, fieldError } from '../domain/errors.ts';
import { newId } from '../platform/ids.ts';
import { leasedCacheOf } from '../platform/leased-cache.ts';
import { type Db, inTransaction } from '../platform/mongo.ts';
import { newApiKey } from './api-key.rules.ts';
import {
  endApiKeyRow,
  findKeyHolder,
  insertApiKey,
  type KeyHolder,
  listApiKeyRows,
  revokeApiKeyRow,
} from './api-keys.store.ts';
import type { ApiKeyRow } from './partners.model.ts';
import { getPartner, type KeyOwner, type PartnerDeps } from './partners.service.ts';

export type { KeyHolder } from './api-keys.store.ts';

type KeyInput = Pick<ApiKeyRow, 'label' | 'expiresAt'>;

export type IssuedKey = { apiKey: string; key: ApiKeyRow };

/**
 * Issues a key. Only this response contains `apiKey`; the database has its hash.
 * @throws DomainError VALIDATION_ERROR for an expiry in the past; PARTNER_NOT_FOUND; PARTNER_NOT_CERTIFIED in
 * production mode.
 */
export async function issueApiKey(deps: PartnerDeps, partnerId: string, input: KeyInput): Promise<IssuedKey> {
  if (input.expiresAt !== null && input.expiresAt <= deps.clock.now()) {
    throw fieldError('expires_at', 'is not in the future, so the key would never be valid.');
  }
  await requireIssuable(deps, partnerId);
  const issued = makeKey(deps, partnerId, input);
  await insertApiKey(deps.db, issued.key);
  return issued;
}

async function requireIssuable(deps: PartnerDeps, partnerId: string): Promise<void> {
  const partner = await getPartner(deps, partnerId);
  if (deps.config.serviceMode === 'production' && partner.certifiedAt === null) {
    throw new DomainError(
      'PARTNER_NOT_CERTIFIED',
      'A production key can be issued only to a certified partner. Certify the partner first.',
    );
  }
}

function makeKey(deps: PartnerDeps, partnerId: string, input: KeyInput): IssuedKey {
  const { apiKey, prefix, hash } = newApiKey(deps.config.serviceMode);
  const createdAt = deps.clock.now();
  return {
    apiKey,
    key: { _id: newId(), partnerId, prefix, hash, ...input, createdAt, revokedAt: null, lastUsedAt: null },
  };
}

/**
 * Issues a key with the old key's label and no expiry, and ends the old one, in one transaction. The old key ends after
 * the overlap, or at its own expiry if earlier. Of concurrent calls with `overlapSeconds` 0, one succeeds.
 * @throws DomainError PARTNER_NOT_FOUND, PARTNER_NOT_CERTIFIED; KEY_NOT_FOUND for a key that is missing or has ended.
 */
export async function rotateApiKey(
  deps: PartnerDeps,
  partnerId: string,
  keyId: string,
  overlapSeconds: number,
): Promise<IssuedKey> {
  await requireIssuable(deps, partnerId);
  const issued = await inTransaction(deps.db, async (tx) => {
    const old = await endApiKeyRow(deps.db, { partnerId, keyId, afterMs: overlapSeconds * 1000 }, tx);
    if (old === null) return null;
    const replacement = makeKey(deps, partnerId, { label: old.label, expiresAt: null });
    await insertApiKey(deps.db, replacement.key, tx);
    return replacement;
  });
  if (issued !== null) {
    await leasedCacheOf(deps.db).invalidate('everywhere');
    return issued;
  }
  throw new DomainError('KEY_NOT_FOUND', 'This partner has no valid key with that id to replace. Issue a new key.');
}

/** @throws DomainError PARTNER_NOT_FOUND */
export async function listApiKeys(deps: PartnerDeps, partnerId: string): Promise<ApiKeyRow[]> {
  await getPartner(deps, partnerId);
  return listApiKeyRows(deps.db, partnerId);
}

/** After the call, every process rejects the key. @throws DomainError KEY_NOT_FOUND */
export async function revokeApiKey(deps: PartnerDeps, partnerId: string, keyId: string): Promise<void> {
  if (!(await revokeApiKeyRow(deps.db, partnerId, keyId))) {
    throw new DomainError('KEY_NOT_FOUND', 'This partner has no key with that id. List its keys to find the id.');
  }
  await leasedCacheOf(deps.db).invalidate('everywhere');
}

/** The caller's key, its partner, and the venues granted to the partner, sorted by name. One query. */
export async function readKeyHolder(deps: { db: Db }, caller: KeyOwner): Promise<KeyHolder> {
  const holder = await findKeyHolder(deps.db, caller);
  if (holder === null) throw new Error(`The key ${caller.keyId} authenticated this call but is not in the database`);
  return holder;
}
