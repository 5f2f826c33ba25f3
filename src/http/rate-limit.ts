import type { Request, RequestHandler, Response } from 'express';
import { DomainError, type ErrorCode } from '../domain/errors.ts';
import { type Db, isDatabaseUnavailable } from '../platform/mongo.ts';
import { counter } from '../platform/process-metrics.ts';
import { addressKey } from './client-address.rules.ts';
import type { BadKeyLimits, LocalRateLimiter, RateLimiter, Usage } from './rate-limiter.ts';
import { clientAddressOf } from './request-facts.ts';
import type { Authenticate } from './route.ts';

const BAD_KEY_ERRORS: readonly ErrorCode[] = ['INVALID_API_KEY', 'PARTNER_SUSPENDED'];

const limitedTotal = counter({
  name: 'http_rate_limited_total',
  help: "Calls over one partner's limit of calls, or over one address's limit of wrong keys.",
  labelNames: ['listener', 'limit'],
});

/** A function that counts one more call over this limit. */
export function countLimited(db: Db, listener: 'partner' | 'admin', limit: 'calls' | 'wrong_keys'): () => void {
  limitedTotal(db).inc({ listener, limit }, 0);
  return () => limitedTotal(db).inc({ listener, limit });
}

/**
 * Counts every call under `keyOf(res)` and sets the rate limit headers. Without a limiter: no limit, no headers.
 * `onLimited` is called for each call over the limit.
 * @throws DomainError RATE_LIMITED with `Retry-After`
 */
export function limitCalls(
  limiter: RateLimiter | undefined,
  keyOf: (res: Response) => string,
  onLimited: () => void,
): RequestHandler {
  return async (_req, res, next) => {
    if (limiter !== undefined) {
      const usage = await limiter.count(keyOf(res));
      setRateLimitHeaders(res, usage);
      if (usage.isOverLimit) {
        onLimited();
        const { limit, windowSeconds } = usage.quota;
        throw rateLimited(`You have reached the limit of ${limit} calls in ${windowSeconds} s.`);
      }
    }
    next();
  };
}

type KeyCheck<Caller> = {
  /** Whether this key was valid here recently. Does not read the database. */
  isKnown(): boolean;
  /** `batched`: with other calls in one read of the database. */
  authenticate(when: 'alone' | 'batched'): Promise<Caller>;
};

/**
 * Counts 404 and 405 responses against the limit of a partner with a valid key. The key does not change the response.
 */
export function countUnrouted<Caller>(authenticate: Authenticate<Caller>, limit: RequestHandler): RequestHandler {
  return async (req, res, next) => {
    if (req.headers['x-api-key'] !== undefined) {
      try {
        res.locals['caller'] = await authenticate(req, res);
        await limit(req, res, () => undefined);
      } catch (err) {
        if (!(err instanceof DomainError) && !isDatabaseUnavailable(err)) throw err;
      }
      // Repeating the call would not help.
      res.removeHeader('Retry-After');
    }
    next();
  };
}

/**
 * Checks the key of a call. Counts an unknown key under the caller's address before looking it up. Once this address,
 * or all addresses together, are over their limit, keys are looked up in batches: a valid key still passes, and
 * invalid ones cost few reads (ADR 0014). Over the limit of the address, an invalid key gets 429 instead of 401 or 403,
 * and `onLimited` is called. A call without a key is not counted.
 * @throws DomainError RATE_LIMITED with `Retry-After`, and what `authenticate` throws
 */
export function limitBadKeys<Caller>(
  limits: BadKeyLimits | undefined,
  checkOf: (key: string | undefined) => KeyCheck<Caller>,
  onWrongKey: () => void,
  onLimited: () => void,
): Authenticate<Caller> {
  return async (req, res) => {
    const key = req.get('x-api-key');
    const address = addressKey(clientAddressOf(req));
    const check = checkOf(key);
    const isGuess = limits !== undefined && key !== undefined && !check.isKnown();
    const guess = isGuess ? await countGuess(limits, address) : undefined;
    try {
      const caller = await check.authenticate(guess?.isOverLimit === true ? 'batched' : 'alone');
      await guess?.takeBack();
      return caller;
    } catch (err) {
      if (!isBadKey(err)) {
        await guess?.takeBack();
        throw err;
      }
      if (key === undefined) {
        if (limits !== undefined)
          setRateLimitHeaders(res, { ...(await limits.ofAddress.read(address)), isOverLimit: false });
        throw req.get('authorization') === undefined ? err : new DomainError('INVALID_API_KEY', KEY_IN_AUTHORIZATION);
      }
      if (isWrongKey(err)) onWrongKey();
      if (limits === undefined) throw err;
      const usage = guess?.usage ?? (await limits.ofAddress.count(address));
      setRateLimitHeaders(res, usage);
      if (!usage.isOverLimit) throw err;
      onLimited();
      throw tooManyBadKeys();
    }
  };
}

const KEY_IN_AUTHORIZATION =
  'The key is read from the header x-api-key, not from Authorization. Send it there, without the word Bearer.';

async function countGuess({ ofAddress, ofAll }: BadKeyLimits, address: string) {
  const [usage, all] = await Promise.all([ofAddress.count(address), ofAll.count('')]);
  return {
    usage,
    isOverLimit: usage.isOverLimit || all.isOverLimit,
    takeBack: () => Promise.all([ofAddress.giveBack(address), ofAll.giveBack('')]),
  };
}

const isWrongKey = (err: unknown): boolean => err instanceof DomainError && err.code === 'INVALID_API_KEY';

const isBadKey = (err: unknown): boolean => err instanceof DomainError && BAD_KEY_ERRORS.includes(err.code);

/** Compares a key without reading the database. The right key always passes; wrong keys are counted by address. */
export async function tryKey(
  limiter: LocalRateLimiter,
  req: Request,
  res: Response,
  isRight: () => boolean,
  onLimited: () => void,
): Promise<'right' | 'wrong' | 'limited'> {
  if (isRight()) return 'right';
  const usage = await limiter.count(addressKey(clientAddressOf(req)));
  setRateLimitHeaders(res, usage);
  if (!usage.isOverLimit) return 'wrong';
  onLimited();
  return 'limited';
}

export function tooManyBadKeys(): DomainError {
  return rateLimited('Too many keys from your address were rejected. Check the key that you send.');
}

function rateLimited(what: string): DomainError {
  return new DomainError('RATE_LIMITED', `${what} Repeat the call after the seconds in Retry-After.`);
}

/** Sets the fields of draft-ietf-httpapi-ratelimit-headers, in whole seconds. */
function setRateLimitHeaders(res: Response, { quota, remaining, resetMs, isOverLimit }: Usage): void {
  const resetSeconds = Math.max(1, Math.ceil(resetMs / 1000));
  res.set('RateLimit-Policy', `"${quota.name}";q=${quota.limit};w=${quota.windowSeconds}`);
  res.set('RateLimit', `"${quota.name}";r=${remaining};t=${resetSeconds}`);
  if (isOverLimit) res.set('Retry-After', String(resetSeconds));
}
