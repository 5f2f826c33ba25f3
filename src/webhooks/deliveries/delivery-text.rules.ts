import type { EventRow } from '../../events/events.model.ts';
import { requestIdOf } from '../../events/events.rules.ts';
import { parseUrl } from '../../platform/parse-url.ts';
import type { DeliveryError } from '../sender/delivery-error.rules.ts';
import type { AttemptRow, DeliveryRow } from './deliveries.model.ts';

/** The ids of a delivery in log lines. Each attempt of a `delivery` has its own `delivery_id`. */
export function deliveryFields({ _id, eventId, subscriptionId, partnerId }: DeliveryRow) {
  return { delivery: _id, event_id: eventId, subscription_id: subscriptionId, partner_id: partnerId };
}

/** The hold, booking and request of an event, in log lines; null if not known. */
export function eventFields(event: EventRow | undefined) {
  return {
    hold_id: event?.holdId ?? null,
    booking_id: event?.bookingId ?? null,
    request_id: event === undefined ? null : requestIdOf(event),
  };
}

/** Why an attempt failed: `http_status 503`, `redirect 301 to https://partner.example`. */
export function causeOf({
  statusCode,
  error,
  errorDetail,
  redirectTo,
}: Pick<AttemptRow, 'statusCode' | 'error' | 'errorDetail' | 'redirectTo'>): string {
  const parts = [error, statusCode, errorDetail && `(${errorDetail})`, redirectTo && `to ${redirectTo}`];
  return parts.filter((part) => part !== null && part !== undefined).join(' ');
}

type Outcome = Pick<AttemptRow, 'statusCode' | 'error' | 'errorDetail' | 'durationMs'>;

const TEXTS: Record<DeliveryError, (host: string, outcome: Outcome) => string> = {
  blocked_address: (host) => `address of ${host} not allowed`,
  dns_error: (host, outcome) => `DNS lookup of ${host} failed${detailOf(outcome)}`,
  connection_refused: (host) => `connection refused by ${host}`,
  connection_reset: (host) => `connection reset by ${host}`,
  tls_error: (host, outcome) => `TLS handshake with ${host} failed${detailOf(outcome)}`,
  timeout: (host, { durationMs }) => `timeout after ${secondsOf(durationMs)} from ${host}`,
  redirect: (host, outcome) => `${statusText(outcome)} from ${host}, redirects are not followed`,
  http_status: (host, outcome) => `${statusText(outcome)} from ${host}`,
  network_error: (host, outcome) => `network error with ${host}${detailOf(outcome)}`,
};

/** How an attempt ended, in words for operators: `HTTP 503 from partner.example`. No URL: only the endpoint's host. */
export function outcomeText(outcome: Outcome, host: string | null): string {
  const { error } = outcome;
  const endpoint = host ?? 'the endpoint';
  if (error === null) return `${statusText(outcome)} from ${endpoint}`;
  if (error === 'interrupted') return `interrupted before ${endpoint} responded`;
  if (error === 'subscription_changed') return `subscription changed before ${endpoint} responded`;
  return TEXTS[error](endpoint, outcome);
}

/** The short form without the host: `HTTP 503`, `connection refused`. */
export function outcomeName(outcome: Outcome): string {
  return outcome.statusCode === null ? (outcome.error ?? 'unknown').replaceAll('_', ' ') : statusText(outcome);
}

const statusText = ({ statusCode }: Outcome) => `HTTP ${statusCode}`;

function detailOf({ errorDetail = null }: Outcome): string {
  return errorDetail === null ? '' : ` (${errorDetail.replaceAll('_', ' ')})`;
}

function secondsOf(ms: number | null): string {
  return ms === null ? 'too long' : `${Math.round(ms / 100) / 10} s`;
}

/** The host of an endpoint, with a port unless it is the default; null without a host. */
export function endpointHost(endpointUrl: string | null | undefined): string | null {
  return parseUrl(endpointUrl ?? '')?.host ?? null;
}
