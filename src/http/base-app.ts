import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Express, Request, Response } from 'express';
import express from 'express';
import { pinoHttp } from 'pino-http';
import { DomainError } from '../domain/errors.ts';
import { newId } from '../platform/ids.ts';
import type { Logger } from '../platform/logger.ts';
import { errorFields } from '../platform/logger.ts';
import { clientAddress } from './client-address.rules.ts';
import { hostNamedBy } from './host-header.rules.ts';
import type { ObserveRequest } from './measure-requests.ts';
import { measureRequests } from './measure-requests.ts';
import { redactPath } from './redact-path.rules.ts';
import { securityHeaders } from './security-headers.ts';

export type BaseAppOptions = {
  /** Whose `X-Forwarded-For` tells who calls: of anybody else's it is not read. */
  trustedProxies?: readonly string[];
  /** Of paths below which routes are mounted that are no rows of a table. */
  moreWords?: readonly string[];
};

const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;

/**
 * An Express app with what both listeners share: request ids, one log line a request (of the path only what is ours, and no
 * query: both may hold a customer's phone), security headers, and responses that no cache keeps unless a route says otherwise.
 */
export function createBaseApp(
  log: Logger,
  observe: ObserveRequest = () => undefined,
  { trustedProxies = [], moreWords = [] }: BaseAppOptions = {},
): Express {
  const app = express();
  app.disable('x-powered-by');
  app.set('query parser', 'simple');
  app.set('trust proxy', [...trustedProxies]);
  app.use(measureRequests(observe));
  let words: ReadonlySet<string> | undefined;
  app.use((req, res, next) => {
    words ??= new Set([...moreWords, ...wordsOf(app)]);
    const [path = ''] = req.originalUrl.split('?', 1);
    res.locals['path'] = redactPath(path, words);
    res.locals['serverRequestId'] = newId();
    next();
  });
  app.use(
    pinoHttp({
      logger: log,
      quietReqLogger: true,
      genReqId: (req, res) => {
        const given = req.headers['x-request-id'];
        const id =
          typeof given === 'string' && REQUEST_ID.test(given) ? given : serverRequestIdOf(res as Response);
        res.setHeader('X-Request-Id', id);
        return id;
      },
      // On every line of the request: the id beside it may be one that its caller chose.
      customProps: (_req, res) => ({ server_request_id: serverRequestIdOf(res as Response) }),
      serializers: { req: () => undefined, res: () => undefined, err: errorFields },
      // Given the error itself, not what pino would make of it.
      wrapSerializers: false,
      customSuccessObject: (req, res, value: object) => ({ ...value, ...requestFields(req, res) }),
      customErrorObject: (req, res, _err, value: object) => ({ ...value, ...requestFields(req, res) }),
      customLogLevel: (_req, res, err) => (err !== undefined || res.statusCode >= 500 ? 'error' : 'info'),
      customErrorMessage: () => 'request failed',
    }),
  );
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
function faultOfHost({ httpVersion, headersDistinct }: IncomingMessage): string | undefined {
  const { host: values = [] } = headersDistinct;
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

function requestFields(req: IncomingMessage, res: ServerResponse): Record<string, unknown> {
  return {
    method: req.method,
    path: pathOf(res as Response),
    status: res.statusCode,
    address: clientAddressOf(req as Request),
    partner_id: callerOf(res as Response)?.partnerId,
    key_id: callerOf(res as Response)?.keyId,
  };
}

/** Who was found to call, on either listener. */
function callerOf({ locals }: Response): { partnerId?: string; keyId: string } | undefined {
  return (locals['caller'] ?? locals['operator']) as { partnerId?: string; keyId: string } | undefined;
}

/** The id that this service gave the request, whatever the caller named it. */
export function serverRequestIdOf(res: Response): string {
  return res.locals['serverRequestId'] as string;
}

/** The address of who calls; undefined where the connection is gone. */
export function clientAddressOf(req: Request): string | undefined {
  return clientAddress(req.ip, req.socket.remoteAddress);
}

/** The path of the request as it may be written down. */
export function pathOf(res: Response): string {
  return res.locals['path'] as string;
}

/** All that stands in the paths of the routes of `app` beside parameters. */
function wordsOf(app: Express): string[] {
  const paths = app.router.stack.flatMap(({ route }) => route?.path ?? []);
  return paths.flatMap((path) => path.split('/')).filter((part) => !part.startsWith(':'));
}
