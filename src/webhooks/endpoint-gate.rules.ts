/** From this many failures in a row on, an endpoint counts as unhealthy (architecture §5). */
export const UNHEALTHY_AFTER_FAILURES = 3;

/** A send that has gone on for longer is slow: its place is another's (ADR 0016). */
const SLOW_AFTER_MS = 1000;

/** For how long a refusal is remembered, so that those behind it need not ask the database again. */
const REFUSAL_MS = 2000;

/** Keeps an endpoint that fails, or does not answer, from holding up the others. */
export type EndpointGate = {
  /** Waits for a place, first come, first served; null where the endpoint is full or becomes so, or `signal` says to stop. */
  enter(subscriptionId: string, signal: AbortSignal): Promise<Visit | null>;
};

/** A delivery that has a place, until it leaves. */
export type Visit = {
  /** Call it right before sending. False where the endpoint is unhealthy and has its share of sends already. */
  maySend(consecutiveFailures: number): boolean;
  leave(): void;
};

type Endpoint = { waiting: number; inProgress: number; sending: number; slow: number; refusedAt: number };

/**
 * Of `places`, which are all that a process works on at a time, one endpoint has a quarter at most; what comes beyond waits
 * its turn. A slow send gives its place up and still counts in its endpoint's quarter. Where all of that is slow, and where
 * an unhealthy endpoint has `maxUnhealthySends`, the endpoint is full: what waits for it, or comes, is to come back after
 * `deferralMs()` without using an attempt. An endpoint that answers is never full: to send its deliveries back because they
 * were many cost 90 % of healthy throughput when measured.
 */
export function createEndpointGate(places: number, maxUnhealthySends: number): EndpointGate {
  const share = Math.ceil(places / 4);
  const endpoints = new Map<string, Endpoint>();
  const waiting = new Set<() => void>();
  let free = places;

  const hasRoom = (endpoint: Endpoint): boolean => free > 0 && endpoint.inProgress < share;
  const isFull = (endpoint: Endpoint): boolean =>
    endpoint.slow >= share || performance.now() - endpoint.refusedAt < REFUSAL_MS;
  const reconsider = (): void => {
    for (const consider of waiting) consider();
  };

  function visit(subscriptionId: string, endpoint: Endpoint): Visit {
    let slow = { forget: (): void => undefined };
    let isSending = false;
    let hasPlace = true;
    const leavePlace = (): void => {
      free += Number(hasPlace);
      hasPlace = false;
    };
    free -= 1;
    endpoint.inProgress += 1;
    return {
      maySend(consecutiveFailures) {
        const isUnhealthy = consecutiveFailures >= UNHEALTHY_AFTER_FAILURES;
        if (isUnhealthy && endpoint.sending >= maxUnhealthySends) {
          endpoint.refusedAt = performance.now();
          return false;
        }
        isSending = true;
        endpoint.sending += 1;
        slow = noteSlow(endpoint, () => {
          leavePlace();
          reconsider();
        });
        return true;
      },
      leave() {
        slow.forget();
        if (isSending) {
          endpoint.sending -= 1;
          endpoint.refusedAt = -REFUSAL_MS;
        }
        endpoint.inProgress -= 1;
        leavePlace();
        if (endpoint.inProgress + endpoint.waiting === 0) endpoints.delete(subscriptionId);
        reconsider();
      },
    };
  }

  return {
    enter(subscriptionId, signal) {
      const endpoint = endpoints.get(subscriptionId) ?? newEndpoint();
      endpoints.set(subscriptionId, endpoint);
      return new Promise((resolve) => {
        const consider = (): void => {
          const isOver = signal.aborted || isFull(endpoint);
          if (!isOver && !hasRoom(endpoint)) return;
          waiting.delete(consider);
          signal.removeEventListener('abort', consider);
          endpoint.waiting -= 1;
          resolve(isOver ? null : visit(subscriptionId, endpoint));
        };
        endpoint.waiting += 1;
        waiting.add(consider);
        signal.addEventListener('abort', consider);
        consider();
      });
    },
  };
}

function newEndpoint(): Endpoint {
  return { waiting: 0, inProgress: 0, sending: 0, slow: 0, refusedAt: -REFUSAL_MS };
}

/** Counts a send among the slow ones from when it is so until it is forgotten. */
function noteSlow(endpoint: Endpoint, onSlow: () => void): { forget(): void } {
  let isSlow = false;
  let isOver = false;
  const note = (): void => {
    if (isOver) return;
    isSlow = true;
    endpoint.slow += 1;
    onSlow();
  };
  // Node reads the sockets between a timer and an immediate: an answer that is there is not late because this process was.
  const timer = setTimeout(() => setImmediate(note), SLOW_AFTER_MS);
  return {
    forget: () => {
      isOver = true;
      clearTimeout(timer);
      if (isSlow) endpoint.slow -= 1;
    },
  };
}

/** 2 to 6 seconds, spread so that what was held back does not come back all at once. */
export function deferralMs(random: () => number = Math.random): number {
  return 2000 + Math.floor(random() * 4000);
}
