import type { KeyObject } from 'node:crypto';
import type { EventRow } from '../events/events.model.ts';
import { eventBody, requestIdFor } from '../events/events.rules.ts';
import type { Clock } from '../platform/clock.ts';
import type { WebhookMessage } from '../sender/send-webhook.ts';
import { signDelivery } from '../sender/signature.rules.ts';
import type { OpenSecrets } from '../subscriptions/secrets.service.ts';
import type { DeliveryRow } from './deliveries.model.ts';

/** The message of one attempt, signed now over the exact bytes that are sent. */
export function composeMessage(
  deps: { clock: Clock },
  row: Pick<DeliveryRow, 'partnerId' | 'attemptsMade'>,
  url: string,
  { current, previous }: OpenSecrets,
  event: EventRow,
  attemptId: string,
): WebhookMessage {
  const body = JSON.stringify({ ...eventBody(event, row.partnerId), delivery_id: attemptId });
  const timestampSeconds = Math.floor(deps.clock.now().getTime() / 1000);
  const requestId = requestIdFor(event, row.partnerId);
  const sign = (secretKey: KeyObject) => signDelivery({ secretKey, timestampSeconds, body });
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
      ...(requestId === null ? {} : { 'X-Request-Id': requestId }),
      ...(previous === null ? {} : { 'X-Service-Signature-Previous': sign(previous) }),
    },
    body,
  };
}
