import type { ErrorRequestHandler } from 'express';
import { ERRORS } from '../domain/error-registry.ts';
import { DomainError, type ErrorCode, type ErrorExtras, fieldError } from '../domain/errors.ts';
import { isDatabaseUnavailable } from '../platform/mongo.ts';
import { requestLog } from './request-log.ts';
import { sendJson } from './send-json.ts';

export type ErrorBody = {
  success: false;
  error: { code: ErrorCode; message: string; request_id: string; docs?: string } & ErrorExtras;
};

type ErrorFacts = {
  code: ErrorCode;
  message: string;
  requestId: string;
  /** Whether the listener has a page for each code (`ERROR_PAGES`). */
  hasPage: boolean;
  extras?: ErrorExtras;
};

/** A setting of an app: whether it serves a page for each error code, which `error.docs` then names. */
export const ERROR_PAGES = 'error pages';

/** The body of every error response. The page is relative to the base URL (RFC 9457, section 3.1.1). */
export function errorBody({ code, message, requestId, hasPage, extras = {} }: ErrorFacts): ErrorBody {
  const page = hasPage ? { docs: `/docs/errors/${code}` } : {};
  return { success: false, error: { code, message, request_id: requestId, ...page, ...extras } };
}

/** The Retry-After of 503 responses. */
export const RETRY_AFTER_SECONDS = '1';

const RETRY_LATER: ReadonlySet<ErrorCode> = new Set(['SERVICE_UNAVAILABLE', 'RATE_LIMITED']);

/** Sends the documented error body: for a DomainError its text, 503 if MongoDB is unavailable, else 500. */
export const errorHandler: ErrorRequestHandler = async (thrown: unknown, req, res, next) => {
  const error = asDomainError(thrown);
  if (error.code === 'INTERNAL_ERROR') requestLog(req, res).error({ err: thrown }, 'unexpected error');
  if (error.code === 'SERVICE_UNAVAILABLE')
    requestLog(req, res).warn({ error: String(thrown) }, 'database unavailable or not ready');
  if (res.headersSent) {
    next(thrown);
    return;
  }
  // A rate limit has already set Retry-After.
  if (RETRY_LATER.has(error.code) && !res.hasHeader('Retry-After')) res.set('Retry-After', RETRY_AFTER_SECONDS);
  const { code, message, extras } = error;
  const hasPage = req.app.enabled(ERROR_PAGES);
  const requestId = String(res.getHeader('X-Request-Id') ?? '');
  const body = errorBody({ code, message, requestId, hasPage, extras });
  await sendJson(req, res.status(ERRORS[code].status), body);
};

function asDomainError(thrown: unknown): DomainError {
  if (thrown instanceof DomainError) return thrown;
  if (isDatabaseUnavailable(thrown)) {
    return new DomainError(
      'SERVICE_UNAVAILABLE',
      'The database is unavailable, so the call may or may not have taken effect. Repeat it after the seconds in Retry-After, with the same idempotency_key.',
    );
  }
  if (thrown instanceof URIError) return fieldError('path', 'is not valid percent-encoding. Encode it as UTF-8.');
  return new DomainError(
    'INTERNAL_ERROR',
    'The service failed unexpectedly. Repeat the call with the same idempotency_key. If it fails again, send request_id to the platform operator.',
  );
}
