/** From this many failures in a row on, an endpoint counts as unhealthy (architecture §5). */
const UNHEALTHY_AFTER_FAILURES = 3;

/** Bounds how many sends of this process are with one failing endpoint, so that it cannot hold up the others. */
export type EndpointGate = {
  /** The way out again, or null where the endpoint is unhealthy and has its share of sends already. */
  tryEnter(subscriptionId: string, consecutiveFailures: number): (() => void) | null;
};

/**
 * A healthy endpoint is never held back: a fixed bound for all cost 90 % of healthy throughput when measured. An unhealthy
 * one has at most `maxUnhealthySends` at a time; the others come back after `deferralMs()` without using an attempt.
 */
export function createEndpointGate(maxUnhealthySends: number): EndpointGate {
  const inProgress = new Map<string, number>();
  return {
    tryEnter(subscriptionId, consecutiveFailures) {
      const count = inProgress.get(subscriptionId) ?? 0;
      if (consecutiveFailures >= UNHEALTHY_AFTER_FAILURES && count >= maxUnhealthySends) return null;
      inProgress.set(subscriptionId, count + 1);
      return () => {
        const left = (inProgress.get(subscriptionId) ?? 1) - 1;
        if (left === 0) inProgress.delete(subscriptionId);
        else inProgress.set(subscriptionId, left);
      };
    },
  };
}

/** 2 to 6 seconds, spread so that what was held back does not come back all at once. */
export function deferralMs(random: () => number = Math.random): number {
  return 2000 + Math.floor(random() * 4000);
}
