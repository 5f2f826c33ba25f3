/** From this many failures in a row on, an endpoint counts as unhealthy (architecture §5). */
const UNHEALTHY_AFTER_FAILURES = 3;

/** Bounds how many sends of this process are with one failing endpoint, so that it cannot hold up the others. */
export type EndpointGate = {
  /** The way out again, or null where the endpoint is unhealthy and has its share of sends already. */
  tryEnter(subscriptionId: string, consecutiveFailures: number): (() => void) | null;
  /** Whether `tryEnter` refused this endpoint a moment ago and its share is still taken. */
  isFull(subscriptionId: string): boolean;
};

/** For how long a refusal is remembered, so that those behind it need not ask the database again. */
const REFUSAL_MS = 2000;

/**
 * A healthy endpoint is never held back: a fixed bound for all cost 90 % of healthy throughput when measured. An unhealthy
 * one has at most `maxUnhealthySends` at a time; the others come back after `deferralMs()` without using an attempt.
 */
export function createEndpointGate(maxUnhealthySends: number): EndpointGate {
  const inProgress = new Map<string, number>();
  const refusedAt = new Map<string, number>();
  return {
    tryEnter(subscriptionId, consecutiveFailures) {
      const count = inProgress.get(subscriptionId) ?? 0;
      if (consecutiveFailures >= UNHEALTHY_AFTER_FAILURES && count >= maxUnhealthySends) {
        refusedAt.set(subscriptionId, performance.now());
        return null;
      }
      inProgress.set(subscriptionId, count + 1);
      return () => {
        const left = (inProgress.get(subscriptionId) ?? 1) - 1;
        refusedAt.delete(subscriptionId);
        if (left === 0) inProgress.delete(subscriptionId);
        else inProgress.set(subscriptionId, left);
      };
    },
    isFull: (subscriptionId) =>
      performance.now() - (refusedAt.get(subscriptionId) ?? -REFUSAL_MS) < REFUSAL_MS,
  };
}

/** 2 to 6 seconds, spread so that what was held back does not come back all at once. */
export function deferralMs(random: () => number = Math.random): number {
  return 2000 + Math.floor(random() * 4000);
}
