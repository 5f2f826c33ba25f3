import { LRUCache } from 'lru-cache';
import { leasedCacheOf, WAIT_FACTOR } from '../../platform/leased-cache.ts';
import type { Logger } from '../../platform/logger.ts';
import { memoizeByObject } from '../../platform/memoize-by-object.ts';
import type { Db } from '../../platform/mongo.ts';
import type { SecretBox } from '../../platform/secret-box.ts';
import { type SigningKeys, signingKeys } from '../sender/signature.rules.ts';
import { forgetPreviousSecret } from './secrets.store.ts';
import type { SubscriptionRow } from './subscriptions.model.ts';
import type { FoundSubscription } from './subscriptions.store.ts';

const isOverlapOver = ({ overlapEndsAtMs }: FoundSubscription): boolean =>
  overlapEndsAtMs !== null && overlapEndsAtMs <= performance.now();

/**
 * How long a delivery must wait after a rotation without overlap; 0 during an overlap. The receiver learns the new
 * secret from the response to the rotating call, which is sent once no process signs with the old secret. Before that,
 * the receiver would reject a delivery signed with the new secret.
 */
export function msUntilRotationAnswered(
  { config }: { config: { cacheLeaseMs: number } },
  { rotatedAtMs, sealedPreviousSecret }: FoundSubscription,
): number {
  if (rotatedAtMs === null || sealedPreviousSecret !== null) return 0;
  const answeredAtMs = rotatedAtMs + config.cacheLeaseMs * WAIT_FACTOR;
  return Math.max(0, Math.ceil(answeredAtMs - performance.now()));
}

/** Removes the previous secret from the row once its overlap is over. */
export async function removeExpiredSecret(deps: { db: Db }, subscription: FoundSubscription): Promise<void> {
  if (!isOverlapOver(subscription)) return;
  await forgetPreviousSecret(deps.db, subscription._id);
  await leasedCacheOf(deps.db).invalidate('here');
}

type SecretDeps = { log: Logger; secretBox: SecretBox };

/** `previous` is null except during a rotation's overlap. */
export type OpenSecrets = { current: SigningKeys; previous: SigningKeys | null };

/** Decrypted secrets by what they were decrypted from; a minute without use removes them from memory. */
const cachedSecretsOf = memoizeByObject(
  (_box: SecretBox) =>
    new LRUCache<string, OpenSecrets>({ max: 1000, ttl: 60_000, updateAgeOnGet: true, ttlAutopurge: true }),
);

/**
 * The secrets to sign with, decrypted once and cached while the row has them (ADR 0013). Undefined if the current
 * secret cannot be decrypted: an operator's mistake must not use up an attempt.
 */
export function openSecrets(deps: SecretDeps, subscription: FoundSubscription): OpenSecrets | undefined {
  const { _id, partnerId, sealedSecret, sealedPreviousSecret } = subscription;
  const sealedPrevious = isOverlapOver(subscription) ? null : sealedPreviousSecret;
  const cache = cachedSecretsOf(deps.secretBox);
  const openedFrom = [_id, partnerId, sealedSecret, sealedPrevious].join(' ');
  const cached = cache.get(openedFrom);
  if (cached !== undefined) return cached;
  const current = openSecret(deps, subscription, sealedSecret);
  if (current === undefined) return undefined;
  const previous = sealedPrevious === null ? null : openSecret(deps, subscription, sealedPrevious);
  const secrets = { current, previous: previous ?? null };
  if (previous !== undefined) cache.set(openedFrom, secrets);
  return secrets;
}

/** Undefined, with an `error` line, if no configured key decrypts the secret. */
function openSecret(
  { secretBox, log }: SecretDeps,
  { _id, partnerId }: SubscriptionRow,
  sealed: string,
): SigningKeys | undefined {
  try {
    return signingKeys(secretBox.open(sealed, { owner: partnerId, id: _id }));
  } catch (err) {
    log.error(
      { alert: 'secret_unreadable', err, subscription_id: _id },
      'a webhook secret cannot be decrypted: put the key that encrypted it back into ENCRYPTION_KEYS',
    );
    return undefined;
  }
}
