import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

const compress = promisify(gzip);

export type PreparedJson = {
  readonly bytes: Buffer;
  /** Gzip form, made on first use in another thread. */
  compressed(): Promise<Buffer>;
  tag(make: (bytes: Buffer) => string): string;
};

const prepared = new WeakSet<object>();

export function prepareJson(text: string): PreparedJson {
  const bytes = Buffer.from(text);
  let compressed: Promise<Buffer> | undefined;
  let tag: string | undefined;
  const json: PreparedJson = {
    bytes,
    compressed: () => (compressed ??= compress(bytes)),
    tag: (make) => (tag ??= make(bytes)),
  };
  prepared.add(json);
  return json;
}

export const isPreparedJson = (body: unknown): body is PreparedJson =>
  typeof body === 'object' && body !== null && prepared.has(body);
