import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Request, Response } from 'express';

/** Below it, what is saved is less than a packet. */
const COMPRESSED_FROM_BYTES = 1024;

const compress = promisify(gzip);

/**
 * Sends `body` as JSON; a long response to a GET in gzip where the caller takes that. Both forms have one weak ETag, so that either
 * is revalidated by the other, and `Vary`; a HEAD has the headers of its GET. Responses to other methods are never compressed:
 * only they carry secrets, and what they repeat of the request would reveal them by its length (BREACH).
 */
export async function sendJson(req: Request, res: Response, body: unknown): Promise<void> {
  if (req.method !== 'GET' && req.method !== 'HEAD') {
    res.json(body);
    return;
  }
  const text = JSON.stringify(body);
  const bytes = Buffer.byteLength(text);
  const makeTag = res.app.get('etag fn') as (text: string, encoding: 'utf8') => string;
  res.setHeader('Content-Type', 'application/json; charset=utf-8');
  res.setHeader('ETag', makeTag(text, 'utf8'));
  if (bytes >= COMPRESSED_FROM_BYTES) res.vary('Accept-Encoding');
  if (req.fresh) {
    // As 304, which Express makes of it.
    res.send(text);
  } else if (bytes >= COMPRESSED_FROM_BYTES && req.acceptsEncodings(['gzip', 'identity']) === 'gzip') {
    // In another thread: the event loop goes on.
    const compressed = await compress(text);
    res.set('Content-Encoding', 'gzip').send(compressed);
  } else {
    // Not by `send`, to which nothing is left to find out.
    res.setHeader('Content-Length', bytes).end(text);
  }
}
