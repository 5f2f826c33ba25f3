import type { ErrorRequestHandler, Response } from 'express';
import type { ErrorCode, ErrorExtras } from '../domain/errors.ts';
import { DomainError, fieldError } from '../domain/errors.ts';
import { isDatabaseUnavailable } from '../platform/mongo.ts';
import { ERRORS } from './error-registry.ts';
import { requestLog } from './request-log.ts';

export type ErrorBody = {
  success: false;
  error: { code: ErrorCode; message: string; request_id: string; docs?: string } & ErrorExtras;
};

export type ErrorFacts = {
  code: ErrorCode;
  message: string;
  requestId: string;
  /** Whether the listener has a page for each code (`ERROR_PAGES`). */
  hasPage: boolean;
  extras?: ErrorExtras;
};

/** A setting of an app (`enable`, `enabled`): it has a page for each code, which every error names in `error.docs`. */
export const ERROR_PAGES = 'error pages';

/** The body of every error response; a page is named relative to the base URL (RFC 9457, section 3.1.1): nothing to configure. */
export function errorBody({ code, message, requestId, hasPage, extras = {} }: ErrorFacts): ErrorBody {
  const page = hasPage ? { docs: `/docs/errors/${code}` } : {};
  return { success: false, error: { code, message, request_id: requestId, ...page, ...extras } };
}

/** What `Retry-After` says while the database is out of reach, or the same work is under way. */
export const RETRY_AFTER_SECONDS = '1';

const RETRIED_LATER: ReadonlySet<ErrorCode> = new Set(['SERVICE_UNAVAILABLE', 'RATE_LIMITED']);

/**
 * Turns whatever was thrown into the documented error body. Only a DomainError speaks to the caller; a database out of
 * reach is 503 with `Retry-After` (the outcome of a write is then unknown: retry with the same idempotency key);
 * everything else is a bug: 500, generic body, full log.
 */
export const errorHandler: ErrorRequestHandler = (thrown: unknown, req, res, next) => {
  const error = asDomainError(thrown);
  if (error.code === 'INTERNAL_ERROR') requestLog(req, res).error({ err: thrown }, 'unexpected error');
  if (error.code === 'SERVICE_UNAVAILABLE')
    requestLog(req, res).warn({ error: String(thrown) }, 'database out of reach, or not ready');
  if (res.headersSent) {
    next(thrown);
    return;
  }
  // A limit on how often one may call has said by now when its window ends.
  if (RETRIED_LATER.has(error.code) && !res.hasHeader('Retry-After'))
    res.set('Retry-After', RETRY_AFTER_SECONDS);
  const { code, message, extras } = error;
  const hasPage = req.app.enabled(ERROR_PAGES);
  res
    .status(ERRORS[code].status)
    .json(errorBody({ code, message, requestId: requestIdOf(res), hasPage, extras }));
};

function asDomainError(thrown: unknown): DomainError {
  if (thrown instanceof DomainError) return thrown;
  if (isDatabaseUnavailable(thrown)) {
    return new DomainError(
      'SERVICE_UNAVAILABLE',
      'The database is unavailable, so the call may or may not have taken effect. Repeat it after the seconds in Retry-After, with the same idempotency_key.',
    );
  }
  if (thrown instanceof URIError)
    return fieldError('path', 'is not valid percent-encoding. Encode it as UTF-8.');
  return new DomainError(
    'INTERNAL_ERROR',
    'The service failed unexpectedly. Repeat the call with the same idempotency_key. If it fails again, send request_id to the platform operator.',
  );
}

/** The id that the request-id middleware gave this request. */
function requestIdOf(res: Response): string {
  return String(res.getHeader('X-Request-Id') ?? '');
}
