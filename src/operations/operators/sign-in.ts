import type { Express, NextFunction, Request, RequestHandler, Response } from 'express';
import express from 'express';
import { DomainError } from '../../domain/errors.ts';
import { sendPage } from '../../http/html-page.tsx';
import { tooManyBadKeys, tryKey } from '../../http/rate-limit.ts';
import type { LocalRateLimiter } from '../../http/rate-limiter.ts';
import { reading } from '../../http/read-json.ts';
import type { SignedIn } from '../../http/route.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Db } from '../../platform/mongo.ts';
import { parseUrl } from '../../platform/parse-url.ts';
import { hasEndedSession, insertEndedSession } from './ended-sessions.store.ts';
import type { Session } from './session.rules.ts';
import { isOperatorKey, openSession, operatorKeyId, SESSION_SECONDS, signSession } from './session.rules.ts';
import { SignInPage } from './sign-in-page.tsx';

const COOKIE = 'operator_session';

export type SignInDeps = {
  db: Db;
  clock: Clock;
  config: { operatorApiKey: string };
  badKeys: LocalRateLimiter;
  /** Called for each wrong key beyond the limit. */
  onLimited: () => void;
  /** Writes down who signed in or out, or failed to. Where it throws, nobody does. */
  record: (
    req: Request,
    res: Response,
    done: { action: 'signIn' | 'signOut'; operator: SignedIn; status: number },
  ) => Promise<void>;
  /** Writes down a wrong key, on the sign-in page or in the header; of many from one address, how many. Never throws. */
  recordWrongKey: (
    req: Request,
    res: Response,
    action: 'signIn' | 'wrongKey',
    status: number,
  ) => Promise<void>;
};

/**
 * Lets nobody but an operator past it: programs send the operator's key, browsers have a
 * signed, HttpOnly, SameSite=Strict cookie from the sign-in page, which a sign-out ends wherever it was copied to. A call made
 * with the cookie that changes anything must come from a page of this origin. Wrong keys of an address are limited; the right one
 * always passes (ADR 0014).
 */
export function mountSignIn(app: Express, deps: SignInDeps): void {
  const form = reading(express.urlencoded({ extended: false, limit: '2kb' }));
  app.get('/sign-in', (req, res) => {
    sendPage(res, SignInPage({ next: localPath(req.query['next']) }));
  });
  app.post('/sign-in', requireSameOrigin, form, signIn(deps));
  app.post('/sign-out', requireSameOrigin, signOut(deps));
  app.use(requireOperator(deps));
}

const STATUS = { wrong: 401, limited: 429 } as const;

function operatorVia(via: SignedIn['via'], { config }: SignInDeps): SignedIn {
  return { via, keyId: operatorKeyId(config.operatorApiKey) };
}

function signIn(deps: SignInDeps): RequestHandler {
  return async (req, res) => {
    const { key, next } = (req.body ?? {}) as { key?: unknown; next?: unknown };
    const outcome = await check(deps, req, res, key);
    if (outcome !== 'right') {
      const status = STATUS[outcome];
      await deps.recordWrongKey(req, res, 'signIn', status);
      sendPage(res, SignInPage({ next: localPath(next), problem: outcome }), status);
      return;
    }
    await deps.record(req, res, { action: 'signIn', operator: operatorVia('session', deps), status: 303 });
    setCookie(req, res, signSession(deps.config.operatorApiKey, deps.clock.now()), SESSION_SECONDS);
    res.redirect(303, localPath(next));
  };
}

function signOut(deps: SignInDeps): RequestHandler {
  return async (req, res) => {
    const session = await liveSession(deps, req);
    if (session !== undefined) {
      await deps.record(req, res, { action: 'signOut', operator: operatorVia('session', deps), status: 303 });
      await insertEndedSession(deps.db, session);
    }
    setCookie(req, res, '', 0);
    res.redirect(303, '/sign-in');
  };
}

/** The operator that `requireOperator` found. */
export function operatorOf(res: Response): SignedIn {
  return res.locals['operator'] as SignedIn;
}

function requireOperator(deps: SignInDeps) {
  return async (req: Request, res: Response, next: NextFunction): Promise<void> => {
    const operator = await identify(deps, req, res);
    if (operator === undefined) {
      if (req.method === 'GET' && req.accepts(['json', 'html']) === 'html') {
        res.redirect(303, `/sign-in?next=${encodeURIComponent(req.originalUrl)}`);
        return;
      }
      throw new DomainError(
        'INVALID_API_KEY',
        "Operators only: send the operator's key in the x-api-key header, or sign in at /sign-in.",
      );
    }
    res.locals['operator'] = operator;
    if (operator.via === 'session') requireSameOrigin(req, res, next);
    else next();
  };
}

/** @throws DomainError RATE_LIMITED */
async function identify(deps: SignInDeps, req: Request, res: Response): Promise<SignedIn | undefined> {
  const key = req.headers['x-api-key'];
  if (key !== undefined) {
    const outcome = await check(deps, req, res, key);
    if (outcome === 'right') return operatorVia('api-key', deps);
    await deps.recordWrongKey(req, res, 'wrongKey', STATUS[outcome]);
    if (outcome === 'limited') throw tooManyBadKeys();
    return undefined;
  }
  return (await liveSession(deps, req)) === undefined ? undefined : operatorVia('session', deps);
}

/**
 * The session of a token that is genuine, has not run out and was not signed out, on whatever process. One read by id; while
 * the database is away nobody is let in by a token, because nobody knows which were signed out.
 */
async function liveSession({ db, clock, config }: SignInDeps, req: Request): Promise<Session | undefined> {
  for (const token of readCookies(req)) {
    const session = openSession(token, config.operatorApiKey, clock.now());
    if (session !== undefined && !(await hasEndedSession(db, session.id))) return session;
  }
  return undefined;
}

function check({ badKeys, config, onLimited }: SignInDeps, req: Request, res: Response, key: unknown) {
  return tryKey(
    badKeys,
    req,
    res,
    // What is pasted often has a blank or a line break around it.
    () => typeof key === 'string' && isOperatorKey(key.trim(), config.operatorApiKey),
    onLimited,
  );
}

/** The defence against forged requests: a browser says itself from which site a request comes. */
function requireSameOrigin(req: Request, _res: Response, next: NextFunction): void {
  const site = req.headers['sec-fetch-site'];
  const isSafe = req.method === 'GET' || req.method === 'HEAD';
  const isOwn = site === undefined ? isOfOwnHost(req) : site === 'same-origin';
  if (!isSafe && !isOwn) {
    throw new DomainError(
      'CSRF_REJECTED',
      'A change made with a sign-in cookie must come from a page of this console.',
    );
  }
  next();
}

/**
 * Whether the page is of the host that was asked: by the Host header, or by the `X-Forwarded-Host` of a trusted proxy, which is
 * what `req.host` is. Some proxies add the default port to either.
 */
function isOfOwnHost(req: Request): boolean {
  const origin = parseUrl(req.headers.origin ?? '');
  if (origin === undefined) return false;
  return [req.headers.host, req.host].some(
    (host) => host !== undefined && parseUrl(`${origin.protocol}//${host}`)?.host === origin.host,
  );
}

/** The tokens that the browser sends: a neighbouring host of the same domain may have set a cookie of the same name. */
function readCookies(req: Request): string[] {
  const pairs = (req.headers.cookie ?? '').split(';').map((pair) => pair.trim().split('=', 2));
  return pairs.flatMap(([name, token]) => (name === COOKIE && token !== undefined ? [token] : []));
}

function setCookie(req: Request, res: Response, value: string, maxAgeSeconds: number): void {
  res.cookie(COOKIE, value, {
    httpOnly: true,
    sameSite: 'strict',
    // TLS ends in front of this process: that the page was fetched by https is seen in what the browser says of it.
    secure: req.secure || req.headers.origin?.startsWith('https:') === true,
    path: '/',
    maxAge: maxAgeSeconds * 1000,
  });
}

/** Only a path of this origin may be returned to: `//host` and `\` would leave it. */
function localPath(next: unknown): string {
  return typeof next === 'string' && /^\/(?![/\\])[^\\\p{Cc}]*$/u.test(next) ? next : '/';
}
