import type { Request, Response } from 'express';
import { isPreparedJson, prepareJson } from '../platform/prepared-json.ts';

/** Below it, what is saved is less than a packet. */
const COMPRESSED_FROM_BYTES = 1024;

/**
 * Sends `body` as JSON, or as it is where that was prepared; a long response to a GET in gzip where the caller takes that. Both forms
 * have one weak ETag, so that either is revalidated by the other, and `Vary`; a HEAD has the headers of its GET. Responses to other
 * methods are never compressed: only they carry secrets, and what they repeat of the request would reveal them by its length (BREACH).
 */
export async function sendJson(req: Request, res: Response, body: unknown): Promise<void> {
  if (req.method !== 'GET' && req.method !== 'HEAD') {
    res.json(body);
    return;
  }
  const json = isPreparedJson(body) ? body : prepareJson(JSON.stringify(body));
  const { length } = json.bytes;
  const makeTag = res.app.get('etag fn') as (bytes: Buffer) => string;
  res.setHeader('ETag', json.tag(makeTag));
  if (length >= COMPRESSED_FROM_BYTES) res.vary('Accept-Encoding');
  if (req.fresh) {
    res.status(304).end();
    return;
  }
  res.setHeader('Content-Type', 'application/json; charset=utf-8');
  let bytes = json.bytes;
  if (length >= COMPRESSED_FROM_BYTES && req.acceptsEncodings(['gzip', 'identity']) === 'gzip') {
    // In another thread: the event loop goes on.
    bytes = await json.compressed();
    res.setHeader('Content-Encoding', 'gzip');
  }
  // Not by `send`, to which nothing is left to find out. Node leaves the body of a HEAD out.
  res.setHeader('Content-Length', bytes.length);
  // Node writes text together with the headers, bytes after them.
  if (length < COMPRESSED_FROM_BYTES) res.end(bytes.toString());
  else res.end(bytes);
}
