import type { NextFunction, Request, RequestHandler, Response } from 'express';
import express from 'express';
import { DomainError } from '../domain/errors.ts';
import { jsonFaultAt, lineAndColumn } from './json-fault.rules.ts';

/** The largest body taken, in bytes (413 over 100 KB). */
const MAX_BODY_BYTES = 100 * 1024;

// `strict: false`: a bare string or number is JSON; that it is no object is for validation to say.
const parseJson = reading(express.json({ limit: MAX_BODY_BYTES, strict: false, type: 'application/json' }));

/**
 * Reads the body as JSON into `req.body`; undefined where the request has none.
 * @throws DomainError UNSUPPORTED_MEDIA_TYPE, PAYLOAD_TOO_LARGE, INVALID_JSON
 */
export function readJson(req: Request, res: Response, next: NextFunction): void {
  const hasBody =
    req.headers['transfer-encoding'] !== undefined || Number(req.headers['content-length'] ?? 0) > 0;
  if (hasBody && !req.is('application/json')) {
    throw new DomainError(
      'UNSUPPORTED_MEDIA_TYPE',
      'Send the body as JSON with the header Content-Type: application/json.',
    );
  }
  parseJson(req, res, next);
}

/**
 * Runs one of Express's body parsers with its errors turned into the documented errors.
 * @throws DomainError UNSUPPORTED_MEDIA_TYPE, PAYLOAD_TOO_LARGE, INVALID_JSON
 */
export function reading(parse: RequestHandler): RequestHandler {
  return (req, res, next) =>
    parse(req, res, (err?: unknown) => next(err === undefined ? undefined : bodyError(err)));
}

/** Where a body stops being JSON; never what stands there, which may be a customer's. */
function positionOf(body: unknown): string {
  const at = typeof body === 'string' ? jsonFaultAt(body) : undefined;
  if (typeof body !== 'string' || at === undefined) return '';
  if (at === body.length) return ': it ends before it is complete';
  const { line, column } = lineAndColumn(body, at);
  return ` at line ${line}, column ${column}`;
}

/** What Express's parsers say of a body; `body` is its text, where it could be read. */
type BodyError = { status?: number; type?: string; body?: unknown; limit?: number };

function bodyError(err: unknown): unknown {
  const { status, type, body, limit = MAX_BODY_BYTES } = err as BodyError;
  if (status === 413) {
    return new DomainError(
      'PAYLOAD_TOO_LARGE',
      `The body is larger than ${limit / 1024} KB. Send a smaller body.`,
    );
  }
  if (status === 415) {
    return new DomainError(
      'UNSUPPORTED_MEDIA_TYPE',
      'The charset or content encoding of the body is not supported. Send UTF-8 JSON.',
    );
  }
  if (status === 400) {
    const what =
      type === 'request.aborted'
        ? 'The body ended before its declared length'
        : `The body is not valid JSON${positionOf(body)}`;
    return new DomainError('INVALID_JSON', `${what}. Send one complete JSON object.`);
  }
  return err;
}
