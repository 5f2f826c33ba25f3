import type { IncomingMessage } from 'node:http';
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw, constants as zlib } from 'node:zlib';
import { parseUrl } from '../../platform/parse-url.ts';
import {
  type DeliveryError,
  type DeliveryErrorDetail,
  deliveryErrorOfStatus,
  type Failure,
} from './delivery-error.rules.ts';

const MAX_RESPONSE_BYTES = 16 * 1024;
const MAX_DECODED_BYTES = 16 * 1024;
const MAX_EXCERPT_CHARACTERS = 1024;
/** No encoding of the web takes more than 4 bytes a character. */
const MAX_EXCERPT_BYTES = 4 * MAX_EXCERPT_CHARACTERS;
// Line ends and tabs become spaces. Other control characters and characters that reorder text are removed, because they
// could disguise a log line.
const LINE_BREAKING = /[\t\n\r\u2028\u2029]+/g;
const INVISIBLE_CONTROLS = /[\p{Cc}\p{Bidi_Control}]/gu;

/** Why an exchange failed; null if it did not. */
export type FailureCause = Failure | 'interrupted' | null;

/**
 * The outcome of one exchange. `interrupted` (the caller's signal, or a closed sender) says nothing about the receiver
 * and must not count as an attempt. `statusCode` is null if no head arrived; `redirectTo` is the origin of a redirect
 * target. `responseExcerpt` holds no secret of this service: requests carry only a signature.
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

/** Collects one response up to the reading limit, and works out the outcome of the exchange. */
export function collectResponse() {
  const chunks: Buffer[] = [];
  let bytesLeft = MAX_RESPONSE_BYTES;
  let head: Pick<IncomingMessage, 'statusCode' | 'headers'> | undefined;
  return {
    begin(response: Pick<IncomingMessage, 'statusCode' | 'headers'>): void {
      head = response;
    },
    /** Adds a chunk; returns whether the reading limit is reached. */
    add(chunk: Buffer): boolean {
      chunks.push(chunk.subarray(0, bytesLeft));
      bytesLeft -= chunk.length;
      return bytesLeft <= 0;
    },
    async outcome(url: string, cause: FailureCause): Promise<Omit<SendOutcome, 'durationMs'>> {
      const statusCode = head?.statusCode ?? null;
      const statusError = statusCode === null ? null : deliveryErrorOfStatus(statusCode);
      const failure = statusError === null && cause !== 'interrupted' ? cause : null;
      const error = statusError ?? (cause === 'interrupted' ? cause : (failure?.error ?? null));
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

/** Statuses of responses that are complete with their head, regardless of its fields (RFC 9110, 6.4.1). */
const WITHOUT_BODY: readonly (number | undefined)[] = [204, 205, 304];

export function hasNoBody({ statusCode }: Pick<IncomingMessage, 'statusCode'>): boolean {
  return WITHOUT_BODY.includes(statusCode);
}

/** Whether the head announces a body. A 205 without a length does: Node reads its body until the connection ends. */
export function announcesBody({ statusCode, headers }: Pick<IncomingMessage, 'statusCode' | 'headers'>): boolean {
  const { 'content-length': length, 'transfer-encoding': coding } = headers;
  return coding !== undefined || (length === undefined ? statusCode === 205 : Number(length) !== 0);
}

/** The origin of a redirect's target, because path and query may hold secrets; null if it is not an http(s) URL. */
function originOf(location: string | undefined, baseUrl: string): string | null {
  const target = location === undefined ? undefined : parseUrl(location, baseUrl);
  return target?.protocol === 'https:' || target?.protocol === 'http:' ? target.origin : null;
}

/**
 * The beginning of a receiver's response for the partner to see: at most 1,024 characters (UTF-16 units) of well-formed
 * text on one line, without control characters. Null if nothing is left, or the bytes are not text in the encoding that
 * the headers state.
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

function decoderOf(coding: string, [firstByte = 0]: Buffer) {
  const allowCutOff = { finishFlush: zlib.Z_SYNC_FLUSH };
  switch (coding) {
    case 'gzip':
    case 'x-gzip':
      return createGunzip(allowCutOff);
    case 'deflate':
      // Some receivers omit zlib's header, in which the low half of the first byte is 8.
      return (firstByte & 0x0f) === 8 ? createInflate(allowCutOff) : createInflateRaw(allowCutOff);
    case 'br':
      return createBrotliDecompress({ finishFlush: zlib.BROTLI_OPERATION_FLUSH });
    default:
      return undefined;
  }
}

function decodeText(bytes: Buffer, contentType: string): string | undefined {
  const [, charset = 'utf-8'] = /;\s*charset="?([^";\s]+)/i.exec(contentType) ?? [];
  try {
    // `stream` leaves out a last character that the size limit has cut in two.
    return new TextDecoder(charset, { fatal: true }).decode(bytes, { stream: true });
  } catch {
    return undefined;
  }
}
