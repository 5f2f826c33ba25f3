import { createHmac, randomBytes } from 'node:crypto';
import { v7 as uuid } from 'uuid';
import type { Schemas } from '../operation-types.ts';
import { reasonOf, textWithin } from './transports.ts';

const ENDPOINT_DEADLINE_MS = 10_000;

/** An event, or a variation of one for testing an endpoint. */
export type AnyEvent = Omit<Schemas['Event'], 'event_type' | 'details'> & {
  event_type: string;
  details: Record<string, unknown>;
  [other: string]: unknown;
};

export type Delivery = { bytes: Uint8Array<ArrayBuffer>; headers: Record<string, string> };

export type SigningOptions = {
  secret: string;
  /** X-Service-Timestamp; default now. */
  timestamp?: string;
  /** Adds a second signature, as during a rotation. */
  previousSecret?: string;
  attempt?: number;
  /** Signs and sends these bytes instead of the event. */
  bytes?: Uint8Array<ArrayBuffer>;
};

/** Signs an event as the service does (docs/guides/verifying-webhooks.md). */
export function signDelivery(event: AnyEvent, options: SigningOptions): Delivery {
  const { secret, previousSecret, attempt = 1, timestamp = unixSeconds() } = options;
  const deliveryId = uuid();
  const bytes = options.bytes ?? Buffer.from(JSON.stringify({ ...event, delivery_id: deliveryId }));
  const signedWith = (key: string) =>
    `sha256=${createHmac('sha256', key).update(`${timestamp}.`).update(bytes).digest('hex')}`;
  const standardSignature = (key: string) => {
    const hmac = createHmac('sha256', Buffer.from(key.replace(/^whsec_/, ''), 'base64'));
    return `v1,${hmac.update(`${event.event_id}.${timestamp}.`).update(bytes).digest('base64')}`;
  };
  const secrets = [secret, ...(previousSecret === undefined ? [] : [previousSecret])];
  return {
    bytes,
    headers: {
      'content-type': 'application/json',
      'user-agent': 'partner-booking-service/1',
      'x-webhook-event': event.event_type,
      'x-delivery-id': deliveryId,
      'x-delivery-attempt': String(attempt),
      'x-service-timestamp': timestamp,
      'x-service-signature': signedWith(secret),
      'webhook-id': event.event_id,
      'webhook-timestamp': timestamp,
      'webhook-signature': secrets.map(standardSignature).join(' '),
      ...(previousSecret === undefined ? {} : { 'x-service-signature-previous': signedWith(previousSecret) }),
    },
  };
}

/** This machine's time in seconds since 1970, moved by `seconds`. */
export const unixSeconds = (seconds = 0): string => String(Math.floor(Date.now() / 1000) + seconds);

export const newSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;

/** An endpoint's response. `text`: the status, or why there was none. */
export type EndpointAnswer = { status: number | undefined; text: string; tookMs: number };

/** Posts a delivery as the service does: 10 s for the response, no redirects. */
export async function postDelivery(url: string, { bytes, headers }: Delivery): Promise<EndpointAnswer> {
  const startedAt = performance.now();
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), ENDPOINT_DEADLINE_MS);
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers,
      body: bytes,
      redirect: 'manual',
      signal: controller.signal,
    });
    const status = await deliveryStatusOf(response);
    return { status, text: String(status), tookMs: performance.now() - startedAt };
  } catch (error) {
    const text = controller.signal.aborted ? 'no answer within 10 s' : `no answer (${reasonOf(error)})`;
    return { status: undefined, text, tookMs: performance.now() - startedAt };
  } finally {
    clearTimeout(timer);
  }
}

export const isAccepted = ({ status = 0 }: EndpointAnswer): boolean => status >= 200 && status < 300;

/** The service reads this much of the body of a 2xx; a longer body counts as complete. */
const MAX_RESPONSE_BYTES = 16 * 1024;

/**
 * The response's status, by the service's rules: a 2xx counts once its body is complete or longer than 16 KB, any other
 * status at once. Rejects if the body of a 2xx breaks off.
 */
export async function deliveryStatusOf({ ok, status, body }: Response): Promise<number> {
  if (ok) await textWithin(body, MAX_RESPONSE_BYTES);
  else await body?.cancel().catch(() => undefined);
  return status;
}
