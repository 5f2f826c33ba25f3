import type { Request, RequestHandler, Response } from 'express';

/** A request as it is counted: nothing of it but which endpoint it was for and how it went. */
export type MeasuredRequest = {
  method: string;
  /** The pattern of the route, never the path that was asked for; `unmatched` where no route was reached. */
  route: string;
  /** `aborted` where the caller was gone before the response. */
  status: string;
  seconds: number;
  /** Whether the response repeated an earlier one. */
  isReplay: boolean;
};

export type ObserveRequest = (request: MeasuredRequest) => void;

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Calls `observe` for each request when it is over. Every value but the time comes from a bounded set. */
export function measureRequests(observe: ObserveRequest): RequestHandler {
  return (req, res, next) => {
    const startedAt = performance.now();
    res.once('close', () => {
      observe({
        method: METHODS.has(req.method) ? req.method : 'other',
        route: routeOf(req),
        status: statusOf(res),
        seconds: (performance.now() - startedAt) / 1000,
        isReplay: res.getHeader('Idempotent-Replayed') !== undefined,
      });
    });
    next();
  };
}

/** The pattern of the route that was reached. */
export function routeOf(req: Request): string {
  const { path } = (req.route ?? {}) as { path?: unknown };
  // Where a folder is mounted there is no route; what it is mounted at matches in any case.
  const at = req.baseUrl.toLowerCase();
  if (typeof path === 'string') return at + path;
  return at === '' ? 'unmatched' : at;
}

function statusOf(res: Response): string {
  return res.writableFinished ? String(res.statusCode) : 'aborted';
}
