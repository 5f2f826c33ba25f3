import { PartnerApiError, PartnerConnectionError } from './errors.ts';

export type Retries = {
  /** The maximum number of attempts, including the first. */
  tries: number;
  /** The maximum wait before the first retry; it doubles with each retry. */
  baseDelayMs: number;
  /** The upper limit of a random wait, which comes on top of Retry-After. */
  maxDelayMs: number;
  /** If Retry-After is longer, the call rejects without waiting; its error has `retryAfterSeconds`. */
  maxRetryAfterSeconds: number;
  /** Called with the error before each wait. */
  onWait?: (waitMs: number, error: unknown) => void;
};

export const DEFAULT_RETRIES: Retries = {
  tries: 4,
  baseDelayMs: 500,
  maxDelayMs: 30_000,
  maxRetryAfterSeconds: 60,
};

/** After these statuses it is unknown whether the call took effect; a retry may succeed. */
const UNKNOWN_OUTCOMES = new Set([500, 502, 503, 504]);

/**
 * Repeats `attempt` until it resolves: after 429 always, because the call had no effect, and after an unknown outcome
 * only if `isRepeatable`. Rejects with the last attempt's error, or with the reason of `signal`.
 */
export async function withRetries<Result>(
  attempt: () => Promise<Result>,
  retries: Retries,
  isRepeatable: boolean,
  signal?: AbortSignal,
): Promise<Result> {
  for (let attempts = 1; ; attempts += 1) {
    signal?.throwIfAborted();
    try {
      return await attempt();
    } catch (error) {
      signal?.throwIfAborted();
      const { status, retryAfterSeconds = 0 } = error instanceof PartnerApiError ? error : { status: undefined };
      const mayRepeat = status === 429 || (isRepeatable && (status === undefined || UNKNOWN_OUTCOMES.has(status)));
      if (!mayRepeat || attempts >= retries.tries || retryAfterSeconds > retries.maxRetryAfterSeconds) throw error;
      const waitMs = retryAfterSeconds * 1000 + jitteredDelayMs(attempts, retries);
      retries.onWait?.(waitMs, error);
      await delay(waitMs, signal);
    }
  }
}

/** A random wait below a limit that doubles with each attempt, so that clients do not retry at the same time. */
export function jitteredDelayMs(
  attempts: number,
  { baseDelayMs, maxDelayMs }: Pick<Retries, 'baseDelayMs' | 'maxDelayMs'>,
  random: () => number = Math.random,
): number {
  return random() * Math.min(maxDelayMs, baseDelayMs * 2 ** (attempts - 1));
}

/**
 * Calls `send` with a signal that aborts after `timeoutMs`, or when `outer` aborts. Turns every failure except a
 * PartnerApiError into a PartnerConnectionError.
 */
export async function withDeadline<Result>(
  send: (signal: AbortSignal) => Promise<Result>,
  timeoutMs: number,
  outer?: AbortSignal,
): Promise<Result> {
  const controller = new AbortController();
  const abort = () => controller.abort(outer?.reason);
  const timer = setTimeout(() => controller.abort(new Error(`No whole response within ${timeoutMs} ms`)), timeoutMs);
  outer?.addEventListener('abort', abort, { once: true });
  try {
    return await send(controller.signal);
  } catch (cause) {
    throw cause instanceof PartnerApiError
      ? cause
      : new PartnerConnectionError('The call got no whole response', { cause });
  } finally {
    clearTimeout(timer);
    outer?.removeEventListener('abort', abort);
  }
}

/** Resolves after `ms`, or at once if `signal` aborts. */
function delay(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener('abort', end, { once: true });
  });
}
