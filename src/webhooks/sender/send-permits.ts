import { isUnhealthy } from './endpoint-health.rules.ts';

/** A send that takes longer is slow and gives its permit back (ADR 0012). */
const SLOW_AFTER_MS = 1000;
/** How long an unhealthy endpoint counts as full after a rejected send. Its deliveries then need no database read. */
const FULL_MS = 2000;

/** The endpoint of a delivery, by its subscription. */
export type Destination = { subscriptionId: string; partnerId: string };

/** Permits to work on a delivery, so that a failing or silent endpoint or partner does not delay others. */
export type SendPermits = ReturnType<typeof createSendPermits>;

/** A permit, from the beginning of work on a delivery until `release`. */
export type SendPermit = {
  /** Call it right before sending. False after `release`, or while an unhealthy endpoint uses all its sends. */
  beginSend(consecutiveFailures: number): boolean;
  release(): void;
};

type Load = { inProgress: number; slow: number };
type Partner = Load & { endpoints: Set<Endpoint> };
/** `waiting`: callbacks of callers that wait for a permit, first come, first served; true means granted. */
type Endpoint = Load &
  Destination & {
    partner: Partner;
    waiting: Set<(isGranted: boolean) => void>;
    sending: number;
    fullAt: number;
  };

/**
 * A process has `maxPermits` permits. One endpoint gets at most a quarter of them, and one partner a half; further
 * callers wait, and endpoints with waiting callers take turns. A slow send gives its permit back, but still counts in
 * its quarter and half.
 *
 * An endpoint is full if slow sends fill its quarter or its partner's half, or if it is unhealthy and has
 * `maxUnhealthySends` in progress. Its callers get null and come back after `deferralMs()` without using an attempt.
 * Many fast sends make no healthy endpoint full: deferring them cost 90 % of healthy throughput when measured.
 */
export function createSendPermits(maxPermits: number, maxUnhealthySends: number) {
  const maxOfEndpoint = Math.ceil(maxPermits / 4);
  const maxOfPartner = Math.ceil(maxPermits / 2);
  const { endpointOf, forgetIdle } = createEndpoints();
  /** Endpoints with waiting callers, in the order of their turns. */
  const turns = new Set<Endpoint>();
  let free = maxPermits;

  const hasRoom = ({ inProgress, partner }: Endpoint): boolean =>
    inProgress < maxOfEndpoint && partner.inProgress < maxOfPartner;
  const isFull = ({ slow, partner, fullAt }: Endpoint): boolean =>
    slow >= maxOfEndpoint || partner.slow >= maxOfPartner || performance.now() - fullAt < FULL_MS;

  /** Gives the free permits to endpoints that have room, one each in turn. */
  const grantFree = (): void => {
    for (const endpoint of turns) {
      if (free === 0) return;
      if (!hasRoom(endpoint)) continue;
      const [grantNext] = endpoint.waiting;
      turns.delete(endpoint);
      grantNext?.(true);
      // The loop reaches a re-added endpoint after all others.
      if (endpoint.waiting.size > 0) turns.add(endpoint);
    }
  };
  /** Rejects the callers that wait for full endpoints of the partner. */
  const sendBack = (partner: Partner): void => {
    for (const endpoint of partner.endpoints) if (isFull(endpoint)) for (const end of endpoint.waiting) end(false);
  };

  function permit(endpoint: Endpoint): SendPermit {
    const { partner } = endpoint;
    let forgetSlow = (): void => undefined;
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
        forgetSlow = countSlow([endpoint, partner], () => {
          giveBack();
          sendBack(partner);
          grantFree();
        });
        return true;
      },
      release() {
        if (isReleased) return;
        isReleased = true;
        forgetSlow();
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
    /** Whether `acquire` would return null at once, or as many callers wait for the endpoint as there are permits. */
    isBusy(destination: Destination): boolean {
      const endpoint = endpointOf(destination);
      forgetIdle(endpoint);
      return isFull(endpoint) || endpoint.waiting.size >= maxPermits;
    },
    /** Waits for a permit; null if the endpoint or its partner is or becomes full, or `signal` aborts. */
    async acquire(destination: Destination, signal: AbortSignal): Promise<SendPermit | null> {
      const endpoint = endpointOf(destination);
      if (!signal.aborted && !isFull(endpoint)) {
        // With a free permit and room at the endpoint, no earlier caller is waiting.
        return free > 0 && hasRoom(endpoint) ? permit(endpoint) : wait(endpoint, signal);
      }
      forgetIdle(endpoint);
      return null;
    },
  };
}

/** Endpoints with work in progress or waiting callers, and their partners. */
function createEndpoints() {
  const endpoints = new Map<string, Endpoint>();
  const partners = new Map<string, Partner>();
  const endpointOf = ({ subscriptionId, partnerId }: Destination): Endpoint => {
    const existing = endpoints.get(subscriptionId);
    if (existing !== undefined) return existing;
    const partner = partners.get(partnerId) ?? { inProgress: 0, slow: 0, endpoints: new Set() };
    const counts = { inProgress: 0, slow: 0, sending: 0, fullAt: -FULL_MS };
    const endpoint: Endpoint = { subscriptionId, partnerId, partner, waiting: new Set(), ...counts };
    endpoints.set(subscriptionId, endpoint);
    partners.set(partnerId, partner);
    partner.endpoints.add(endpoint);
    return endpoint;
  };
  const forgetIdle = (endpoint: Endpoint): void => {
    const { subscriptionId, partnerId, partner } = endpoint;
    if (endpoint.waiting.size + endpoint.inProgress > 0) return;
    endpoints.delete(subscriptionId);
    partner.endpoints.delete(endpoint);
    if (partner.endpoints.size === 0) partners.delete(partnerId);
  };
  return { endpointOf, forgetIdle };
}

/** Counts a send in `loads` from when it becomes slow; returns the function that stops counting. */
function countSlow(loads: readonly Load[], onSlow: () => void): () => void {
  let isSlow = false;
  let becomeSlow: NodeJS.Immediate | undefined;
  // Node reads sockets between timers and immediates: even if this process lags, a response that arrived comes first.
  const timer = setTimeout(() => {
    becomeSlow = setImmediate(() => {
      isSlow = true;
      for (const load of loads) load.slow += 1;
      onSlow();
    });
  }, SLOW_AFTER_MS);
  return () => {
    clearTimeout(timer);
    clearImmediate(becomeSlow);
    if (isSlow) for (const load of loads) load.slow -= 1;
  };
}

/** 2 to 6 seconds, at random so that deferred deliveries do not come back all at once. */
export function deferralMs(): number {
  return 2000 + Math.floor(Math.random() * 4000);
}
