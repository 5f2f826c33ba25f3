import type { IncomingMessage } from 'node:http';
import {
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  constants as zlib,
} from 'node:zlib';
import { parseUrl } from '../../platform/parse-url.ts';
import type { DeliveryError, DeliveryErrorDetail, Failure } from './delivery-error.rules.ts';
import { deliveryErrorOfStatus } from './delivery-error.rules.ts';

const MAX_RESPONSE_BYTES = 16 * 1024;
/** A receiver has use for one or two 1xx before its response; reading them without end would cost this process its time. */
const MAX_INTERIM_RESPONSES = 20;
const MAX_EXCERPT_CHARACTERS = 1024;
/** Enough for the characters of an excerpt in any encoding of the web. */
const MAX_EXCERPT_BYTES = 4 * MAX_EXCERPT_CHARACTERS;
// Line ends and tabs become spaces; other control characters and those that reorder text could disguise a log line.
const LINE_BREAKING = /[\t\n\r\u2028\u2029]+/g;
const INVISIBLE_CONTROLS = /[\p{Cc}\p{Bidi_Control}]/gu;

/** Why an exchange failed; null where it did not. */
export type FailureCause = Failure | 'interrupted' | null;

/**
 * What came of one exchange. `interrupted` (the caller's signal, or a closed sender) says nothing about the receiver and
 * is not an attempt to count. `statusCode` is null when no head arrived; `redirectTo` is the origin to which a redirect led, and
 * `responseExcerpt` what `responseExcerpt()` keeps of the response, which never holds a secret because no secret is ever sent.
 */
export type SendOutcome = {
  ok: boolean;
  statusCode: number | null;
  error: DeliveryError | 'interrupted' | null;
  errorDetail: DeliveryErrorDetail | null;
  redirectTo: string | null;
  durationMs: number;
  responseExcerpt: string | null;
};

/** Collects what arrives of one response, up to the reading limit, and says what came of the exchange. */
export function collectResponse() {
  const chunks: Buffer[] = [];
  let bytesLeft = MAX_RESPONSE_BYTES;
  let interimLeft = MAX_INTERIM_RESPONSES;
  let head: Pick<IncomingMessage, 'statusCode' | 'headers'> | undefined;
  return {
    isOneInterimTooMany(): boolean {
      interimLeft -= 1;
      return interimLeft < 0;
    },
    begin(response: Pick<IncomingMessage, 'statusCode' | 'headers'>): void {
      head = response;
    },
    isFullWith(chunk: Buffer): boolean {
      chunks.push(chunk.subarray(0, bytesLeft));
      bytesLeft -= chunk.length;
      return bytesLeft <= 0;
    },
    async outcome(url: string, cause: FailureCause): Promise<Omit<SendOutcome, 'durationMs'>> {
      const statusCode = head?.statusCode ?? null;
      const verdict = statusCode === null ? null : deliveryErrorOfStatus(statusCode);
      const failure = verdict === null && cause !== 'interrupted' ? cause : null;
      const error = verdict ?? (cause === 'interrupted' ? cause : (failure?.error ?? null));
      return {
        ok: error === null,
        statusCode,
        error,
        errorDetail: failure?.detail ?? null,
        redirectTo: error === 'redirect' ? originOf(head?.headers.location, url) : null,
        responseExcerpt: await responseExcerpt(Buffer.concat(chunks), head?.headers),
      };
    },
  };
}

/** Where a redirect leads: scheme, host and port alone, as path and query may hold secrets; null where it leads to no web server. */
function originOf(location: string | undefined, from: string): string | null {
  const to = location === undefined ? undefined : parseUrl(location, from);
  return to?.protocol === 'https:' || to?.protocol === 'http:' ? to.origin : null;
}

/**
 * What is kept of a receiver's response for the partner to see: at most 1,024 characters (UTF-16 units) of well-formed
 * text on one line, without control characters. `null` when nothing is left, or the bytes are not text as their headers say.
 */
export async function responseExcerpt(
  bytes: Buffer,
  headers: IncomingMessage['headers'] = {},
): Promise<string | null> {
  const plain = bytes.length === 0 ? bytes : await decompress(bytes, headers['content-encoding'] ?? '');
  const text = plain && decodeText(plain.subarray(0, MAX_EXCERPT_BYTES), headers['content-type'] ?? '');
  const excerpt = text
    ?.replace(LINE_BREAKING, ' ')
    .replace(INVISIBLE_CONTROLS, '')
    .slice(0, MAX_EXCERPT_CHARACTERS)
    .replace(/[\uD800-\uDBFF]$/, '');
  return excerpt === undefined || excerpt === '' ? null : excerpt;
}

/** The beginning of what was compressed, of which not all may have been read; undefined for an unknown coding. */
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
      if (length >= MAX_RESPONSE_BYTES) break;
    }
  } catch {
    // What came before the fault is text all the same.
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
      // Some receivers leave out the head that zlib has, of which the low half of the first byte is 8.
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
