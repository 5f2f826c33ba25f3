import { setTimeout as delay } from 'node:timers/promises';

/** With fewer calls left, a scenario could run into the rate limit. Below a limit of 300, half of the limit must do. */
const MIN_CALLS = 150;

/** The partner's remaining calls in the rate limit, which the integration and the runner share. */
export function createCallBudget() {
  let left = Number.POSITIVE_INFINITY;
  let limit = Number.POSITIVE_INFINITY;
  let resetAtMs = 0;
  return {
    observe: (headers: Headers): void => {
      const [, remaining, seconds] = /r=(\d+);t=(\d+)/.exec(headers.get('ratelimit') ?? '') ?? [];
      const [, quota] = /q=(\d+)/.exec(headers.get('ratelimit-policy') ?? '') ?? [];
      if (remaining === undefined || seconds === undefined) return;
      left = Number(remaining);
      if (quota !== undefined) limit = Number(quota);
      resetAtMs = performance.now() + Number(seconds) * 1000;
    },
    /** Resolves when enough calls are left for a scenario. */
    wait: async (signal: AbortSignal): Promise<void> => {
      const waitMs = resetAtMs - performance.now();
      if (left >= Math.min(MIN_CALLS, limit / 2) || waitMs <= 0) return;
      await delay(waitMs, undefined, { signal });
      left = Number.POSITIVE_INFINITY;
    },
  };
}
