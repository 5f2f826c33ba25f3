import { eventBody } from '../events/event-body.rules.ts';
import type { EventRow } from '../events/events.service.ts';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import type { SecretBox } from '../platform/secret-box.ts';
import type { WebhookMessage } from '../sender/send-webhook.ts';
import { signDelivery } from '../sender/signature.rules.ts';
import type { SubscriptionRow } from '../subscriptions/subscriptions.model.ts';
import type { DeliveryRow } from './deliveries.model.ts';

type SigningDeps = { clock: Clock; log: Logger; secretBox: SecretBox };

/** `previous` is null but during a rotation's overlap. */
type Secrets = { current: string; previous: string | null };

export function isOverlapOver({ clock }: SigningDeps, { previousSecretUntil }: SubscriptionRow): boolean {
  return previousSecretUntil !== null && previousSecretUntil <= clock.now();
}

/** Undefined where the current one cannot be opened: the operator's fault costs no partner an attempt. */
export function openSecrets(deps: SigningDeps, subscription: SubscriptionRow): Secrets | undefined {
  const { sealedSecret, sealedPreviousSecret: sealedPrevious } = subscription;
  const current = openSecret(deps, subscription, sealedSecret);
  if (current === undefined) return undefined;
  if (sealedPrevious === null || isOverlapOver(deps, subscription)) return { current, previous: null };
  return { current, previous: openSecret(deps, subscription, sealedPrevious) ?? null };
}

/** Undefined, and an `error` line, where no key of the ring opens it. */
function openSecret(
  { secretBox, log }: SigningDeps,
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

/** The message of one attempt, signed now over the exact bytes that are sent. */
export function composeMessage(
  deps: SigningDeps,
  row: DeliveryRow,
  url: string,
  { current, previous }: Secrets,
  event: EventRow,
  attemptId: string,
): WebhookMessage {
  const body = JSON.stringify({ ...eventBody(event, row.partnerId), delivery_id: attemptId });
  const timestampSeconds = Math.floor(deps.clock.now().getTime() / 1000);
  const sign = (secretKey: string) => signDelivery({ secretKey, timestampSeconds, body });
  return {
    url,
    headers: {
      'Content-Type': 'application/json',
      'User-Agent': 'partner-booking-service/1',
      'X-Webhook-Event': event.type,
      'X-Delivery-Id': attemptId,
      'X-Delivery-Attempt': String(row.attemptsMade + 1),
      'X-Service-Timestamp': String(timestampSeconds),
      'X-Service-Signature': sign(current),
      ...(previous === null ? {} : { 'X-Service-Signature-Previous': sign(previous) }),
    },
    body,
  };
}
