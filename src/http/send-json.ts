import type { Request, Response } from 'express';
import { PreparedJson } from '../platform/prepared-json.ts';

/** Compressing smaller bodies would save less than a packet. */
const MIN_COMPRESSED_BYTES = 1024;
const JSON_TYPE = 'application/json; charset=utf-8';

/**
 * Sends `body` as JSON, or prepared JSON as it is. Compresses long responses to GET if accepted; one weak ETag
 * revalidates both forms. Never compresses responses to other methods: some contain a secret, and the length of a
 * compressed response that also repeats the caller's input could reveal it (BREACH). Notes the body for `sentBody`.
 */
export async function sendJson(req: Request, res: Response, body: unknown): Promise<void> {
  res.locals['sent'] = body;
  // `res.json` would also compute an ETag, which only responses to GET need.
  if (req.method !== 'GET' && req.method !== 'HEAD') {
    res.setHeader('Content-Type', JSON_TYPE).end(JSON.stringify(body));
    return;
  }
  const json = body instanceof PreparedJson ? body : new PreparedJson(JSON.stringify(body));
  const { length } = json.bytes;
  const makeTag = res.app.get('etag fn') as (bytes: Buffer) => string;
  res.setHeader('ETag', json.etag(makeTag));
  if (length >= MIN_COMPRESSED_BYTES) res.vary('Accept-Encoding');
  if (req.fresh) {
    res.status(304).end();
    return;
  }
  res.setHeader('Content-Type', JSON_TYPE);
  let bytes = json.bytes;
  if (length >= MIN_COMPRESSED_BYTES && req.acceptsEncodings(['gzip', 'identity']) === 'gzip') {
    // Compression runs in another thread.
    bytes = await json.compressed();
    res.setHeader('Content-Encoding', 'gzip');
  }
  // Node drops the body of a HEAD.
  res.setHeader('Content-Length', bytes.length);
  // Node sends text together with the headers, bytes after them.
  if (length < MIN_COMPRESSED_BYTES) res.end(bytes.toString());
  else res.end(bytes);
}

/** The body that `sendJson` has sent; undefined if it sent none. */
export const sentBody = (res: Response): unknown => res.locals['sent'];
