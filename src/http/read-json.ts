import { isUtf8 } from 'node:buffer';
import { MIMEType } from 'node:util';
import express, { type NextFunction, type Request, type RequestHandler, type Response } from 'express';
import { DomainError } from '../domain/errors.ts';

const MAX_BODY_BYTES = 100 * 1024;

// `express.json` would replace bytes that are not UTF-8 and accept other charsets (RFC 8259, section 8.1).
const readBytes = withBodyErrors(express.raw({ limit: MAX_BODY_BYTES, type: 'application/json' }));

/** Reads the JSON body into `req.body`. @throws DomainError UNSUPPORTED_MEDIA_TYPE, PAYLOAD_TOO_LARGE, INVALID_JSON */
export function readJson(req: Request, res: Response, next: NextFunction): void {
  const hasBody = req.headers['transfer-encoding'] !== undefined || Number(req.headers['content-length'] ?? 0) > 0;
  if (hasBody && !req.is('application/json')) {
    throw new DomainError(
      'UNSUPPORTED_MEDIA_TYPE',
      'Send the body as JSON with the header Content-Type: application/json.',
    );
  }
  if (hasBody && !isInUtf8(req.headers['content-type'] ?? '')) throw unsupportedCharset();
  readBytes(req, res, (err?: unknown) => {
    if (err === undefined && Buffer.isBuffer(req.body)) {
      try {
        req.body = parsed(req.body);
      } catch (fault) {
        next(fault);
        return;
      }
    }
    next(err);
  });
}

/** Whether a Content-Type names no charset or one of the names of UTF-8 (WHATWG Encoding). */
function isInUtf8(contentType: string): boolean {
  try {
    const charset = new MIMEType(contentType).params.get('charset') ?? 'utf-8';
    return new TextDecoder(charset).encoding === 'utf-8';
  } catch {
    return false;
  }
}

/** The value of a body; `{}` for an empty one. Validation rejects values that are not objects. */
function parsed(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) {
    throw new DomainError('INVALID_JSON', 'The body is not UTF-8. Encode the JSON as UTF-8.');
  }
  const text = new TextDecoder().decode(bytes);
  if (text === '') return {};
  try {
    return JSON.parse(text);
  } catch {
    // The message of JSON.parse quotes the body, which may contain a customer's data.
    throw new DomainError('INVALID_JSON', 'The body is not valid JSON. Send one complete JSON object.');
  }
}

/** Makes Express's body parser throw DomainErrors: UNSUPPORTED_MEDIA_TYPE, PAYLOAD_TOO_LARGE or INVALID_JSON. */
export function withBodyErrors(parse: RequestHandler): RequestHandler {
  return (req, res, next) =>
    parse(req, res, (err?: unknown) =>
      next(err === undefined ? undefined : bodyError(err, req.headers['content-encoding'])),
    );
}

type BodyError = { status?: number; type?: string; limit?: number; code?: string };

function bodyError(err: unknown, contentEncoding: string | undefined): unknown {
  const { status, type, code, limit = MAX_BODY_BYTES } = err as BodyError;
  if (status === 413) {
    return new DomainError('PAYLOAD_TOO_LARGE', `The body is larger than ${limit / 1024} KB. Send a smaller body.`);
  }
  if (status === 415) return unsupportedCharset();
  if (status === 400) {
    // Only errors of decompression have a code.
    if (code !== undefined && contentEncoding !== undefined) {
      return new DomainError(
        'INVALID_JSON',
        `The body is not compressed as its Content-Encoding ${contentEncoding} says. Compress it that way, or omit the header.`,
      );
    }
    const what =
      type === 'request.aborted' ? 'The body ended before its declared length' : 'The body could not be read';
    return new DomainError('INVALID_JSON', `${what}. Send one complete JSON object.`);
  }
  return err;
}

function unsupportedCharset(): DomainError {
  return new DomainError(
    'UNSUPPORTED_MEDIA_TYPE',
    'The charset or content encoding of the body is not supported. Send UTF-8 JSON.',
  );
}
