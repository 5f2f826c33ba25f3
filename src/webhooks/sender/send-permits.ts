import { isUnhealthy } from './endpoint-health.rules.ts';
import type { Destination, Endpoint, Partner, Share } from './endpoints-in-use.ts';
import { createEndpoints, FULL_MS } from './endpoints-in-use.ts';

/** A send that has gone on for longer is slow: its permit is given to another (ADR 0012). */
const SLOW_AFTER_MS = 1000;
/**
 * Permits to work on a delivery. They keep an endpoint that fails or does not respond, and a partner all of whose endpoints do, from
 * holding up the others.
 */
export type SendPermits = {
  /** Whether `acquire` would return null at once, or as many wait for the endpoint as there are permits. */
  isBusy(destination: Destination): boolean;
  /** Waits for a permit; null where the endpoint or its partner is full or becomes so, or `signal` aborts. */
  acquire(destination: Destination, signal: AbortSignal): Promise<SendPermit | null>;
};

/** What a delivery has from when it is worked on until it releases it. */
export type SendPermit = {
  /** Call it right before each try to send. False where the endpoint is unhealthy and has all its sends, or the permit was released. */
  beginSend(consecutiveFailures: number): boolean;
  /** Releasing it again does nothing. */
  release(): void;
};

/**
 * Of `limit` permits, which are all that a process works on at a time, one endpoint has a quarter at most and one partner, with all
 * its endpoints, a half; what comes beyond waits its turn, and the endpoints for which somebody waits take turns. A slow send gives its
 * permit back and still counts in quarter and half. Where all of the quarter is slow the endpoint is full, where all of the half is
 * every endpoint of the partner; and where an unhealthy endpoint has `maxUnhealthySends`, it is full: what waits for it, or comes, is to
 * come back after `deferralMs()` without using an attempt. An endpoint that responds is never full: to send its deliveries back because
 * they were many cost 90 % of healthy throughput when measured.
 */
export function createSendPermits(limit: number, maxUnhealthySends: number): SendPermits {
  const endpointLimit = Math.ceil(limit / 4);
  const partnerLimit = Math.ceil(limit / 2);
  const { endpointOf, forgetIdle } = createEndpoints();
  /** Those for which somebody waits, in the order of their turns. */
  const turns = new Set<Endpoint>();
  let free = limit;

  const hasRoom = ({ inProgress, partner }: Endpoint): boolean =>
    inProgress < endpointLimit && partner.inProgress < partnerLimit;
  const isFull = ({ slow, partner, fullAt }: Endpoint): boolean =>
    slow >= endpointLimit || partner.slow >= partnerLimit || performance.now() - fullAt < FULL_MS;

  /** Gives the free permits to endpoints that have room, one each in turn. */
  const grantFree = (): void => {
    for (const endpoint of turns) {
      if (free === 0) return;
      if (!hasRoom(endpoint)) continue;
      const [first] = endpoint.waiting;
      turns.delete(endpoint);
      first?.(true);
      // A set goes on with what is added while it is gone through: its next turn comes after all others.
      if (endpoint.waiting.size > 0) turns.add(endpoint);
    }
  };
  /** Sends back who waits for an endpoint of the partner that is full. */
  const sendBack = (partner: Partner): void => {
    for (const endpoint of partner.endpoints)
      if (isFull(endpoint)) for (const end of endpoint.waiting) end(false);
  };

  function permit(endpoint: Endpoint): SendPermit {
    const { partner } = endpoint;
    let slow = { forget: (): void => undefined };
    let isSending = false;
    let isHeld = true;
    let isReleased = false;
    const giveBack = (): void => {
      free += Number(isHeld);
      isHeld = false;
    };
    free -= 1;
    endpoint.inProgress += 1;
    partner.inProgress += 1;
    return {
      beginSend(consecutiveFailures) {
        if (isReleased || isSending) return !isReleased;
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
        if (isReleased) return;
        isReleased = true;
        slow.forget();
        if (isSending) {
          endpoint.sending -= 1;
          endpoint.fullAt = -FULL_MS;
        }
        endpoint.inProgress -= 1;
        partner.inProgress -= 1;
        giveBack();
        grantFree();
        forgetIdle(endpoint);
      },
    };
  }

  const wait = (endpoint: Endpoint, signal: AbortSignal): Promise<SendPermit | null> =>
    new Promise((resolve) => {
      const abort = (): void => end(false);
      const end = (isGranted: boolean): void => {
        signal.removeEventListener('abort', abort);
        endpoint.waiting.delete(end);
        if (endpoint.waiting.size === 0) turns.delete(endpoint);
        resolve(isGranted ? permit(endpoint) : null);
        forgetIdle(endpoint);
      };
      endpoint.waiting.add(end);
      turns.add(endpoint);
      signal.addEventListener('abort', abort);
    });

  return {
    isBusy(destination) {
      const endpoint = endpointOf(destination);
      forgetIdle(endpoint);
      return isFull(endpoint) || endpoint.waiting.size >= limit;
    },
    async acquire(destination, signal) {
      const endpoint = endpointOf(destination);
      if (!signal.aborted && !isFull(endpoint)) {
        // Where both have room, nobody waits who comes before.
        return free > 0 && hasRoom(endpoint) ? permit(endpoint) : wait(endpoint, signal);
      }
      forgetIdle(endpoint);
      return null;
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
