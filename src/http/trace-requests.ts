import type { Context } from '@opentelemetry/api';
import { context, SpanStatusCode } from '@opentelemetry/api';
import type { Request, RequestHandler, Response } from 'express';
import { startRequestSpan, traceparentOf } from '../platform/tracing.ts';

type Traced = { within: Context; traceparent: string | undefined };

/** A span for each request, named after its route. The work of its handler is within it (`inTrace`). */
export function traceRequests(): RequestHandler {
  return (req, res, next) => {
    const { span, within } = startRequestSpan(req.method);
    res.locals['traced'] = { within, traceparent: traceparentOf(span) } satisfies Traced;
    res.once('close', () => {
      const route = routeOf(req);
      span.updateName(`${req.method} ${route}`);
      span.setAttributes({
        'http.request.method': req.method,
        'http.route': route,
        'http.response.status_code': res.statusCode,
        request_id: String(res.getHeader('X-Request-Id')),
      });
      if (res.statusCode >= 500 || !res.writableFinished) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    });
    context.with(within, next);
  };
}

/** The pattern of the route that was reached, never the path that was asked for; `unmatched` where none was. */
export function routeOf(req: Request): string {
  const { path } = (req.route ?? {}) as { path?: unknown };
  // Where a folder is mounted there is no route; what it is mounted at matches in any case.
  const at = req.baseUrl.toLowerCase();
  if (typeof path === 'string') return at + path;
  return at === '' ? 'unmatched' : at;
}

const tracedOf = (res: Response) => res.locals['traced'] as Traced | undefined;

/** Does the work within the request's span, which reading a body from the connection leads out of. */
export function inTrace<T>(res: Response, work: () => T): T {
  const traced = tracedOf(res);
  return traced === undefined ? work() : context.with(traced.within, work);
}

/** The request's span as W3C Trace Context; undefined where it is not traced. */
export function traceparentOfRequest(res: Response): string | undefined {
  return tracedOf(res)?.traceparent;
}
