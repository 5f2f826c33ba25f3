/** From this many failures in a row on, an endpoint counts as unhealthy. */
export const UNHEALTHY_AFTER_FAILURES = 3;

/** A send that has gone on for longer is slow: its place is another's (ADR 0016). */
const SLOW_AFTER_MS = 1000;

/** For how long a refusal is remembered, so that those behind it need not ask the database again. */
const REFUSAL_MS = 2000;

/** Whose delivery it is, and to which of its endpoints. */
export type Destination = { subscriptionId: string; partnerId: string };

/** Keeps an endpoint that fails or does not answer, and a partner all of whose endpoints do, from holding up the others. */
export type EndpointGate = {
  /** Waits for a place, first come, first served; null where the endpoint or its partner is full or becomes so, or `signal` says to stop. */
  enter(destination: Destination, signal: AbortSignal): Promise<Visit | null>;
};

/** A delivery that has a place, until it leaves. */
export type Visit = {
  /** Call it right before sending. False where the endpoint is unhealthy and has its share of sends already. */
  maySend(consecutiveFailures: number): boolean;
  leave(): void;
};

/** What counts in a share of the places. */
type Holder = { waiting: number; inProgress: number; slow: number };
type Endpoint = Holder & { sending: number; refusedAt: number };

/**
 * Of `places`, which are all that a process works on at a time, one endpoint has a quarter at most and one partner, with all its
 * endpoints, a half; what comes beyond waits its turn. A slow send gives its place up and still counts in quarter and half.
 * Where all of the quarter is slow the endpoint is full, where all of the half is every endpoint of the partner; and where an
 * unhealthy endpoint has `maxUnhealthySends`, it is full: what waits for it, or comes, is to come back after
 * `deferralMs()` without using an attempt. An endpoint that answers is never full: to send its deliveries back because they
 * were many cost 90 % of healthy throughput when measured.
 */
export function createEndpointGate(places: number, maxUnhealthySends: number): EndpointGate {
  const endpointShare = Math.ceil(places / 4);
  const partnerShare = Math.ceil(places / 2);
  const endpoints = new Map<string, Endpoint>();
  const partners = new Map<string, Holder>();
  const waiting = new Set<() => void>();
  let free = places;

  const hasRoom = (endpoint: Endpoint, partner: Holder): boolean =>
    free > 0 && endpoint.inProgress < endpointShare && partner.inProgress < partnerShare;
  const isFull = (endpoint: Endpoint, partner: Holder): boolean =>
    endpoint.slow >= endpointShare ||
    partner.slow >= partnerShare ||
    performance.now() - endpoint.refusedAt < REFUSAL_MS;
  const reconsider = (): void => {
    for (const consider of waiting) consider();
  };

  const forgetIdle = ({ subscriptionId, partnerId }: Destination): void => {
    if (isIdle(endpoints.get(subscriptionId))) endpoints.delete(subscriptionId);
    if (isIdle(partners.get(partnerId))) partners.delete(partnerId);
  };

  function visit(destination: Destination, endpoint: Endpoint, partner: Holder): Visit {
    let slow = { forget: (): void => undefined };
    let isSending = false;
    let hasPlace = true;
    const leavePlace = (): void => {
      free += Number(hasPlace);
      hasPlace = false;
    };
    free -= 1;
    endpoint.inProgress += 1;
    partner.inProgress += 1;
    return {
      maySend(consecutiveFailures) {
        const isUnhealthy = consecutiveFailures >= UNHEALTHY_AFTER_FAILURES;
        if (isUnhealthy && endpoint.sending >= maxUnhealthySends) {
          endpoint.refusedAt = performance.now();
          return false;
        }
        isSending = true;
        endpoint.sending += 1;
        slow = noteSlow([endpoint, partner], () => {
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
        partner.inProgress -= 1;
        leavePlace();
        forgetIdle(destination);
        reconsider();
      },
    };
  }

  return {
    enter(destination, signal) {
      const { subscriptionId, partnerId } = destination;
      const endpoint = endpoints.get(subscriptionId) ?? newEndpoint();
      endpoints.set(subscriptionId, endpoint);
      const partner = partners.get(partnerId) ?? newHolder();
      partners.set(partnerId, partner);
      return new Promise((resolve) => {
        const consider = (): void => {
          const isOver = signal.aborted || isFull(endpoint, partner);
          if (!isOver && !hasRoom(endpoint, partner)) return;
          waiting.delete(consider);
          signal.removeEventListener('abort', consider);
          endpoint.waiting -= 1;
          partner.waiting -= 1;
          resolve(isOver ? null : visit(destination, endpoint, partner));
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

function newHolder(): Holder {
  return { waiting: 0, inProgress: 0, slow: 0 };
}

function newEndpoint(): Endpoint {
  return { ...newHolder(), sending: 0, refusedAt: -REFUSAL_MS };
}

function isIdle(holder: Holder | undefined): boolean {
  return holder !== undefined && holder.waiting + holder.inProgress === 0;
}

/** Counts a send among the slow ones of each of `holders` from when it is so until it is forgotten. */
function noteSlow(holders: readonly Holder[], onSlow: () => void): { forget(): void } {
  let isSlow = false;
  let isOver = false;
  const note = (): void => {
    if (isOver) return;
    isSlow = true;
    for (const holder of holders) holder.slow += 1;
    onSlow();
  };
  // Node reads the sockets between a timer and an immediate: a response that is there is not late because this process was.
  const timer = setTimeout(() => setImmediate(note), SLOW_AFTER_MS);
  return {
    forget: () => {
      isOver = true;
      clearTimeout(timer);
      if (isSlow) for (const holder of holders) holder.slow -= 1;
    },
  };
}

/** 2 to 6 seconds, spread so that what was held back does not come back all at once. */
export function deferralMs(random: () => number = Math.random): number {
  return 2000 + Math.floor(random() * 4000);
}
