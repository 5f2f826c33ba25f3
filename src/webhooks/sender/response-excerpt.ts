import type { IncomingMessage } from 'node:http';
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw, constants as zlib } from 'node:zlib';

const MAX_DECODED_BYTES = 16 * 1024;
const MAX_EXCERPT_CHARACTERS = 1024;
/** Enough for the characters of an excerpt in any encoding of the web. */
const MAX_EXCERPT_BYTES = 4 * MAX_EXCERPT_CHARACTERS;
// Line ends and tabs become spaces; other control characters and those that reorder text could disguise a log line.
const LINE_BREAKING = /[\t\n\r\u2028\u2029]+/g;
const INVISIBLE_CONTROLS = /[\p{Cc}\p{Bidi_Control}]/gu;

/**
 * The beginning of a receiver's response for the partner to see: at most 1,024 characters (UTF-16 units) of well-formed
 * text on one line, without control characters. Null if nothing is left, or the bytes are not text as their headers
 * say.
 */
export async function responseExcerpt(bytes: Buffer, headers: IncomingMessage['headers'] = {}): Promise<string | null> {
  const plain = bytes.length === 0 ? bytes : await decompress(bytes, headers['content-encoding'] ?? '');
  const text = plain && decodeText(plain.subarray(0, MAX_EXCERPT_BYTES), headers['content-type'] ?? '');
  const excerpt = text
    ?.replace(LINE_BREAKING, ' ')
    .replace(INVISIBLE_CONTROLS, '')
    .slice(0, MAX_EXCERPT_CHARACTERS)
    .replace(/[\uD800-\uDBFF]$/, '');
  return excerpt === undefined || excerpt === '' ? null : excerpt;
}

/** The beginning of a compressed body, which may be cut off; undefined for an unknown coding. */
async function decompress(bytes: Buffer, contentEncoding: string): Promise<Buffer | undefined> {
  const coding = contentEncoding.trim().toLowerCase();
  if (coding === '' || coding === 'identity') return bytes;
  const decoder = decoderOf(coding, bytes);
  if (decoder === undefined) return undefined;
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    decoder.end(bytes);
    for await (const chunk of decoder as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      length += chunk.length;
      if (length >= MAX_DECODED_BYTES) break;
    }
  } catch {
    // Keep the part that was decoded before the error.
  }
  return Buffer.concat(chunks);
}

function decoderOf(coding: string, [first = 0]: Buffer) {
  const partly = { finishFlush: zlib.Z_SYNC_FLUSH };
  switch (coding) {
    case 'gzip':
    case 'x-gzip':
      return createGunzip(partly);
    case 'deflate':
      // Some receivers omit zlib's header. Its first byte has 8 in the low half.
      return (first & 0x0f) === 8 ? createInflate(partly) : createInflateRaw(partly);
    case 'br':
      return createBrotliDecompress({ finishFlush: zlib.BROTLI_OPERATION_FLUSH });
    default:
      return undefined;
  }
}

function decodeText(bytes: Buffer, contentType: string): string | undefined {
  const [, charset = 'utf-8'] = /;\s*charset="?([^";\s]+)/i.exec(contentType) ?? [];
  try {
    // `stream` leaves out a last character that a limit cut in two.
    return new TextDecoder(charset, { fatal: true }).decode(bytes, { stream: true });
  } catch {
    return undefined;
  }
}
