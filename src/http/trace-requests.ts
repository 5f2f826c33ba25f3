import type { Context } from '@opentelemetry/api';
import { context, SpanStatusCode } from '@opentelemetry/api';
import type { RequestHandler, Response } from 'express';
import { startRequestSpan, traceparentOf } from '../platform/tracing.ts';
import { routeOf } from './measure-requests.ts';

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
