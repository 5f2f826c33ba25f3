import { deliveryStatusOf, signDelivery } from '../certification/deliveries.ts';
import { reasonOf } from '../certification/transports.ts';
import type { Schemas } from '../operation-types.ts';
import { withDeadline } from '../retries.ts';

export type FeedEvent = Schemas['Event'];

export type Endpoint = { url: string; secret: string };

export type Outcome = {
  deliveryId: string;
  durationMs: number;
  /** Undefined if there was no complete response. */
  status: number | undefined;
  isAccepted: boolean;
  /** Such as `500` or `ECONNREFUSED`. */
  reason: string;
  mayHaveArrived: boolean;
};

const TIMEOUT_MS = 10_000;

/** Failures after which the endpoint cannot have seen the request. */
const NEVER_ARRIVED = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']);

/**
 * Sends an event once, as the service does: a 2xx within 10 s accepts the event, and redirects are not followed.
 * Rejects only with the reason of `signal`.
 */
export async function sendDelivery(
  event: FeedEvent,
  attempt: number,
  { url, secret }: Endpoint,
  signal: AbortSignal,
): Promise<Outcome> {
  const { bytes, headers } = signDelivery(event, { secret, attempt });
  const deliveryId = headers['x-delivery-id'] ?? '';
  const startedAt = performance.now();
  const elapsedMs = () => Math.round(performance.now() - startedAt);
  const send = async (attemptSignal: AbortSignal): Promise<number> => {
    const init = { method: 'POST', headers, body: bytes, redirect: 'manual', signal: attemptSignal } as const;
    return deliveryStatusOf(await fetch(url, init));
  };
  try {
    const status = await withDeadline(send, TIMEOUT_MS, signal);
    const isAccepted = status >= 200 && status < 300;
    const reason = String(status);
    return { deliveryId, durationMs: elapsedMs(), status, isAccepted, reason, mayHaveArrived: true };
  } catch (failure) {
    signal.throwIfAborted();
    const reason = reasonOf(failure);
    const mayHaveArrived = !NEVER_ARRIVED.has(reason);
    return {
      deliveryId,
      durationMs: elapsedMs(),
      status: undefined,
      isAccepted: false,
      reason,
      mayHaveArrived,
    };
  }
}
