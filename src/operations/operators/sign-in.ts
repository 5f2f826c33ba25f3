import express, { type Express, type NextFunction, type Request, type RequestHandler, type Response } from 'express';
import { DomainError } from '../../domain/errors.ts';
import { sendPage } from '../../http/html-page.tsx';
import { countLimited, tooManyBadKeys, tryKey } from '../../http/rate-limit.ts';
import { withBodyErrors } from '../../http/read-json.ts';
import type { SignedIn } from '../../http/route.ts';
import { parseUrl } from '../../platform/parse-url.ts';
import type { ApiContext } from '../../process/context.ts';
import { createWrongKeyCounter } from '../alerts/wrong-keys.ts';
import { signInTrail } from '../audit/audit-trail.ts';
import { hasEndedSession, insertEndedSession } from './ended-sessions.store.ts';
import {
  isOperatorKey,
  openSession,
  operatorKeyId,
  SESSION_SECONDS,
  type Session,
  signSession,
} from './session.rules.ts';
import { SignInPage } from './sign-in-page.tsx';

const COOKIE = 'operator_session';

type SignInDeps = ReturnType<typeof signInDeps>;

function signInDeps(context: Pick<ApiContext, 'db' | 'clock' | 'config' | 'log' | 'rateLimits' | 'stopping'>) {
  return {
    ...context,
    trail: signInTrail(context),
    countWrongKey: createWrongKeyCounter(context, 'admin'),
    countLimited: countLimited(context.db, 'admin', 'wrong_keys'),
  };
}

/**
 * Admits operators only. Programs send the operator's key; browsers have a signed cookie (HttpOnly, SameSite=Strict)
 * from the sign-in page, which a sign-out ends. A change made with the cookie must come from a page of this origin.
 * Wrong keys are limited by address; the right key always passes (ADR 0014).
 */
export function mountSignIn(app: Express, context: Parameters<typeof signInDeps>[0]): void {
  const deps = signInDeps(context);
  const form = withBodyErrors(express.urlencoded({ extended: false, limit: '2kb' }));
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
    const outcome = await checkKey(deps, req, res, key, 'signIn');
    if (outcome !== 'right') {
      sendPage(res, SignInPage({ next: localPath(next), problem: outcome }), STATUS[outcome]);
      return;
    }
    await deps.trail.record(req, res, 'signIn', operatorVia('session', deps));
    setCookie(req, res, signSession(deps.config.operatorApiKey, deps.clock.now()), SESSION_SECONDS);
    res.redirect(303, localPath(next));
  };
}

function signOut(deps: SignInDeps): RequestHandler {
  return async (req, res) => {
    const session = await liveSession(deps, req);
    if (session !== undefined) {
      await deps.trail.record(req, res, 'signOut', operatorVia('session', deps));
      await insertEndedSession(deps.db, session);
    }
    setCookie(req, res, '', 0);
    res.redirect(303, '/sign-in');
  };
}

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

async function identify(deps: SignInDeps, req: Request, res: Response): Promise<SignedIn | undefined> {
  const key = req.headers['x-api-key'];
  if (key !== undefined) {
    const outcome = await checkKey(deps, req, res, key, 'wrongKey');
    if (outcome === 'right') return operatorVia('api-key', deps);
    if (outcome === 'limited') throw tooManyBadKeys();
    return undefined;
  }
  return (await liveSession(deps, req)) === undefined ? undefined : operatorVia('session', deps);
}

/** The session of a valid token that was not signed out. Rejects while the database is unavailable. */
async function liveSession({ db, clock, config }: SignInDeps, req: Request): Promise<Session | undefined> {
  for (const token of readCookies(req)) {
    const session = openSession(token, config.operatorApiKey, clock.now());
    if (session !== undefined && !(await hasEndedSession(db, session.id))) return session;
  }
  return undefined;
}

/** Checks the operator's key; counts and audits a wrong one as `action`. */
async function checkKey(
  { rateLimits, config, trail, ...counts }: SignInDeps,
  req: Request,
  res: Response,
  key: unknown,
  action: 'signIn' | 'wrongKey',
) {
  // Pasted keys often have a blank or a line break around them.
  const isRight = () => typeof key === 'string' && isOperatorKey(key.trim(), config.operatorApiKey);
  const outcome = await tryKey(rateLimits.badOperatorKeys, req, res, isRight, counts.countLimited);
  if (outcome !== 'right') {
    counts.countWrongKey();
    await trail.recordWrongKey(req, res, action, STATUS[outcome]);
  }
  return outcome;
}

/** Rejects forged requests: browsers state the site from which a request comes. */
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
 * Whether the page has the requested host: that of the Host header or of a trusted proxy's `X-Forwarded-Host`
 * (`req.host`). Some proxies add the default port to either.
 */
function isOfOwnHost(req: Request): boolean {
  const origin = parseUrl(req.headers.origin ?? '');
  if (origin === undefined) return false;
  return [req.headers.host, req.host].some(
    (host) => host !== undefined && parseUrl(`${origin.protocol}//${host}`)?.host === origin.host,
  );
}

/** The tokens that the browser sends; a neighbouring host may have set a cookie of the same name. */
function readCookies(req: Request): string[] {
  const pairs = (req.headers.cookie ?? '').split(';').map((pair) => pair.trim().split('=', 2));
  return pairs.flatMap(([name, token]) => (name === COOKIE && token !== undefined ? [token] : []));
}

function setCookie(req: Request, res: Response, value: string, maxAgeSeconds: number): void {
  res.cookie(COOKIE, value, {
    httpOnly: true,
    sameSite: 'strict',
    // TLS ends before this process, but the browser's Origin shows whether the page came over https.
    secure: req.secure || req.headers.origin?.startsWith('https:') === true,
    path: '/',
    maxAge: maxAgeSeconds * 1000,
  });
}

/** `next` if it is a path of this origin, else `/`: `//host` and `\` would lead to other hosts. */
function localPath(next: unknown): string {
  return typeof next === 'string' && /^\/(?![/\\])[^\\\p{Cc}]*$/u.test(next) ? next : '/';
}
