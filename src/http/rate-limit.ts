import type { Request, RequestHandler, Response } from 'express';
import type { ErrorCode } from '../platform/errors.ts';
import { DomainError } from '../platform/errors.ts';
import type { LocalRateLimiter, RateLimiter, Usage } from '../platform/rate-limiter.ts';
import { addressKey } from './client-address.rules.ts';
import type { Authenticate } from './route.ts';

/** The refusals that count as a bad key. */
const KEY_REFUSALS: readonly ErrorCode[] = ['INVALID_API_KEY', 'PARTNER_SUSPENDED'];

/**
 * Counts every call under `keyOf(res)` and says on its answer, whatever that becomes, what is left (decisions §1). No
 * limiter, no limit and no headers.
 * @throws DomainError RATE_LIMITED with `Retry-After`
 */
export function limitCalls(
  limiter: RateLimiter | undefined,
  keyOf: (res: Response) => string,
): RequestHandler {
  return async (_req, res, next) => {
    if (limiter !== undefined) {
      const usage = await limiter.count(keyOf(res));
      announce(res, usage);
      if (usage.isRefused) {
        const { limit, windowSeconds } = usage.quota;
        throw rateLimited(`You have made the ${limit} calls that you may make in ${windowSeconds} s.`);
      }
    }
    next();
  };
}

/**
 * Counts the keys that `authenticate` refuses, per address; past the limit they are answered by 429 in place of 401 or
 * 403. A good key is never refused for the bad ones of its address, which may be a proxy's (ADR 0008); a call without a
 * key tries none and is not counted.
 * @throws DomainError RATE_LIMITED with `Retry-After`, and what `authenticate` throws
 */
export function limitBadKeys<Caller>(
  limiter: LocalRateLimiter | undefined,
  authenticate: Authenticate<Caller>,
): Authenticate<Caller> {
  if (limiter === undefined) return authenticate;
  return async (req, res) => {
    try {
      return await authenticate(req, res);
    } catch (err) {
      if (!(err instanceof DomainError) || !KEY_REFUSALS.includes(err.code)) throw err;
      const isTried = req.headers['x-api-key'] !== undefined;
      const usage = await limiter[isTried ? 'count' : 'read'](addressKey(req.ip));
      announce(res, isTried ? usage : { ...usage, isRefused: false });
      if (isTried && usage.isRefused) throw tooManyBadKeys();
      throw err;
    }
  };
}

/**
 * Whether `isRight()`, unless this address has tried too many wrong keys: then nothing is compared, and the answer is
 * `refused` until the window ends. The headers of the answer are set; the answer itself is the caller's.
 */
export async function tryKey(
  limiter: LocalRateLimiter,
  req: Request,
  res: Response,
  isRight: () => boolean,
): Promise<'right' | 'wrong' | 'refused'> {
  const address = addressKey(req.ip);
  const before = await limiter.read(address);
  if (!before.isRefused && isRight()) return 'right';
  announce(res, before.isRefused ? before : await limiter.count(address));
  return before.isRefused ? 'refused' : 'wrong';
}

export function tooManyBadKeys(): DomainError {
  return rateLimited('Too many keys from your address were refused. Check the key that you send.');
}

function rateLimited(what: string): DomainError {
  return new DomainError('RATE_LIMITED', `${what} Repeat the call after the seconds in Retry-After.`);
}

/** The two fields of draft-ietf-httpapi-ratelimit-headers: the policy, and where the caller stands; times in whole seconds. */
function announce(res: Response, { quota, remaining, resetMs, isRefused }: Usage): void {
  const resetSeconds = Math.max(1, Math.ceil(resetMs / 1000));
  res.set('RateLimit-Policy', `"${quota.name}";q=${quota.limit};w=${quota.windowSeconds}`);
  res.set('RateLimit', `"${quota.name}";r=${remaining};t=${resetSeconds}`);
  if (isRefused) res.set('Retry-After', String(resetSeconds));
}
