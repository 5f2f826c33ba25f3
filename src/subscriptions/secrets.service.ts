import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import type { Db } from '../platform/mongo.ts';
import type { SecretBox } from '../platform/secret-box.ts';
import { forgetPreviousSecret } from './secrets.store.ts';
import type { SubscriptionRow } from './subscriptions.model.ts';

type SecretDeps = { clock: Clock; log: Logger; secretBox: SecretBox };

/** `previous` is null but during a rotation's overlap. */
export type OpenSecrets = { current: string; previous: string | null };

function isOverlapOver({ clock }: { clock: Clock }, { previousSecretUntil }: SubscriptionRow): boolean {
  return previousSecretUntil !== null && previousSecretUntil <= clock.now();
}

/** Removes the secret before the last rotation where its overlap is over. */
export async function forgetOverlapped(
  deps: { db: Db; clock: Clock },
  subscription: SubscriptionRow,
): Promise<void> {
  if (isOverlapOver(deps, subscription)) await forgetPreviousSecret(deps.db, subscription._id);
}

/** The secrets to sign with. Undefined where the current one cannot be opened: the operator's fault costs no partner an attempt. */
export function openSecrets(deps: SecretDeps, subscription: SubscriptionRow): OpenSecrets | undefined {
  const { sealedSecret, sealedPreviousSecret: sealedPrevious } = subscription;
  const current = openSecret(deps, subscription, sealedSecret);
  if (current === undefined) return undefined;
  if (sealedPrevious === null || isOverlapOver(deps, subscription)) return { current, previous: null };
  return { current, previous: openSecret(deps, subscription, sealedPrevious) ?? null };
}

/** Undefined, and an `error` line, where no key of the ring opens it. */
function openSecret(
  { secretBox, log }: SecretDeps,
  { _id, partnerId }: SubscriptionRow,
  sealed: string,
): string | undefined {
  try {
    return secretBox.open(sealed, { owner: partnerId, id: _id });
  } catch (err) {
    log.error(
      { alert: 'secret_unreadable', err, subscription_id: _id },
      'a webhook secret cannot be decrypted: put the key that sealed it back into ENCRYPTION_KEYS',
    );
    return undefined;
  }
}
