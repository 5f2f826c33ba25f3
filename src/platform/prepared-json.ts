import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

const compress = promisify(gzip);

/** A JSON body; its gzip form and ETag are made once. */
export type PreparedJson = {
  readonly bytes: Buffer;
  /** The gzip form, made in another thread. */
  compressed(): Promise<Buffer>;
  etag(make: (bytes: Buffer) => string): string;
};

const prepared = new WeakSet<object>();

export function prepareJson(text: string): PreparedJson {
  const bytes = Buffer.from(text);
  let compressed: Promise<Buffer> | undefined;
  let etag: string | undefined;
  const json: PreparedJson = {
    bytes,
    compressed: () => (compressed ??= compress(bytes)),
    etag: (make) => (etag ??= make(bytes)),
  };
  prepared.add(json);
  return json;
}

export const isPreparedJson = (body: unknown): body is PreparedJson =>
  typeof body === 'object' && body !== null && prepared.has(body);
