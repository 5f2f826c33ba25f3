import type { IRouter, NextFunction, Request, RequestHandler, Response } from 'express';
import { DomainError } from '../domain/errors.ts';
import { withTimeout } from '../platform/deadline.ts';
import { asStored } from '../platform/ids.ts';
import { withKeyOfHeader } from './idempotency-key-header.ts';
import { fieldsOf, undecodableFields } from './query-faults.ts';
import { readJson } from './read-json.ts';
import { noteSubject } from './request-facts.ts';
import type { Authenticate, Deprecation, Route, RouteResponse } from './route.ts';
import { sendJson } from './send-json.ts';
import { inTrace } from './trace-requests.ts';
import { checkInput, misspeltFields, requireNoFaults } from './validate.ts';

type Options = { limit?: RequestHandler; beforeRejection?: RequestHandler; ignoredInQuery?: readonly string[] };

/**
 * Serves the rows of a route table. Checks in order: route, caller, limit, body and query, handler. `limit` finds the
 * caller in `res.locals['caller']`. Another method of a known path returns 405 after `beforeRejection`; unknown paths
 * are left to `notFound`. Unknown fields of a body are listed in `X-Ignored-Fields`; unknown query fields are rejected,
 * except `ignoredInQuery`.
 */
export function mountRoutes<Caller>(
  router: IRouter,
  routes: readonly Route<Caller>[],
  authenticate: Authenticate<Caller>,
  { limit = pass, beforeRejection = pass, ignoredInQuery = [] }: Options = {},
): void {
  for (const path of new Set(routes.map((each) => each.path))) {
    const rows = routes.filter((each) => each.path === path);
    const mounted = router.route(path).all(idsAsStored);
    for (const row of rows) {
      const body = row.method === 'get' ? [] : [readJson, identifyAgainIfLate(authenticate)];
      if (row.deprecation !== undefined) mounted[row.method](announceDeprecation(row.deprecation));
      mounted[row.method](identify(authenticate), limit, ...body, handle(row, ignoredInQuery));
    }
    mounted.all(beforeRejection, rejectOtherMethods(rows));
  }
  // Subpaths that a client may expect, but that do not exist: 404 with the reason.
  for (const { path, notOffered } of routes) {
    if (notOffered === undefined) continue;
    router.use(path, () => {
      throw new DomainError('ROUTE_NOT_FOUND', `The path does not exist here. ${notOffered}`);
    });
  }
}

const idsAsStored: RequestHandler = ({ params }, _res, next) => {
  for (const [name, value] of Object.entries(params)) if (typeof value === 'string') params[name] = asStored(value);
  next();
};

const pass: RequestHandler = (_req, _res, next) => next();

/** The time after which a call gets 503. Its writes may still take effect. */
const CALL_TIMEOUT_MS = 10_000;

function inTime<T>(work: () => Promise<T>, timeoutMs = CALL_TIMEOUT_MS): Promise<T> {
  return withTimeout(timeoutMs, work).catch((err: unknown) => {
    if (!(err instanceof DOMException && err.name === 'TimeoutError')) throw err;
    throw new DomainError(
      'SERVICE_UNAVAILABLE',
      'The database did not respond within 10 s, so the call may or may not have taken effect. Repeat it after the seconds in Retry-After, with the same idempotency_key.',
    );
  });
}

type Locals = { identifiedAtMs: number; identifyingMs: number };

function identify<Caller>(authenticate: Authenticate<Caller>): RequestHandler {
  return async (req, res, next) => {
    const beganAtMs = performance.now();
    res.locals['caller'] = await inTime(() => authenticate(req, res));
    const identifiedAtMs = performance.now();
    Object.assign(res.locals, { identifiedAtMs, identifyingMs: identifiedAtMs - beganAtMs } satisfies Locals);
    next();
  };
}

/** If a body takes longer to arrive, the key is checked again: it may have been revoked meanwhile. */
const PROMPT_BODY_MS = 100;

function identifyAgainIfLate<Caller>(authenticate: Authenticate<Caller>): RequestHandler {
  const again = identify(authenticate);
  return (req, res, next) => {
    const { identifiedAtMs } = res.locals as Locals;
    return performance.now() - identifiedAtMs < PROMPT_BODY_MS ? next() : again(req, res, next);
  };
}

function handle<Caller>(row: Route<Caller>, ignoredInQuery: readonly string[]): RequestHandler {
  const takesKey = row.body !== undefined && fieldsOf(row.body).includes('idempotency_key');
  return async (req, res) => {
    // A missing body counts as empty, so the response lists the required fields.
    const given: unknown = req.body === undefined ? {} : req.body;
    const keyed = takesKey ? withKeyOfHeader(req, given) : { body: given, faults: [] };
    const { query, body, faults, ignoredFields } = checkInput({
      query: req.query,
      querySchema: row.query,
      ignoredInQuery,
      body: keyed.body,
      bodySchema: row.body,
    });
    if (ignoredFields.length > 0) res.set('X-Ignored-Fields', ignoredFields.join(', '));
    const all = [...keyed.faults, ...undecodableFields(req.originalUrl), ...faults];
    if (all.length > 0) requireNoFaults(all, misspeltFields(ignoredFields, row.body));
    const caller = res.locals['caller'] as Caller;
    // Path parameters are not validated: a malformed one names nothing, so its handler returns 404.
    let response: RouteResponse | undefined;
    try {
      const work = () => inTrace(res, () => row.handle({ caller, params: req.params, query, body }));
      response = await (row.takesLong === true ? work() : inTime(work, timeLeft(res)));
    } finally {
      noteSubject(req, res, body, response?.body);
    }
    await send(req, res, response);
  };
}

const timeLeft = ({ locals }: Response): number => CALL_TIMEOUT_MS - (locals as Locals).identifyingMs;

async function send(req: Request, res: Response, { status, body, headers }: RouteResponse): Promise<void> {
  if (headers !== undefined) res.set(headers);
  res.status(status);
  if (body === undefined) res.end();
  else await sendJson(req, res, body);
}

/** Announces on every response, errors too, that an endpoint is deprecated (RFC 9745) and when it ends (RFC 8594). */
function announceDeprecation({ since, sunset, guide }: Deprecation): RequestHandler {
  const headers = {
    Deprecation: `@${Date.parse(since) / 1000}`,
    Link: `<${guide}>; rel="deprecation"; type="text/html"`,
    ...(sunset === undefined ? {} : { Sunset: new Date(sunset).toUTCString() }),
  };
  return (_req, res, next) => {
    res.set(headers);
    next();
  };
}

function rejectOtherMethods<Caller>(rows: readonly Route<Caller>[]): RequestHandler {
  const allowed = [
    ...new Set(rows.flatMap((row) => (row.method === 'get' ? ['GET', 'HEAD'] : [row.method.toUpperCase()]))),
  ];
  const notOffered = rows.flatMap((row) => (row.notOffered === undefined ? [] : [` ${row.notOffered}`])).join('');
  return rejectMethod(allowed, notOffered);
}

/**
 * Rejects other methods than `allowed` with 405 and `Allow`. `notOffered`: why a method is missing, and what to use.
 */
function rejectMethod(allowed: readonly string[], notOffered = ''): RequestHandler {
  return (req, res) => {
    res.set('Allow', allowed.join(', '));
    throw new DomainError(
      'METHOD_NOT_ALLOWED',
      `${req.method} is not allowed here. Use ${allowed.join(' or ')}.${notOffered}`,
    );
  };
}

export const rejectWrites: RequestHandler = rejectMethod(['GET', 'HEAD']);

/** Serves a path outside the route tables, such as a health check or a page; other methods get 405. */
export function mountGet(app: IRouter, path: string, handler: RequestHandler): void {
  app.route(path).get(handler).all(rejectWrites);
}

/** The last handler of every app. @throws DomainError ROUTE_NOT_FOUND */
export function notFound(_req: Request, _res: Response, _next: NextFunction): void {
  throw new DomainError(
    'ROUTE_NOT_FOUND',
    'The path does not exist. Check its spelling and its prefix /api/v1. /openapi.json lists every path.',
  );
}
