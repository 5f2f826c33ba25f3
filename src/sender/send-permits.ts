import { isUnhealthy } from './endpoint-health.rules.ts';
import type { Destination, Endpoint, Partner, Share } from './waiting-endpoints.ts';
import { createEndpoints, createReadyEndpoints, FULL_MS } from './waiting-endpoints.ts';

/** A send that has gone on for longer is slow: its permit is given to another (ADR 0016). */
const SLOW_AFTER_MS = 1000;

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
  /** Call it right before sending, each time where that is tried again. False where the endpoint is unhealthy and has all its sends already. */
  beginSend(consecutiveFailures: number): boolean;
  release(): void;
};

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
  const { endpointOf, forgetIdle, wait } = createEndpoints();
  const ready = createReadyEndpoints();
  let free = limit;

  const hasRoom = ({ inProgress, partner }: Endpoint): boolean =>
    inProgress < endpointLimit && partner.inProgress < partnerLimit;
  const isFull = ({ slow, partner, fullAt }: Endpoint): boolean =>
    slow >= endpointLimit || partner.slow >= partnerLimit || performance.now() - fullAt < FULL_MS;

  const nextReady = (): Endpoint | undefined => (free > 0 ? ready.takeFirst() : undefined);
  /** Gives the free permits to who waited longest of those whose endpoint and partner have room. */
  const grantFree = (): void => {
    for (let endpoint = nextReady(); endpoint !== undefined; endpoint = nextReady()) {
      const [first] = endpoint.waiting;
      // Others may have taken the room since it was found ready.
      if (first !== undefined && hasRoom(endpoint)) {
        first.end(true);
        if (hasRoom(endpoint)) ready.add(endpoint);
      }
    }
  };
  /** Sends back who waits for an endpoint of the partner that is full. */
  const sendBack = (partner: Partner): void => {
    for (const endpoint of partner.waiting) {
      if (isFull(endpoint)) for (const each of endpoint.waiting) each.end(false);
    }
  };

  function permit(endpoint: Endpoint): SendPermit {
    const { partner } = endpoint;
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
        if (isSending) return true;
        if (isUnhealthy(consecutiveFailures) && endpoint.sending >= maxUnhealthySends) {
          endpoint.fullAt = performance.now();
          sendBack(partner);
          return false;
        }
        isSending = true;
        endpoint.sending += 1;
        slow = countSlow([endpoint, partner], () => {
          giveBack();
          sendBack(partner);
          grantFree();
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
        for (const each of partner.waiting) if (hasRoom(each)) ready.add(each);
        grantFree();
        forgetIdle(endpoint);
      },
    };
  }

  return {
    async acquire(destination, signal) {
      const endpoint = endpointOf(destination);
      if (signal.aborted || isFull(endpoint)) {
        forgetIdle(endpoint);
        return null;
      }
      // Where both have room, nobody waits who comes before.
      if (free > 0 && hasRoom(endpoint)) return permit(endpoint);
      const waiting = wait(endpoint, signal, () => permit(endpoint));
      if (hasRoom(endpoint)) ready.add(endpoint);
      return waiting;
    },
  };
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
