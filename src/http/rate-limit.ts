import type { Request, RequestHandler, Response } from 'express';
import type { ErrorCode } from '../domain/errors.ts';
import { DomainError } from '../domain/errors.ts';
import type { Db } from '../platform/mongo.ts';
import { isDatabaseUnavailable } from '../platform/mongo.ts';
import { counter } from '../platform/process-metrics.ts';
import { addressKey } from './client-address.rules.ts';
import type { BadKeyLimits, LocalRateLimiter, RateLimiter, Usage } from './rate-limiter.ts';
import { clientAddressOf } from './request-facts.ts';
import type { Authenticate } from './route.ts';

/** The errors that count as a bad key. */
const BAD_KEY_ERRORS: readonly ErrorCode[] = ['INVALID_API_KEY', 'PARTNER_SUSPENDED'];

const limited = counter({
  name: 'http_rate_limited_total',
  help: 'Calls beyond a limit: of calls of one partner, or of wrong keys of one address.',
  labelNames: ['listener', 'limit'],
});

/** Counts the calls beyond a limit of a listener, from 0 on. */
export function limitedCalls(
  db: Db,
  listener: 'partner' | 'admin',
  limit: 'calls' | 'wrong_keys',
): () => void {
  limited(db).inc({ listener, limit }, 0);
  return () => limited(db).inc({ listener, limit });
}

/**
 * Counts every call under `keyOf(res)` and says on its response, whatever that becomes, what is left. No
 * limiter, no limit and no headers. `onLimited` is called for each call beyond the limit.
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

/** How the key of a call is checked. */
export type KeyCheck<Caller> = {
  /** Whether this very key was right here lately. Reads nothing, and says nothing of whether it still is. */
  isKnown(): boolean;
  /** `in turn`: where it costs a read, one that is shared with others. */
  authenticate(when: 'at once' | 'in turn'): Promise<Caller>;
};

/**
 * For what is rejected before a key is checked, 404 and 405: where a key was sent all the same, the call counts like any
 * other and its response says what is left. The response stays what it is, also where the key is rejected or cannot be looked up.
 */
export function countUnrouted<Caller>(
  authenticate: Authenticate<Caller>,
  limit: RequestHandler,
): RequestHandler {
  return async (req, res, next) => {
    if (req.headers['x-api-key'] !== undefined) {
      try {
        res.locals['caller'] = await authenticate(req, res);
        await limit(req, res, () => undefined);
      } catch (err) {
        if (!(err instanceof DomainError) && !isDatabaseUnavailable(err)) throw err;
      }
      // To repeat the call would not help.
      res.removeHeader('Retry-After');
    }
    next();
  };
}

/**
 * Checks the key of a call. One that was not right here lately is counted under its address before it is looked up: past the
 * limit of the address, or of all of them together, it is looked up in turn. So a right key always passes, and wrong ones cost a
 * bounded number of reads (ADR 0014). A wrong one past the limit of its address is rejected with 429 instead of 401 or 403; a
 * call without a key tries none and is not counted. `onLimited` is called for each 429.
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
      const caller = await check.authenticate(guess?.isOverLimit === true ? 'in turn' : 'at once');
      await guess?.takeBack();
      return caller;
    } catch (err) {
      if (!isBadKey(err)) {
        await guess?.takeBack();
        throw err;
      }
      if (key !== undefined && isWrongKey(err)) onWrongKey();
      if (limits === undefined) throw err;
      if (key === undefined) {
        setRateLimitHeaders(res, { ...(await limits.ofAddress.read(address)), isOverLimit: false });
        throw err;
      }
      const usage = guess?.usage ?? (await limits.ofAddress.count(address));
      setRateLimitHeaders(res, usage);
      if (!usage.isOverLimit) throw err;
      onLimited();
      throw tooManyBadKeys();
    }
  };
}

/** Counts a key of which nobody knows yet whether it is right. */
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

/**
 * Compares a key that costs nothing to compare: a right one is right however many wrong ones its address has sent, which are
 * counted and past the limit `limited`, of which `onLimited` is told. The headers of the response are set; the response itself is
 * the caller's.
 */
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

/** The two fields of draft-ietf-httpapi-ratelimit-headers: the policy, and where the caller stands; times in whole seconds. */
function setRateLimitHeaders(res: Response, { quota, remaining, resetMs, isOverLimit }: Usage): void {
  const resetSeconds = Math.max(1, Math.ceil(resetMs / 1000));
  res.set('RateLimit-Policy', `"${quota.name}";q=${quota.limit};w=${quota.windowSeconds}`);
  res.set('RateLimit', `"${quota.name}";r=${remaining};t=${resetSeconds}`);
  if (isOverLimit) res.set('Retry-After', String(resetSeconds));
}
