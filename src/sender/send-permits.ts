import { isUnhealthy } from './endpoint-health.rules.ts';

/** A send that has gone on for longer is slow: its permit is given to another (ADR 0016). */
const SLOW_AFTER_MS = 1000;

/** For how long an endpoint that had all its sends is remembered, so that what comes for it need not ask the database again. */
const FULL_MS = 2000;

/** Whose delivery it is, and to which of its endpoints. */
export type Destination = { subscriptionId: string; partnerId: string };

/**
 * Permits to work on a delivery. They keep an endpoint that fails or does not respond, and a partner all of whose endpoints do, from
 * holding up the others.
 */
export type SendPermits = {
  /** Waits for a permit, first come, first served; null where the endpoint or its partner is full or becomes so, or `signal` aborts. */
  acquire(destination: Destination, signal: AbortSignal): Promise<SendPermit | null>;
};

/** What a delivery has from when it is worked on until it releases it. */
export type SendPermit = {
  /** Call it right before sending. False where the endpoint is unhealthy and has all its sends already. */
  beginSend(consecutiveFailures: number): boolean;
  release(): void;
};

/** What counts in a share of the permits. */
type Share = { waiting: number; inProgress: number; slow: number };
type Endpoint = Share & { sending: number; fullAt: number };

/**
 * Of `limit` permits, which are all that a process works on at a time, one endpoint has a quarter at most and one partner, with all
 * its endpoints, a half; what comes beyond waits its turn. A slow send gives its permit back and still counts in quarter and half.
 * Where all of the quarter is slow the endpoint is full, where all of the half is every endpoint of the partner; and where an
 * unhealthy endpoint has `maxUnhealthySends`, it is full: what waits for it, or comes, is to come back after
 * `deferralMs()` without using an attempt. An endpoint that responds is never full: to send its deliveries back because they
 * were many cost 90 % of healthy throughput when measured.
 */
export function createSendPermits(limit: number, maxUnhealthySends: number): SendPermits {
  const endpointLimit = Math.ceil(limit / 4);
  const partnerLimit = Math.ceil(limit / 2);
  const endpoints = new Map<string, Endpoint>();
  const partners = new Map<string, Share>();
  const waiting = new Set<() => void>();
  let free = limit;

  const hasRoom = (endpoint: Endpoint, partner: Share): boolean =>
    free > 0 && endpoint.inProgress < endpointLimit && partner.inProgress < partnerLimit;
  const isFull = (endpoint: Endpoint, partner: Share): boolean =>
    endpoint.slow >= endpointLimit ||
    partner.slow >= partnerLimit ||
    performance.now() - endpoint.fullAt < FULL_MS;
  const reconsider = (): void => {
    for (const consider of waiting) consider();
  };

  const forgetIdle = ({ subscriptionId, partnerId }: Destination): void => {
    if (isIdle(endpoints.get(subscriptionId))) endpoints.delete(subscriptionId);
    if (isIdle(partners.get(partnerId))) partners.delete(partnerId);
  };

  function permit(destination: Destination, endpoint: Endpoint, partner: Share): SendPermit {
    let slow = { forget: (): void => undefined };
    let isSending = false;
    let isHeld = true;
    const giveBack = (): void => {
      free += Number(isHeld);
      isHeld = false;
    };
    free -= 1;
    endpoint.inProgress += 1;
    partner.inProgress += 1;
    return {
      beginSend(consecutiveFailures) {
        if (isUnhealthy(consecutiveFailures) && endpoint.sending >= maxUnhealthySends) {
          endpoint.fullAt = performance.now();
          return false;
        }
        isSending = true;
        endpoint.sending += 1;
        slow = countSlow([endpoint, partner], () => {
          giveBack();
          reconsider();
        });
        return true;
      },
      release() {
        slow.forget();
        if (isSending) {
          endpoint.sending -= 1;
          endpoint.fullAt = -FULL_MS;
        }
        endpoint.inProgress -= 1;
        partner.inProgress -= 1;
        giveBack();
        forgetIdle(destination);
        reconsider();
      },
    };
  }

  return {
    acquire(destination, signal) {
      const { subscriptionId, partnerId } = destination;
      const endpoint = endpoints.get(subscriptionId) ?? newEndpoint();
      endpoints.set(subscriptionId, endpoint);
      const partner = partners.get(partnerId) ?? newShare();
      partners.set(partnerId, partner);
      return new Promise((resolve) => {
        const consider = (): void => {
          const isOver = signal.aborted || isFull(endpoint, partner);
          if (!isOver && !hasRoom(endpoint, partner)) return;
          waiting.delete(consider);
          signal.removeEventListener('abort', consider);
          endpoint.waiting -= 1;
          partner.waiting -= 1;
          resolve(isOver ? null : permit(destination, endpoint, partner));
          forgetIdle(destination);
        };
        endpoint.waiting += 1;
        partner.waiting += 1;
        waiting.add(consider);
        signal.addEventListener('abort', consider);
        consider();
      });
    },
  };
}

function newShare(): Share {
  return { waiting: 0, inProgress: 0, slow: 0 };
}

function newEndpoint(): Endpoint {
  return { ...newShare(), sending: 0, fullAt: -FULL_MS };
}

function isIdle(share: Share | undefined): boolean {
  return share !== undefined && share.waiting + share.inProgress === 0;
}

/** Counts a send among the slow ones of each of `shares` from when it is so until it is forgotten. */
function countSlow(shares: readonly Share[], onSlow: () => void): { forget(): void } {
  let isSlow = false;
  let isOver = false;
  const note = (): void => {
    if (isOver) return;
    isSlow = true;
    for (const share of shares) share.slow += 1;
    onSlow();
  };
  // Node reads the sockets between a timer and an immediate: a response that is there is not late because this process was.
  const timer = setTimeout(() => setImmediate(note), SLOW_AFTER_MS);
  return {
    forget: () => {
      isOver = true;
      clearTimeout(timer);
      if (isSlow) for (const share of shares) share.slow -= 1;
    },
  };
}

/** 2 to 6 seconds, spread so that what was held back does not come back all at once. */
export function deferralMs(random: () => number = Math.random): number {
  return 2000 + Math.floor(random() * 4000);
}
