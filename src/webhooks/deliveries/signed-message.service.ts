import type { KeyObject } from 'node:crypto';
import { eventBody, requestIdFor } from '../../events/events.rules.ts';
import type { WebhookMessage } from '../sender/send-webhook.ts';
import { signDelivery } from '../sender/signature.rules.ts';
import { openSecrets } from '../subscriptions/secrets.service.ts';
import type { BegunAttempt, SendDeps } from './attempt.ts';
import { findReceiver, isAlike } from './receiver.service.ts';

/**
 * The message of an attempt, signed now, which may be sent for as long as others may rely on what it rests on: who rotates the secret,
 * changes the address, deactivates, suspends or ends the grant answers once that time is over. After it all is read again, and the
 * message signed again; null where the receiver may not have it any more, or by another secret or address.
 */
export function messageOf(deps: SendDeps, attempt: BegunAttempt): WebhookMessage {
  const { row, event, subscription, signal } = attempt;
  const renew = async (): Promise<WebhookMessage | null> => {
    const now = await findReceiver(deps, row, event);
    if (now === null || !isAlike(now.subscription, subscription)) return null;
    const opened = openSecrets(deps, now.subscription);
    return opened === undefined ? null : messageOf(deps, { ...attempt, ...now, secrets: opened });
  };
  return {
    ...signed(deps, attempt),
    validity: { untilMs: attempt.readAtMs + deps.config.cacheLeaseMs / 2, renew },
    signal,
  };
}

/** Signed over the exact bytes that are sent. */
function signed({ clock }: Pick<SendDeps, 'clock'>, attempt: BegunAttempt) {
  const { row, event, subscription, attemptId } = attempt;
  const { current, previous } = attempt.secrets;
  const body = JSON.stringify({ ...eventBody(event, row.partnerId), delivery_id: attemptId });
  const timestampSeconds = Math.floor(clock.now().getTime() / 1000);
  const requestId = requestIdFor(event, row.partnerId);
  const sign = (secretKey: KeyObject) => signDelivery({ secretKey, timestampSeconds, body });
  return {
    url: subscription.endpointUrl,
    headers: {
      'Content-Type': 'application/json',
      'User-Agent': 'partner-booking-service/1',
      'X-Webhook-Event': event.type,
      'X-Delivery-Id': attemptId,
      'X-Delivery-Attempt': String(row.attemptsMade + 1),
      'X-Service-Timestamp': String(timestampSeconds),
      'X-Service-Signature': sign(current),
      ...(requestId === null ? {} : { 'X-Request-Id': requestId }),
      ...(previous === null ? {} : { 'X-Service-Signature-Previous': sign(previous) }),
    },
    body,
  };
}
