import type { IncomingMessage, ServerResponse } from 'node:http';
import express, { type Express, type RequestHandler } from 'express';
import helmet, { type HelmetOptions } from 'helmet';
import { DomainError } from '../domain/errors.ts';
import { newId } from '../platform/ids.ts';
import type { Logger } from '../platform/logger.ts';
import { isTracing } from '../platform/tracing.ts';
import { withoutPort } from './client-address.rules.ts';
import { hostIn } from './host-header.rules.ts';
import { redactPath } from './redact-path.rules.ts';
import { logRequests } from './request-log.ts';
import { traceRequests } from './trace-requests.ts';

type BaseAppOptions = {
  trustedProxies?: readonly string[];
  /**
   * Words of paths that may be logged, besides those of routes, such as words of mounted pages. Others are redacted.
   */
  moreWords?: readonly string[];
};

/**
 * The common part of all listeners: request ids, a log line without personal data for each request, security headers,
 * and `no-store`.
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
  const sameHeaders = [...securityHeaders(), ['Cache-Control', 'no-store']] as const;
  app.use((req, res, next) => {
    for (const [name, value] of sameHeaders) res.setHeader(name, value);
    // `fetch` sends no-cache with every If-None-Match, and Express would then never respond with 304.
    delete req.headers['cache-control'];
    const fault = faultOfHost(req);
    if (fault !== undefined) throw new DomainError('MALFORMED_REQUEST', fault);
    next();
  });
  return app;
}

/** The fault of the Host header, if any: HTTP/1.1 requires exactly one (RFC 9112, section 3.2). */
function faultOfHost({ httpVersion, rawHeaders }: IncomingMessage): string | undefined {
  const values = rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === 'host');
  if (values.length > 1) return 'The request has more than one Host header. Send one.';
  const [value] = values;
  if (value === undefined)
    return httpVersion === '1.1' ? 'The request has no Host header, which HTTP/1.1 requires. Send one.' : undefined;
  return hostIn(value) === undefined
    ? 'The Host header is malformed. Send the host of the URL, and its port if it has one.'
    : undefined;
}

const SECURITY_OPTIONS: Readonly<HelmetOptions> = {
  // TLS ends before this process; a page that upgraded its requests would break on an operator's port without TLS.
  contentSecurityPolicy: { directives: { upgradeInsecureRequests: null } },
  // With `no-referrer` a browser sends `Origin: null` with a form, but sign-in checks where a form comes from.
  referrerPolicy: { policy: 'same-origin' },
};

/** The headers that helmet sets, computed once because they are the same on every response. */
function securityHeaders(): [name: string, value: string][] {
  const headers = new Map<string, string>();
  const res = {
    setHeader: (name: string, value: string) => headers.set(name, value),
    removeHeader: (name: string) => headers.delete(name),
  };
  helmet(SECURITY_OPTIONS)({} as IncomingMessage, res as unknown as ServerResponse, () => undefined);
  return [...headers];
}

function wordsOf(app: Express): string[] {
  const paths = app.router.stack.flatMap(({ route }) => route?.path ?? []);
  return paths.flatMap((path) => path.split('/')).filter((part) => !part.startsWith(':'));
}
