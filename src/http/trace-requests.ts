import { type Context, context, SpanStatusCode } from '@opentelemetry/api';
import type { Request, RequestHandler, Response } from 'express';
import { startRequestSpan, traceparentOf } from '../platform/tracing.ts';

type RequestTrace = { within: Context; traceparent: string | undefined };

/** Starts a span for each request, named after the request's route. `inTrace` runs the handler within the span. */
export function traceRequests(): RequestHandler {
  return (req, res, next) => {
    const { span, within } = startRequestSpan(req.method);
    res.locals['traced'] = { within, traceparent: traceparentOf(span) } satisfies RequestTrace;
    res.once('close', () => {
      const route = routeOf(req);
      span.updateName(`${req.method} ${route}`);
      span.setAttributes({
        'http.request.method': req.method,
        'http.route': route,
        'http.response.status_code': res.statusCode,
        request_id: String(res.getHeader('X-Request-Id')),
      });
      if (res.statusCode >= 500 || isAborted(req, res)) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    });
    context.with(within, next);
  };
}

/** The pattern of the matched route, never the requested path; `unmatched` if there is none. */
export function routeOf(req: Request): string {
  const { path } = (req.route ?? {}) as { path?: unknown };
  // A mounted folder has no route; its mount point is case-insensitive.
  const mountPath = req.baseUrl.toLowerCase();
  if (typeof path === 'string') return mountPath + path;
  return mountPath === '' ? 'unmatched' : mountPath;
}

/** Whether the caller disconnected before the request or the response was complete. */
export const isAborted = (req: Request, res: Response): boolean => req.errored !== null || !res.writableFinished;

const traceOf = (res: Response) => res.locals['traced'] as RequestTrace | undefined;

/** Runs work within the request's span, which is lost while reading the body. */
export function inTrace<T>(res: Response, work: () => T): T {
  const trace = traceOf(res);
  return trace === undefined ? work() : context.with(trace.within, work);
}

export const traceparentOfRequest = (res: Response): string | undefined => traceOf(res)?.traceparent;
