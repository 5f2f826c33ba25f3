import { eventBody, requestIdOf } from '../../events/events.rules.ts';
import { omitUndefined } from '../../platform/objects.ts';
import type { DeliveryDetail } from './read-deliveries.service.ts';

export function operatorDeliveryView(detail: DeliveryDetail): Record<string, unknown> {
  const { partnerId, discardReason } = detail.delivery;
  const forOperators = {
    partner_id: partnerId,
    request_id: detail.event === null ? null : requestIdOf(detail.event),
    discard_reason: discardReason,
  };
  return { ...deliveryView(detail), ...omitUndefined(forOperators) };
}

/** A delivery as its partner sees it. Leaves out an attempt in progress. */
export function deliveryView({ delivery, event, endpointUrl }: DeliveryDetail): Record<string, unknown> {
  return {
    id: delivery._id,
    event_id: delivery.eventId,
    event_type: delivery.eventType,
    subscription_id: delivery.subscriptionId,
    endpoint_url: endpointUrl,
    state: delivery.state,
    attempts: delivery.attempts
      .filter((attempt) => attempt.outcome !== 'started')
      .map((attempt) => ({
        delivery_id: attempt.deliveryId,
        series: attempt.series ?? null,
        attempt: attempt.attempt,
        endpoint_url: attempt.endpointUrl ?? null,
        sent_at: attempt.sentAt.toISOString(),
        status_code: attempt.statusCode,
        error: attempt.error,
        error_detail: attempt.errorDetail ?? null,
        redirect_to: attempt.redirectTo ?? null,
        duration_ms: attempt.durationMs,
        response_excerpt: attempt.responseExcerpt,
      })),
    next_attempt_at: delivery.nextAttemptAt?.toISOString() ?? null,
    dead_lettered_at: delivery.deadLetteredAt?.toISOString() ?? null,
    ...omitUndefined({ discarded_at: delivery.discardedAt?.toISOString() }),
    created_at: delivery.createdAt.toISOString(),
    payload: event === null ? null : eventBody(event, delivery.partnerId),
  };
}
