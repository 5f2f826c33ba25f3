import { PartnerApiError, PartnerConnectionError } from './errors.ts';

export type Retries = {
  /** The most attempts, including the first. */
  tries: number;
  /** The wait before the first retry is at most this, and doubles with each. */
  baseDelayMs: number;
  /** The most that a wait grows to. */
  maxDelayMs: number;
  /** A longer Retry-After is not waited for: the call rejects, and its error says how long. */
  maxRetryAfterSeconds: number;
  /** Called before each wait. */
  onWait?: (waitMs: number, error: unknown) => void;
};

export const DEFAULT_RETRIES: Retries = {
  tries: 4,
  baseDelayMs: 500,
  maxDelayMs: 30_000,
  maxRetryAfterSeconds: 60,
};

/** The outcome is unknown, and the next attempt may succeed. */
const UNKNOWN_OUTCOMES = new Set([500, 502, 503, 504]);

/**
 * Makes attempts until one resolves. One that rejects is repeated where its response is 429, which says that nothing
 * was done; where it is another that may pass, or there was none, only if `isRepeatable`. Rejects with the last
 * attempt's error, or with the reason of `signal`.
 */
export async function withRetries<Result>(
  attempt: () => Promise<Result>,
  retries: Retries,
  isRepeatable: boolean,
  signal?: AbortSignal,
): Promise<Result> {
  for (let tried = 1; ; tried += 1) {
    signal?.throwIfAborted();
    try {
      return await attempt();
    } catch (error) {
      signal?.throwIfAborted();
      const { status, retryAfterSeconds = 0 } =
        error instanceof PartnerApiError ? error : { status: undefined };
      const mayRepeat =
        status === 429 || (isRepeatable && (status === undefined || UNKNOWN_OUTCOMES.has(status)));
      if (!mayRepeat || tried >= retries.tries || retryAfterSeconds > retries.maxRetryAfterSeconds)
        throw error;
      const waitMs = retryAfterSeconds * 1000 + jitteredDelayMs(tried, retries);
      retries.onWait?.(waitMs, error);
      await delay(waitMs, signal);
    }
  }
}

/**
 * A random time up to a bound that doubles with each attempt, so that clients that failed together do not come back
 * together.
 */
export function jitteredDelayMs(
  tried: number,
  { baseDelayMs, maxDelayMs }: Pick<Retries, 'baseDelayMs' | 'maxDelayMs'>,
  random: () => number = Math.random,
): number {
  return random() * Math.min(maxDelayMs, baseDelayMs * 2 ** (tried - 1));
}

/**
 * Calls `send` with a signal that aborts after `timeoutMs`, or with `outer`. Rejects with a PartnerConnectionError if
 * it got no complete response.
 */
export async function withDeadline<Result>(
  send: (signal: AbortSignal) => Promise<Result>,
  timeoutMs: number,
  outer?: AbortSignal,
): Promise<Result> {
  const controller = new AbortController();
  const abort = () => controller.abort(outer?.reason);
  const timer = setTimeout(
    () => controller.abort(new Error(`No whole response within ${timeoutMs} ms`)),
    timeoutMs,
  );
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

/** Resolves after `ms`, or at once when `signal` aborts. */
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
