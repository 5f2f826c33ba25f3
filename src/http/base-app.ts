import type { IncomingMessage } from 'node:http';
import type { Express, RequestHandler } from 'express';
import express from 'express';
import { DomainError } from '../domain/errors.ts';
import { newId } from '../platform/ids.ts';
import type { Logger } from '../platform/logger.ts';
import { isTracing } from '../platform/tracing.ts';
import { withoutPort } from './client-address.rules.ts';
import { hostNamedBy } from './host-header.rules.ts';
import { redactPath } from './redact-path.rules.ts';
import { logRequests } from './request-log.ts';
import { securityHeaders } from './security-headers.ts';
import { traceRequests } from './trace-requests.ts';

export type BaseAppOptions = {
  /** Whose `X-Forwarded-For` tells who calls: of anybody else's it is not read. */
  trustedProxies?: readonly string[];
  /** Of paths below which routes are mounted that are no rows of a table. */
  moreWords?: readonly string[];
};

/**
 * An Express app with what both listeners share: request ids, one log line a request (of the path only what is ours, and no
 * query: both may hold a customer's phone), security headers, and responses that no cache keeps unless a route says otherwise.
 */
export function createBaseApp(
  log: Logger,
  measure?: RequestHandler,
  { trustedProxies = [], moreWords = [] }: BaseAppOptions = {},
): Express {
  const app = express();
  app.disable('x-powered-by');
  app.set('query parser', 'simple');
  app.set('trust proxy', [...trustedProxies]);
  const isTrusted = app.get('trust proxy fn') as (address: string, hop: number) => boolean;
  app.set('trust proxy', (address: string, hop: number) => isTrusted(withoutPort(address), hop));
  if (measure !== undefined) app.use(measure);
  let words: ReadonlySet<string> | undefined;
  app.use((req, res, next) => {
    words ??= new Set([...moreWords, ...wordsOf(app)]);
    const [path = ''] = req.originalUrl.split('?', 1);
    res.locals['path'] = redactPath(path, words);
    res.locals['serverRequestId'] = newId();
    next();
  });
  if (isTracing()) app.use(traceRequests());
  app.use(logRequests(log));
  const constant = [...securityHeaders(), ['Cache-Control', 'no-store'] as const];
  app.use((req, res, next) => {
    for (const [name, value] of constant) res.setHeader(name, value);
    // `fetch` sends no-cache with every If-None-Match, for which Express would never respond with 304. Nothing is cached here.
    delete req.headers['cache-control'];
    const fault = faultOfHost(req);
    if (fault !== undefined) throw new DomainError('MALFORMED_REQUEST', fault);
    next();
  });
  return app;
}

/** What is wrong with the Host header, of which HTTP/1.1 asks for exactly one (RFC 9112, section 3.2). */
function faultOfHost({ httpVersion, rawHeaders }: IncomingMessage): string | undefined {
  const values = rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === 'host');
  if (values.length > 1) return 'The request has more than one Host header. Send one.';
  const [value] = values;
  if (value === undefined)
    return httpVersion === '1.1'
      ? 'The request has no Host header, which HTTP/1.1 requires. Send one.'
      : undefined;
  return hostNamedBy(value) === undefined
    ? 'The Host header is malformed. Send the host of the URL, and its port if it has one.'
    : undefined;
}

/** All that stands in the paths of the routes of `app` beside parameters. */
function wordsOf(app: Express): string[] {
  const paths = app.router.stack.flatMap(({ route }) => route?.path ?? []);
  return paths.flatMap((path) => path.split('/')).filter((part) => !part.startsWith(':'));
}
