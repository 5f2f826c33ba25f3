import type { KeyObject } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { leasedCacheOf, WAIT_FACTOR } from '../../platform/leased-cache.ts';
import type { Logger } from '../../platform/logger.ts';
import { memoizeByObject } from '../../platform/memoize-by-object.ts';
import type { Db } from '../../platform/mongo.ts';
import type { SecretBox } from '../../platform/secret-box.ts';
import { signingKey } from '../sender/signature.rules.ts';
import { forgetPreviousSecret } from './secrets.store.ts';
import type { SubscriptionRow } from './subscriptions.model.ts';
import type { FoundSubscription } from './subscriptions.store.ts';

type SecretDeps = { log: Logger; secretBox: SecretBox };

/** `previous` is null but during a rotation's overlap. */
export type OpenSecrets = { current: KeyObject; previous: KeyObject | null };

type Opened = { from: string; secrets: OpenSecrets };

/** By subscription. Secrets that nothing was signed with for a minute are dropped: the subscription may have others by now. */
const openedOf = memoizeByObject(
  (_box: SecretBox) =>
    new LRUCache<string, Opened>({ max: 1000, ttl: 60_000, updateAgeOnGet: true, ttlAutopurge: true }),
);

const isOverlapOver = ({ overlapEndsAtMs }: FoundSubscription): boolean =>
  overlapEndsAtMs !== null && overlapEndsAtMs <= performance.now();

/**
 * For how long nobody outside knows the secret yet: a rotation without overlap is answered once no process signs with the old one any
 * more. What is sent before that would be rejected. 0 in an overlap, where the old secret signs too.
 */
export function msUntilRotationAnswered(
  { config }: { config: { cacheLeaseMs: number } },
  { rotatedAtMs, sealedPreviousSecret }: FoundSubscription,
): number {
  if (rotatedAtMs === null || sealedPreviousSecret !== null) return 0;
  const answeredAtMs = rotatedAtMs + config.cacheLeaseMs * WAIT_FACTOR;
  return Math.max(0, Math.ceil(answeredAtMs - performance.now()));
}

/** Removes the secret before the last rotation where its overlap is over. */
export async function forgetOverlapped(deps: { db: Db }, subscription: FoundSubscription): Promise<void> {
  if (!isOverlapOver(subscription)) return;
  await forgetPreviousSecret(deps.db, subscription._id);
  leasedCacheOf(deps.db).freshen();
}

/** Drops from memory what was opened of a subscription with which nothing is signed any more. */
export function forgetSecrets({ secretBox }: { secretBox: SecretBox }, { _id }: { _id: string }): void {
  openedOf(secretBox).delete(_id);
}

/**
 * The secrets to sign with, as the row has them: opened once, and kept for as long as they are used and the row is read with them
 * (ADR 0013). Undefined where the current one cannot be opened: the operator's fault costs no partner an attempt.
 */
export function openSecrets(deps: SecretDeps, subscription: FoundSubscription): OpenSecrets | undefined {
  const { _id, partnerId, sealedSecret, sealedPreviousSecret } = subscription;
  const sealedPrevious = isOverlapOver(subscription) ? null : sealedPreviousSecret;
  const opened = openedOf(deps.secretBox);
  const from = [partnerId, sealedSecret, sealedPrevious].join(' ');
  const known = opened.get(_id);
  if (known?.from === from) return known.secrets;
  opened.delete(_id);
  const current = openSecret(deps, subscription, sealedSecret);
  if (current === undefined) return undefined;
  const previous = sealedPrevious === null ? null : openSecret(deps, subscription, sealedPrevious);
  const secrets = { current, previous: previous ?? null };
  if (previous !== undefined) opened.set(_id, { from, secrets });
  return secrets;
}

/** Undefined, and an `error` line, where no key of the ring opens it. */
function openSecret(
  { secretBox, log }: SecretDeps,
  { _id, partnerId }: SubscriptionRow,
  sealed: string,
): KeyObject | undefined {
  try {
    return signingKey(secretBox.open(sealed, { owner: partnerId, id: _id }));
  } catch (err) {
    log.error(
      { alert: 'secret_unreadable', err, subscription_id: _id },
      'a webhook secret cannot be decrypted: put the key that encrypted it back into ENCRYPTION_KEYS',
    );
    return undefined;
  }
}
