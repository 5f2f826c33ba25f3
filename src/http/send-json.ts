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
  const text = JSON.stringify(body);
  const isGet = req.method === 'GET' || req.method === 'HEAD';
  if (!isGet || Buffer.byteLength(text) < COMPRESSED_FROM_BYTES) {
    res.json(body);
    return;
  }
  res.vary('Accept-Encoding').type('json');
  const makeTag = res.app.get('etag fn') as (text: string, encoding: 'utf8') => string;
  res.set('ETag', makeTag(text, 'utf8'));
  // Not where the response is to be 304, without a body.
  if (req.fresh || req.acceptsEncodings(['gzip', 'identity']) !== 'gzip') {
    res.send(text);
    return;
  }
  // In another thread: the event loop goes on.
  const compressed = await compress(text);
  res.set('Content-Encoding', 'gzip').send(compressed);
}
