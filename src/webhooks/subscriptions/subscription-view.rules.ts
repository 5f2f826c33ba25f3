import { parseUrl } from '../../platform/parse-url.ts';
import type { SubscriptionRow } from './subscriptions.model.ts';

/** The URL to which webhooks are sent. Older releases stored it as the partner wrote it. */
export function calledUrlOf({ endpointUrl }: Pick<SubscriptionRow, 'endpointUrl'>): string {
  return parseUrl(endpointUrl)?.href ?? endpointUrl;
}

/** Whether the subscription wants events of the venue (null: a test event). */
export function wantsVenue({ venueIds = null }: Pick<SubscriptionRow, 'venueIds'>, venueId: string | null): boolean {
  return venueIds === null || venueId === null || venueIds.includes(venueId);
}

/** A subscription as its partner sees it; never its secret. */
export function subscriptionView(row: SubscriptionRow): Record<string, unknown> {
  return {
    id: row._id,
    endpoint_url: calledUrlOf(row),
    event_types: row.eventTypes,
    venue_ids: row.venueIds ?? null,
    status: row.status,
    created_at: row.createdAt.toISOString(),
  };
}

export function listedView(row: SubscriptionRow): Record<string, unknown> {
  return { ...subscriptionView(row), secret_rotated_at: rotatedAt(row) };
}

export function rotatedAt(row: SubscriptionRow): string | null {
  return row.secretRotatedAt?.toISOString() ?? null;
}

export function operatorSubscriptionView(row: SubscriptionRow): Record<string, unknown> {
  return {
    ...listedView(row),
    partner_id: row.partnerId,
    consecutive_failures: row.consecutiveFailures,
    last_success_at: row.lastSuccessAt?.toISOString() ?? null,
    last_failure_at: row.lastFailureAt?.toISOString() ?? null,
  };
}
